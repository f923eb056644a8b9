"""a4.patch_embedding, public criteria: shapes, outputs, conversion.

A patch embedding is affine: out = image · K + b. K is read off one image for each pixel, whatever
layers compute it, so that a convolution, a Linear or a loop are judged alike.
"""

import pytest
import torch
from torch.nn import functional as F

C, P, D = 3, 4, 10


def expect_tokens(expect, tokens, batch, patches, width=D):
    """There is one token for each patch, or the check ends."""
    shape = tuple(tokens.shape) if isinstance(tokens, torch.Tensor) else None
    expect.true(
        shape != (batch, patches + 1, width),
        observed=f"{patches + 1} tokens for {patches} patches",
        expected="one token for each patch: the class token and the positions belong to "
        "ViTEmbeddings (exercise a4.embeddings), which uses this class",
    )
    expect.floats(tokens, (batch, patches, width), what="tokens")


def affine(probe, expect, embed, channels, height, width, side, emb_size):
    """Return K (pixels, N, D), with pixels ordered as (C, H, W), and the tokens b of a black image.

    Pixels inside and outside each patch are the caller's to judge.
    """

    def tokens_of(images):
        tokens = embed(images)
        patches = (height // side) * (width // side)
        expect_tokens(expect, tokens, len(images), patches, emb_size)
        return tokens

    return probe.affine(tokens_of, (channels, height, width))


def patch_numbers(channels, height, width, side):
    """Return for each pixel, ordered as (C, H, W), the number of its patch, row by row."""
    rows = torch.arange(height).div(side, rounding_mode="floor")[:, None]
    columns = torch.arange(width).div(side, rounding_mode="floor")
    return (rows * (width // side) + columns).expand(channels, height, width).flatten()


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "height", "width"),
        [(2, 8, 12), (1, 4, 4)],
        ids=["usual", "one-patch"],
    )
    def test_tokens(self, student, probe, expect, batch, height, width):
        """(B, C, H, W) becomes (B, N, D), one token for each patch."""
        embed = student.PatchEmbedding(C, P, D)
        tokens = embed(probe.randn(batch, C, height, width, dtype=torch.float32))
        expect_tokens(expect, tokens, batch, height * width // P**2)

    def test_large_image(self, student, probe, expect):
        """An image of 224 × 224 in four patches has four tokens, no class token among them."""
        embed = student.PatchEmbedding(1, 112, 2)
        tokens = embed(probe.randn(1, 1, 224, 224, dtype=torch.float32))
        expect_tokens(expect, tokens, 1, 4, 2)

    def test_defaults(self, student, probe, expect):
        """Without arguments: three channels, patches of 16 × 16, tokens of width 768."""
        tokens = student.PatchEmbedding()(probe.randn(1, 3, 32, 16, dtype=torch.float32))
        expect_tokens(expect, tokens, 1, 2, 768)

    @pytest.mark.parametrize(
        ("height", "width", "odd"), [(10, 8, 10), (8, 11, 11)], ids=["height", "width"]
    )
    def test_image_that_does_not_divide(self, student, probe, expect, height, width, odd):
        """If a side is no multiple of patch_size, a ValueError names that side and patch_size."""
        embed = student.PatchEmbedding(C, P, D)
        images = probe.randn(1, C, height, width, dtype=torch.float32)
        expect.raises(ValueError, embed, images, mentions=(str(odd), str(P)))

    def test_non_contiguous_images(self, student, probe, expect):
        """Images with their channels last in memory are as good as others."""
        embed = student.PatchEmbedding(C, P, D)
        images = probe.randn(2, 8, 12, C, dtype=torch.float32).permute(0, 3, 1, 2)
        expect_tokens(expect, embed(images), 2, 6)


class TestOutputs:
    @pytest.mark.parametrize(("height", "width"), [(8, 8), (8, 12)], ids=["square", "wide"])
    def test_each_token_sees_its_patch(self, probe, expect, height, width):
        """Token n depends on every pixel and channel of patch n, row by row, and on no other."""
        embed = probe.module("PatchEmbedding", C, P, D)
        kernel, _ = affine(probe, expect, embed, C, height, width, P, D)
        patches = patch_numbers(C, height, width, P)
        own = patches[:, None] == torch.arange(height * width // P**2)  # pixels N
        seen = kernel.abs().amax(-1) > 1e-9  # pixels N
        stray = (seen & ~own).nonzero()
        if len(stray):
            pixel, token = stray[0].tolist()
            seen_patch = int(patches[pixel])
            expect.true(
                False,
                observed=f"token {token} depends on pixels of patch {seen_patch}",
                expected=f"token {token} depends on patch {token} alone, counted row by row",
            )
        expect.true(
            bool(seen[own].all()),
            observed="a pixel reaches no token",
            expected="every pixel and every channel counts in the token of its patch",
        )

    def test_same_map_for_every_patch(self, probe, expect):
        """Every patch goes through the same weights and gets the same bias."""
        embed = probe.module("PatchEmbedding", C, P, D)
        kernel, black = affine(probe, expect, embed, C, 8, 12, P, D)
        patches = patch_numbers(C, 8, 12, P)
        expect.true(
            bool(kernel.abs().amax() > 1e-9),
            observed="the tokens do not depend on the image",
            expected="tokens made of the pixels",
        )
        maps = torch.stack([kernel[patches == n, n] for n in range(6)])  # N C·P·P D
        expect.close(maps, maps[:1].expand_as(maps), what="weights of each patch")
        expect.close(black, black[:1].expand_as(black), what="token of a black patch")


class TestConversion:
    @pytest.mark.parametrize(("channels", "side"), [(3, 4), (2, 2)])
    def test_values(self, student, reference, probe, expect, channels, side):
        """Each number is found at its channel, row and column."""
        weight = probe.randn(D, side * side * channels)
        expect.matches(
            student.conv_weight_from_linear,
            reference.conv_weight_from_linear,
            weight,
            channels,
            side,
        )

    def test_convolution_equals_linear(self, student, probe, expect):
        """Convolving with the result gives what the Linear gives for a flattened patch."""
        weight, patch = probe.randn(D, P * P * C), probe.randn(P, P, C)
        kernel = student.conv_weight_from_linear(weight, C, P)
        expect.floats(kernel, (D, C, P, P), what="weight")
        by_convolution = F.conv2d(patch.permute(2, 0, 1)[None], kernel.double()).flatten()
        expect.close(by_convolution, weight @ patch.flatten(), what="token of one patch")
