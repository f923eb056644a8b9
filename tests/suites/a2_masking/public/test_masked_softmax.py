"""a2.masked_softmax, public criteria: shapes and values."""

import pytest
import torch

B, H, S, L = 2, 3, 4, 7
BOTH = pytest.mark.parametrize("name", ["mask_then_renormalise", "masked_softmax"])


def given(probe, name, *shape, scale=1.0):
    """Return what the function of that name takes: weights for the one, scores for the other."""
    scores = probe.randn(*shape, scale=scale)
    return scores.softmax(-1) if name == "mask_then_renormalise" else scores


class TestShapes:
    @BOTH
    @pytest.mark.parametrize(
        ("shape", "mask"),
        [
            ((B, S, L), (B, S, L)),
            ((S, L), (S, L)),
            ((B, H, S, L), (B, 1, 1, L)),
            ((1, 1, 1), (1, 1)),
        ],
        ids=["batch", "no-batch", "over-heads", "one-of-everything"],
    )
    def test_weights(self, student, probe, expect, name, shape, mask):
        """Weights have the shape of what came in, however small the mask is."""
        weights = getattr(student, name)(given(probe, name, *shape), probe.mask(*mask))
        expect.shape(weights, shape, what="weights")

    @BOTH
    def test_non_contiguous_inputs(self, student, probe, expect, name):
        """Transposed views are as good as contiguous tensors."""
        x, mask = given(probe, name, S, L, B), probe.mask(L, S)
        weights = getattr(student, name)(x.permute(2, 0, 1), mask.T)
        expect.shape(weights, (B, S, L), what="weights")


class TestOutputs:
    @BOTH
    def test_triangle(self, student, reference, probe, expect, name):
        """Under a causal mask, each row adds up to 1 again."""
        x = given(probe, name, B, 5, 5)
        mask = torch.ones(5, 5, dtype=torch.bool).tril()
        expect.matches(getattr(student, name), getattr(reference, name), x, mask)

    @BOTH
    @pytest.mark.parametrize(
        ("shape", "mask"),
        [((B, S, L), (B, S, L)), ((B, H, S, L), (B, 1, 1, L))],
        ids=["per-sample", "over-heads"],
    )
    def test_drawn_mask(self, student, reference, probe, expect, name, shape, mask):
        """Hidden keys get nothing, and the others share the whole as they did before."""
        x, drawn = given(probe, name, *shape), probe.mask(*mask)
        expect.matches(getattr(student, name), getattr(reference, name), x, drawn)

    def test_large_scores(self, student, reference, probe, expect):
        """Weights are right when one key wins almost all of it."""
        scores, mask = probe.randn(B, S, L, scale=6.0), probe.mask(B, S, L)
        expect.matches(student.masked_softmax, reference.masked_softmax, scores, mask)

    @pytest.mark.parametrize("dim", [0, -2])
    def test_other_axes(self, student, reference, probe, expect, dim):
        """With `dim`, the allowed entries along that axis add up to 1."""
        mask = probe.mask(4, 4, 4).movedim(-1, dim)
        scores = probe.randn(4, 4, 4)
        expect.matches(student.masked_softmax, reference.masked_softmax, scores, mask, dim=dim)
