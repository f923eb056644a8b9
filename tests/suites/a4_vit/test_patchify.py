"""a4.patchify, hidden criteria: numerics, gradients, state.

Numbers are moved and never computed: whatever arrives is exactly what was sent.
"""

import pytest
import torch

B, C, H, W, P = 2, 3, 6, 15, 3
N, NUMBERS = H // P * (W // P), P * P * C


def cut(student, expect, images):
    """Call the student's patchify; the patches hold what the images hold, in some order, or the
    check ends."""
    patches = student.patchify(images, P)
    expect.floats(patches, (B, N, NUMBERS), what="patches")
    same = torch.equal(patches.flatten().sort().values, images.flatten().sort().values)
    expect.true(
        same,
        observed="the patches hold other numbers than the images",
        expected="the same numbers in other places",
    )
    return patches


class TestNumerics:
    @pytest.mark.parametrize(
        "dtype",
        [torch.float64, torch.float16, torch.bfloat16],
        ids=["float64", "float16", "bfloat16"],
    )
    def test_dtype_is_kept(self, student, probe, expect, dtype):
        """Patches and images have the dtype of what was given, and not a digit is lost."""
        images = probe.randn(B, C, H, W, dtype=dtype)
        patches = cut(student, expect, images)
        expect.dtype(patches, dtype, what="patches")
        again = student.unpatchify(patches, P, H, W)
        expect.floats(again, images.shape, what="images")
        expect.dtype(again, dtype, what="images")


class TestGradients:
    @pytest.mark.fresh
    def test_gradient_of_the_images(self, student, reference, probe, expect):
        """On images drawn for this submission, every pixel gets its gradient."""
        expect.gradients(student.patchify, reference.patchify, probe.randn(B, C, H, W), P)

    def test_gradient_of_the_patches(self, student, reference, probe, expect):
        """Every number of the patches gets its gradient."""
        patches = probe.randn(B, N, NUMBERS)
        expect.gradients(student.unpatchify, reference.unpatchify, patches, P, H, W)


class TestState:
    def test_round_trip(self, student, probe, expect):
        """Images that are cut and put together again are what they were."""
        images = probe.randn(B, C, H, W)
        patches = cut(student, expect, images)
        expect.close(student.unpatchify(patches, P, H, W), images, what="images", atol=0.0)

    def test_images_are_not_modified(self, student, probe, expect):
        """The images are the same after patchify as before it."""
        expect.unchanged(student.patchify, probe.randn(B, C, H, W), P)

    def test_patches_are_not_modified(self, student, probe, expect):
        """The patches are the same after unpatchify as before it."""
        expect.unchanged(student.unpatchify, probe.randn(B, N, NUMBERS), P, H, W)

    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after others, one of them with images of another size."""
        sizes = (H, W), (W, H), (H, W)
        images = [expect.call(probe.randn(B, C, *size), P) for size in sizes]
        expect.starts_anew(student.patchify, *images)
        patches = [expect.call(probe.randn(B, N, NUMBERS), P, *size) for size in sizes]
        expect.starts_anew(student.unpatchify, *patches)
