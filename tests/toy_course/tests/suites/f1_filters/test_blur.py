"""f1.blur, hidden criteria: borders, gradients, state."""

import pytest
import torch

B, R, C = 2, 5, 6


class TestBorders:
    def test_a_bright_corner(self, student, expect):
        """A bright pixel in a corner counts as often as it is repeated beyond the border."""
        images = torch.zeros(B, R, C, dtype=torch.float64)
        images[:, 0, 0] = 9.0
        wanted = torch.zeros_like(images)
        wanted[:, :2, :2] = torch.tensor([[4.0, 2.0], [2.0, 1.0]], dtype=torch.float64)
        expect.close(student.box_blur(images, 3), wanted, what="result")


class TestGradients:
    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On images drawn for this submission, all gradients are right."""
        expect.gradients(student.box_blur, reference.box_blur, probe.randn(B, R, C), 3)


class TestState:
    def test_images_are_not_modified(self, student, probe, expect):
        """The images are the same after the call as before it."""
        expect.unchanged(student.box_blur, probe.randn(B, R, C), 3)
