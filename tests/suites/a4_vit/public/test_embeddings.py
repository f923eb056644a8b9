"""a4.embeddings, public criteria: shapes, and the tokens of equal weights."""

import pytest
import torch

C, P, D, SIDE = 2, 3, 10, 12
TOKENS = (SIDE // P) ** 2 + 1


def draw(probe, batch=2, dtype=torch.float64):
    return probe.randn(batch, C, SIDE, SIDE, dtype=dtype)


class TestShapes:
    @pytest.mark.parametrize("batch", [1, 2, 5])
    def test_tokens(self, student, probe, expect, batch):
        """(B, C, H, W) becomes (B, 1 + N, D), for one image and for five."""
        embed = student.ViTEmbeddings(C, P, D, SIDE)
        tokens = embed(draw(probe, batch=batch, dtype=torch.float32))
        expect.shape(tokens, (batch, TOKENS, D), what="tokens")

    def test_one_patch(self, student, probe, expect):
        """An image that is one patch has two tokens."""
        embed = student.ViTEmbeddings(1, 4, 6, 4)
        tokens = embed(probe.randn(3, 1, 4, 4, dtype=torch.float32))
        expect.shape(tokens, (3, 2, 6), what="tokens")

    def test_defaults(self, student, probe, expect):
        """Without arguments: 224 × 224 pixels in three channels become 197 tokens of width 768."""
        tokens = student.ViTEmbeddings()(probe.rand(1, 3, 224, 224, dtype=torch.float32))
        expect.shape(tokens, (1, 197, 768), what="tokens")

    @pytest.mark.parametrize(("side", "patch"), [(10, 4), (13, 6)])
    def test_image_size_that_does_not_divide(self, student, expect, side, patch):
        """If img_size is no multiple of patch_size, a ValueError names both."""
        arguments = (student.ViTEmbeddings, C, patch, D, side)
        expect.raises(ValueError, *arguments, mentions=(str(side), str(patch)))

    def test_non_contiguous_images(self, student, probe, expect):
        """Images with their channels last in memory are as good as others."""
        images = probe.randn(2, SIDE, SIDE, C, dtype=torch.float32).permute(0, 3, 1, 2)
        tokens = student.ViTEmbeddings(C, P, D, SIDE)(images)
        expect.shape(tokens, (2, TOKENS, D), what="tokens")


class TestOutputs:
    @pytest.mark.parametrize("batch", [1, 5])
    def test_same_weights_same_tokens(self, probe, expect, batch):
        """With the same weights, the tokens are the reference's."""
        pair = probe.pair("ViTEmbeddings", C, P, D, SIDE)
        expect.matches(pair.student, pair.reference, draw(probe, batch=batch))
