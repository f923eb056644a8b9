"""a4.patchify, public criteria: shapes, and the place of every pixel."""

import pytest
import torch

B, C, H, W, P = 2, 3, 8, 12, 4
N = H // P * (W // P)


def labelled(batch, channels, height, width):
    """Return images in which no two numbers are alike."""
    count = batch * channels * height * width
    return torch.arange(1.0, count + 1, dtype=torch.float64).reshape(batch, channels, height, width)


def labelled_patches(batch, patches, numbers):
    """Return patches in which no two numbers are alike."""
    return labelled(batch, 1, patches, numbers)[:, 0]


CASES = pytest.mark.parametrize(
    ("batch", "channels", "height", "width", "side"),
    [(B, C, H, W, P), (1, 2, 6, 3, 3), (3, 1, 6, 6, 2), (1, 5, 4, 4, 4), (2, 3, 2, 5, 1)],
    ids=["wide", "tall", "square", "one-patch", "one-pixel-patches"],
)


class TestShapes:
    @CASES
    def test_patches(self, student, probe, expect, batch, channels, height, width, side):
        """(B, C, H, W) becomes (B, N, P·P·C)."""
        patches = student.patchify(probe.randn(batch, channels, height, width), side)
        count = (height // side) * (width // side)
        expect.shape(patches, (batch, count, side * side * channels), what="patches")

    @CASES
    def test_images(self, student, probe, expect, batch, channels, height, width, side):
        """(B, N, P·P·C) becomes (B, C, H, W), with C from the last axis."""
        count = (height // side) * (width // side)
        patches = probe.randn(batch, count, side * side * channels)
        images = student.unpatchify(patches, side, height, width)
        expect.shape(images, (batch, channels, height, width), what="images")

    @pytest.mark.parametrize(
        ("height", "width", "odd"),
        [(10, W, 10), (H, 11, 11), (2, 2 * P, 2)],
        ids=["height", "width", "as-many-pixels"],
    )
    def test_image_that_does_not_divide(self, student, probe, expect, height, width, odd):
        """If a side is no multiple of patch_size, a ValueError names that side and patch_size."""
        images = probe.randn(1, C, height, width)
        expect.raises(ValueError, student.patchify, images, P, mentions=(str(odd), str(P)))

    @pytest.mark.parametrize(
        ("height", "width", "odd"), [(10, W, 10), (H, 11, 11)], ids=["height", "width"]
    )
    def test_size_that_does_not_divide(self, student, probe, expect, height, width, odd):
        """If height or width is no multiple of patch_size, unpatchify raises such a ValueError."""
        count = (height // P) * (width // P)
        patches = probe.randn(1, count, P * P * C)
        call = (student.unpatchify, patches, P, height, width)
        expect.raises(ValueError, *call, mentions=(str(odd), str(P)))

    @pytest.mark.parametrize(
        ("patches", "height", "width", "wanted"),
        [(N, H, 16, 8), (16, H, W, N)],
        ids=["too-few", "too-many"],
    )
    def test_patches_that_do_not_fill_the_image(
        self, student, probe, expect, patches, height, width, wanted
    ):
        """If N is not the number of patches that the image has, a ValueError names both numbers."""
        given = probe.randn(1, patches, P * P * C)
        call = (student.unpatchify, given, P, height, width)
        expect.raises(ValueError, *call, mentions=(str(patches), str(wanted)))

    def test_non_contiguous_images(self, student, probe, expect):
        """Images with their channels last in memory are as good as others."""
        images = probe.randn(B, H, W, C).permute(0, 3, 1, 2)
        patches = student.patchify(images, P)
        expect.shape(patches, (B, N, P * P * C), what="patches")

    def test_non_contiguous_patches(self, student, probe, expect):
        """Patches that are a transposed view are as good as others."""
        patches = probe.randn(B, P * P * C, N).transpose(1, 2)
        images = student.unpatchify(patches, P, H, W)
        expect.shape(images, (B, C, H, W), what="images")


class TestOutputs:
    @CASES
    def test_every_pixel_is_in_its_place(
        self, student, reference, expect, batch, channels, height, width, side
    ):
        """Patches row by row, and in each patch (row, column, channel)."""
        images = labelled(batch, channels, height, width)
        expect.matches(student.patchify, reference.patchify, images, side)

    @CASES
    def test_every_number_goes_back(
        self, student, reference, expect, batch, channels, height, width, side
    ):
        """unpatchify puts every number where it came from."""
        count = (height // side) * (width // side)
        patches = labelled_patches(batch, count, side * side * channels)
        expect.matches(student.unpatchify, reference.unpatchify, patches, side, height, width)
