"""f2.learned, hidden criteria: state, modes, gradients."""

import pytest
import torch

B, R, C, K = 2, 5, 6, 3


class TestState:
    def test_number(self, student, expect):
        """The kernel and the offset are all there is to train."""
        count = sum(p.numel() for p in student.LearnedFilter(K, 0.0).parameters())
        expect.true(count == K * K + 1, observed=f"{count} numbers", expected=f"{K * K + 1}")


class TestModes:
    def test_noise_while_training(self, probe, expect):
        """In train mode two calls differ, in eval mode they do not."""
        learned = probe.pair("LearnedFilter", K, 0.5, dtype=torch.float32, train=True).student
        images = probe.randn(B, R, C, dtype=torch.float32)
        first, second = learned(images), learned(images)
        expect.floats(first, (B, R - K + 1, C - K + 1), what="result")
        expect.true(
            bool(((first - second).abs() > 1e-3).any()),
            observed="two calls in train mode give the same",
            expected="new noise in each call",
        )
        learned.eval()
        calm = learned(images)
        expect.close(learned(images), calm, what="second result in eval mode")


class TestGradients:
    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On images drawn for this submission, all gradients are right."""
        pair = probe.pair("LearnedFilter", K, 0.0)
        expect.gradients(pair.student, pair.reference, probe.randn(B, R, C))
