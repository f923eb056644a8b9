"""a4.patch_embedding, hidden criteria: patches, state, numerics, gradients.

Only the student's own numbers are compared with each other: which layers make them is free.
"""

import pytest
import torch

from .. import proofs, reasons
from ..expectations import expect_path_back, expect_same_again

C, P, D = 3, 4, 10


def embed_tokens(expect, embed, images, side=P, width=D):
    """Call the student's module; there is one token for each patch, or the check ends."""
    tokens = embed(images)
    batch, _, height, columns = images.shape
    patches = (height // side) * (columns // side)
    expect.floats(tokens, (batch, patches, width), what="tokens")
    return tokens


def affine(probe, expect, embed, shape, side):
    """Return the weights K (pixels, N, D) and the tokens b (N, D) of a black image."""
    return probe.affine(lambda images: expect_answer(expect, embed, images, side), shape)


def expect_answer(expect, embed, images, side=P):
    """Return the tokens of images. The same images give them again, and not every image the same,
    or the check ends: what does not come from the pixels proves nothing."""
    tokens = embed_tokens(expect, embed, images, side)
    expect_same_again(
        expect,
        embed_tokens,
        embed,
        images,
        side,
        answer=tokens,
        what="tokens of the same images once more",
    )
    expect.true(
        bool((tokens[1:] - tokens[0]).abs().amax() > 1e-6),
        observed="the tokens do not depend on the image",
        expected="other tokens for other images",
    )
    return tokens


def by_weights(kernel, black, images):
    """Return what a linear map of those weights makes of images."""
    return torch.einsum("bp,pnd->bnd", images.flatten(1), kernel) + black


class TestPatches:
    def test_tall_image(self, probe, expect):
        """In an image of one column of patches, token n is the n-th patch from the top."""
        embed = probe.module("PatchEmbedding", 2, 3, D)
        kernel, _ = affine(probe, expect, embed, (2, 9, 3), 3)
        seen = kernel.abs().amax(-1).reshape(2, 3, 9, 3).amax(dim=(0, 2)) > 1e-9  # rows N
        expect.true(
            torch.equal(seen, torch.eye(3, dtype=torch.bool)),
            observed=f"rows of patches reach tokens {seen.int().tolist()}",
            expected="row n of patches reaches token n alone",
        )

    def test_every_weight_is_its_own(self, probe, expect):
        """Each pixel and each channel of a patch has a weight of its own in every feature."""
        embed = probe.module("PatchEmbedding", C, P, D)
        kernel, _ = affine(probe, expect, embed, (C, P, P), P)
        weights = kernel[:, 0].sort(dim=0).values  # C·P·P D
        expect.true(
            weights.diff(dim=0).min().item() > 1e-9,
            observed="two numbers of a patch always count the same (averaged or added up first)",
            expected="different weights for all pixels and channels",
        )
        rank = torch.linalg.matrix_rank(kernel[:, 0], rtol=1e-6).item()
        expect.true(
            rank == D,
            observed=f"the {D} features are {rank} different ones",
            expected="features that are independent of each other",
        )

    def test_no_nonlinearity(self, probe, expect):
        """The tokens of an image are a linear map of its pixels, and a bias."""
        embed = probe.module("PatchEmbedding", C, P, D)
        kernel, black = affine(probe, expect, embed, (C, 8, 12), P)
        images = probe.randn(2, C, 8, 12)
        tokens = embed_tokens(expect, embed, images)
        expect.close(
            tokens,
            by_weights(kernel, black, images),
            what="tokens",
            atol=1e-5,
            why=lambda: proofs.not_affine(lambda some: embed_tokens(expect, embed, some), images),
        )
        expect.true(
            bool((black.abs() > 1e-9).all()),
            observed="a black image gives zeros",
            expected="a bias in every feature",
            why=lambda: None if bool(black.any()) else reasons.WITHOUT_BIAS,
        )

    def test_samples_stay_apart(self, probe, expect):
        """No image of a batch changes the tokens of another."""
        embed = probe.module("PatchEmbedding", C, P, D)
        images = probe.randn(3, C, 8, 12)
        expect_answer(expect, embed, -images)
        together = embed_tokens(expect, embed, images)
        alone = torch.cat([embed_tokens(expect, embed.apart, image[None]) for image in images])
        expect.close(alone, together, what="tokens", atol=1e-5)

    @pytest.mark.fresh
    def test_tokens_of_a_new_draw(self, probe, expect):
        """On an image drawn for this submission, every token is the same map of its own patch."""
        embed = probe.module("PatchEmbedding", C, P, D)
        kernel, black = affine(probe, expect, embed, (C, P, P), P)
        images = probe.randn(2, C, 8, 12)
        tokens = embed_tokens(expect, embed, images)
        grid = images.reshape(2, C, 2, P, 3, P).permute(0, 2, 4, 1, 3, 5)  # B 2 3 C P P
        wanted = by_weights(kernel, black, grid.reshape(12, C, P, P)).reshape(2, 6, D)
        expect.close(tokens, wanted, what="tokens", atol=1e-5)


class TestState:
    def test_number_of_parameters(self, student, expect):
        """There are P · P · C weights and one bias for each feature, and nothing else."""
        parameters = student.PatchEmbedding(C, P, D).parameters()
        count, expected = sum(parameter.numel() for parameter in parameters), D * (C * P * P + 1)
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_images_are_not_modified(self, probe, expect):
        """The images are the same after the call as before it."""
        embed = probe.module("PatchEmbedding", C, P, D)
        tokens = expect.unchanged(embed, probe.randn(2, C, 8, 12))
        expect.shape(tokens, (2, 6, D), what="tokens")

    def test_weight_is_not_modified(self, student, probe, expect):
        """The weight handed to conv_weight_from_linear is the same after the call as before it."""
        found = expect.unchanged(student.conv_weight_from_linear, probe.randn(D, 12), 3, 2)
        expect.shape(found, (D, 3, 2, 2), what="weight")

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module("PatchEmbedding", C, P, D), probe.randn(2, C, 8, 12))

    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after another one, with weights of another size."""
        calls = [expect.call(probe.randn(D, side * side * C), C, side) for side in (P, P - 1, P)]
        expect.starts_anew(student.conv_weight_from_linear, *calls)


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the tokens are finite and have that dtype."""
        embed = probe.module("PatchEmbedding", C, P, D, dtype=dtype)
        tokens = expect_answer(expect, embed, probe.randn(2, C, 8, 12, dtype=dtype))
        expect.dtype(tokens, dtype, what="tokens")
        expect.finite(tokens, what="tokens")


class TestGradients:
    def test_gradient_of_the_image(self, probe, expect):
        """The gradient tells how the tokens change when a pixel moves."""
        embed = probe.module("PatchEmbedding", C, P, D)
        images, probed = probe.randn(1, C, 8, 12).requires_grad_(), probe.randn(1, 6, D)
        tokens = embed_tokens(expect, embed, images)
        expect_path_back(expect, tokens, expected="a gradient for the images")
        total = (tokens * probed).sum()
        (gradient,) = torch.autograd.grad(total, images, materialize_grads=True)
        expect.true(
            gradient.abs().max().item() > 1e-9,
            observed="a gradient of zero",
            expected="tokens that depend on the images",
            why=lambda: reasons.NO_GRADIENT,
        )
        direction = probe.randn(1, C, 8, 12)
        with torch.no_grad():
            moved = (embed_tokens(expect, embed, images + direction) * probed).sum()
        expect.close((gradient * direction).sum(), moved - total, what="slope", atol=1e-4)

    def test_every_parameter_learns(self, probe, expect):
        """Every parameter gets a gradient that is not zero."""
        embed = probe.module("PatchEmbedding", C, P, D)
        parameters = {n: p for n, p in embed.named_parameters() if p.requires_grad}
        expect.true(parameters, observed="no parameters", expected="parameters that learn")
        tokens = embed_tokens(expect, embed, probe.randn(2, C, 8, 12))
        expect_path_back(expect, tokens, expected="a gradient for every parameter")
        total = (tokens * probe.randn(2, 6, D)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        for name, gradient in zip(parameters, gradients, strict=True):
            expect.true(
                gradient.abs().max().item() > 1e-6,
                observed=f"{name} gets no gradient",
                expected="a gradient for every parameter",
                why=lambda: reasons.NO_GRADIENT,
            )

    def test_gradient_of_the_conversion(self, student, reference, probe, expect):
        """A gradient of the converted weight reaches the weight that was converted."""
        weight = probe.randn(D, 12)
        expect.gradients(
            student.conv_weight_from_linear, reference.conv_weight_from_linear, weight, 3, 2
        )
