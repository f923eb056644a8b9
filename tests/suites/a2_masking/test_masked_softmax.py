"""a2.masked_softmax, hidden criteria: masking, numerics, gradients, state.

Checks of masking look at which keys get weight and never at how much. -1e9 for -inf costs
`numerics` and nothing else.
"""

import pytest
import torch

from .. import proofs, reasons
from ..expectations import expect_gradient, expect_path_back

B, H, S, L = 2, 3, 4, 7
BOTH = pytest.mark.parametrize("name", ["mask_then_renormalise", "masked_softmax"])


def given(probe, name, *shape, dtype=torch.float64):
    """Return what the function of that name takes: weights for the one, scores for the other."""
    scores = probe.randn(*shape)
    return (scores.softmax(-1) if name == "mask_then_renormalise" else scores).to(dtype)


def masked(student, expect, name, x, mask):
    """Call the student's function; the weights have the right shape or the check ends."""
    weights = getattr(student, name)(x, mask)
    expect.floats(weights, x.shape, what="weights")
    return weights


def expect_pattern(expect, weights, allowed, why=None):
    """Forbidden keys have no weight, allowed keys have some."""
    forbidden = weights[~allowed]
    nothing = torch.zeros_like(forbidden)
    expect.close(forbidden, nothing, what="weight of a forbidden key", why=why)
    expect.true(
        bool((weights[allowed] > 0).all()),
        observed="a key that may be attended to gets no weight",
        expected="some weight for every key that may be attended to",
    )


def with_empty_row(probe):
    """Return a mask that leaves the second row no key, and every other row some and not all."""
    allowed = probe.mask(S, L)
    allowed[:, 0] = False  # no row allows everything, so that an inverted mask makes no NaN
    allowed[:, 1] = True
    allowed[1] = False
    return allowed


def expect_weights_gradient(expect, weights, x, probed):
    """The gradient of what came in is finite, and not zero."""
    total = (weights * probed).sum()
    (gradient,) = torch.autograd.grad(total, x, materialize_grads=True)
    expect_gradient(expect, gradient, total, expected="weights that depend on what came in")


class TestMasking:
    @BOTH
    @pytest.mark.parametrize(
        ("shape", "mask"),
        [((B, S, L), (B, S, L)), ((B, S, L), (S, L)), ((B, H, S, L), (B, 1, 1, L))],
        ids=["per-sample", "shared", "over-heads"],
    )
    def test_forbidden_keys_get_no_weight(self, student, probe, expect, name, shape, mask):
        """A key that may not be attended to gets no weight, and every other key gets some."""
        allowed = probe.mask(*mask)
        weights = masked(student, expect, name, given(probe, name, *shape), allowed)
        expect_pattern(expect, weights, allowed.expand(shape))

    @BOTH
    def test_rows_are_queries(self, student, probe, expect, name):
        """In a square mask the rows are queries and the columns are keys."""
        allowed = torch.ones(L, L, dtype=torch.bool).tril()
        weights = masked(student, expect, name, given(probe, name, B, L, L), allowed)
        expect_pattern(expect, weights, allowed.expand(B, L, L))

    @BOTH
    def test_ones_and_zeros(self, student, probe, expect, name):
        """A triangle of ones and zeros, in float32, hides what the bool triangle hides."""
        triangle = torch.ones(L, L).tril()
        x = given(probe, name, B, L, L, dtype=torch.float32)
        weights = masked(student, expect, name, x, triangle)
        expect_pattern(expect, weights, (triangle > 0).expand(B, L, L))

    def test_low_scores(self, student, probe, expect):
        """A forbidden key gets no weight, even where all allowed scores are very low."""
        allowed = probe.mask(B, S, L)
        scores = probe.randn(B, S, L) - 350.0  # a fill of -100 would win
        weights = masked(student, expect, "masked_softmax", scores, allowed)
        expect_pattern(expect, weights, allowed)


class TestNumerics:
    @BOTH
    def test_row_without_any_key(self, student, probe, expect, name):
        """A row in which nothing is allowed becomes a row of zeros, and only that row."""
        allowed = with_empty_row(probe)
        weights = masked(student, expect, name, given(probe, name, B, S, L), allowed)
        expect.finite(weights, what="weights")
        expect.close(weights[:, 1], torch.zeros(B, L), what="weights of that row")
        others = torch.tensor([0, 2, 3])
        sums = weights[:, others].sum(-1)
        expect.close(sums, torch.ones(B, 3), what="sum of every other row", atol=1e-6)

    def test_column_without_any_key(self, student, probe, expect):
        """Along another axis, too, nothing allowed gives zeros."""
        allowed = with_empty_row(probe).T  # L S
        scores = probe.randn(B, L, S)
        weights = student.masked_softmax(scores, allowed, dim=-2)
        expect.floats(weights, (B, L, S), what="weights")
        sums = torch.ones(B, S).index_fill(1, torch.tensor([1]), 0.0)

        def why():
            turned = student.masked_softmax(scores.mT, allowed.T, dim=-1)
            expect.floats(turned, (B, S, L), what="weights")
            return proofs.along_a_fixed_axis(weights, turned.mT)

        expect.close(weights.sum(-2), sums, what="sum of each column", atol=1e-6, why=why)

    @pytest.mark.parametrize("dim", [-2, 1], ids=["keys", "matrix"])
    def test_mask_of_fewer_axes(self, student, reference, probe, expect, dim):
        """`dim` is an axis of the scores, also where the mask has fewer axes."""
        # Along `dim` something is always left: what becomes of nothing is asked elsewhere.
        allowed = torch.ones(S, dtype=torch.bool)
        if dim == 1:
            allowed = probe.mask(S, L).T.clone()  # L S
            allowed[1], allowed[2] = False, True
        scores = probe.randn(B, L, S)
        expect.matches(student.masked_softmax, reference.masked_softmax, scores, allowed, dim=dim)

    def test_nothing_left(self, student, expect):
        """A row whose allowed weights are all 0 becomes a row of zeros."""
        weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
        mask = torch.tensor([False, True, True]).expand(2, 3)
        renormalised = student.mask_then_renormalise(weights, mask)
        wanted = torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
        expect.close(renormalised, wanted, what="weights")

    @pytest.mark.parametrize("size", [1e-9, 1e-15])
    def test_little_left(self, student, expect, size):
        """However little the allowed weights add up to, the row adds up to 1 afterwards."""
        weights = torch.tensor([[1 - 4 * size, size, 3 * size]], dtype=torch.float64)
        mask = torch.tensor([[False, True, True]])
        renormalised = student.mask_then_renormalise(weights, mask)
        wanted = torch.tensor([[0.0, 0.25, 0.75]], dtype=torch.float64)
        expect.close(renormalised, wanted, what="weights", atol=1e-6)

    @pytest.mark.parametrize("size", [1e4, -1e4], ids=["large", "very-negative"])
    def test_huge_scores(self, student, reference, probe, expect, size):
        """Scores around ±10,000 give the weights that their differences ask for, also beside hidden
        ones that are larger by 10,000."""
        usual, mask = size + probe.randn(B, S, L), probe.mask(B, S, L)
        scores = usual + 1e4 * ~mask
        filled = mask.any(-1)  # B S

        def why():
            whole = student.masked_softmax(usual, torch.ones_like(mask)).sum(-1)
            beside_low = student.masked_softmax(usual - 1e4 * ~mask, mask).sum(-1)[filled]
            is_lost = bool((beside_low < 0.5).all() and (whole > 0.5).all())
            return reasons.LOST_TO_A_NUMBER if is_lost else None

        weights = student.masked_softmax(scores, mask)
        expect.floats(weights, scores.shape, what="weights")
        expect.true(
            not bool((weights.sum(-1)[filled] < 0.5).any()),
            observed="weights add up to less than a half in a row in which something is allowed",
            expected="weights that add up to 1",
            why=why,
        )
        expect.matches(student.masked_softmax, reference.masked_softmax, scores, mask)

    @BOTH
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, student, reference, probe, expect, name, dtype):
        """In half precision the weights are right, and in half precision."""
        x, mask = given(probe, name, B, S, L, dtype=dtype), probe.mask(B, S, L)
        expect.matches(getattr(student, name), getattr(reference, name), x, mask)

    def test_dtype_is_that_of_the_weights(self, student, reference, probe, expect):
        """Weights in half precision stay so beside a triangle of ones and zeros in float32."""
        x = given(probe, "mask_then_renormalise", B, L, L, dtype=torch.float16)
        renormalise = reference.mask_then_renormalise
        expect.matches(student.mask_then_renormalise, renormalise, x, torch.ones(L, L).tril())


class TestGradients:
    @BOTH
    def test_finite_beside_a_row_without_any_key(self, student, probe, expect, name):
        """A row in which nothing is allowed leaves every gradient finite."""
        x = given(probe, name, B, S, L).requires_grad_()
        # Not the leaf itself: what changes it in place loses its points in `state` alone.
        weights = masked(student, expect, name, x * 1, with_empty_row(probe))
        expect_path_back(expect, weights, expected="a gradient for what came in")
        expect.true(
            bool((weights - x).abs().max() > 1e-3),
            observed="what came in is returned",
            expected="weights in which keys are hidden",
        )
        expect_weights_gradient(expect, weights, x, probe.randn(B, S, L))

    def test_finite_where_nothing_is_left(self, student, probe, expect):
        """A row whose allowed weights are all 0 leaves every gradient finite."""
        x = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]).requires_grad_()
        mask = torch.tensor([False, True, True]).expand(2, 3)
        weights = masked(student, expect, "mask_then_renormalise", x * 1, mask)
        expect_path_back(expect, weights, expected="a gradient for the weights")
        expect.close(weights[1, 1:], torch.tensor([0.5, 0.5]), what="weights of the other row")
        expect_weights_gradient(expect, weights, x, probe.randn(2, 3))

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, the gradients of both functions are right."""
        for name in ("mask_then_renormalise", "masked_softmax"):
            x, mask = given(probe, name, B, S, L), probe.mask(B, S, L)
            expect.gradients(getattr(student, name), getattr(reference, name), x, mask)


class TestState:
    @BOTH
    def test_inputs_are_not_modified(self, student, probe, expect, name):
        """What comes in, the mask included, is the same after the call as before it."""
        mask = probe.mask(B, S, L)
        mask[0, 0] = False  # a row without any key: some open it for the softmax
        expect.unchanged(getattr(student, name), given(probe, name, B, S, L), mask)

    @BOTH
    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect, name):
        """A call gives the same after others, one of them of other sizes, each with its mask."""
        last = with_empty_row(probe)
        expect.starts_anew(
            getattr(student, name),
            expect.call(given(probe, name, B, S, L), probe.mask(B, S, L)),
            expect.call(given(probe, name, L, S), probe.mask(L, S)),
            expect.call(given(probe, name, B, S, L), last.expand(B, S, L)),
        )
