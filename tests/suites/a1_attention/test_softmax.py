"""a1.softmax, hidden criteria: numerics, gradients, state.

`softmax_naive` may overflow, `normalise_by_sum` may divide by zero, and a row of nothing but -inf
has no softmax: none of the three is asked for.
"""

import pytest
import torch

from ..expectations import expect_gradient, expect_path_back

VECTOR_FUNCTIONS = ["normalise_by_sum", "softmax_naive", "stable_softmax"]


class TestNumerics:
    @pytest.mark.parametrize("size", [1e4, -1e4], ids=["large", "very-negative"])
    def test_huge_scores(self, student, reference, probe, expect, size):
        """Scores around ±10,000 give the shares that their differences ask for."""
        x = size + probe.randn(3, 5)
        expect.matches(student.stable_softmax, reference.stable_softmax, x)

    def test_each_row_has_its_own_maximum(self, student, reference, probe, expect):
        """A row of very low scores is right beside a row of very high ones."""
        x = probe.randn(3, 5) + torch.tensor([[2000.0], [0.0], [-2000.0]])
        expect.matches(student.stable_softmax, reference.stable_softmax, x)

    def test_minus_infinity_gets_nothing(self, student, reference, probe, expect):
        """An entry of -inf gets the share 0, and the others share the whole."""
        x = probe.randn(4, 6).masked_fill(~probe.mask(4, 6), -torch.inf)
        expect.matches(student.stable_softmax, reference.stable_softmax, x)

    def test_equal_scores(self, student, expect):
        """Equal scores get equal shares, however large they are."""
        x = torch.tensor([[3.0] * 4, [1e4] * 4, [-1e4] * 4], dtype=torch.float64)
        expect.close(student.stable_softmax(x), torch.full((3, 4), 0.25), what="shares")

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, student, probe, expect, dtype):
        """The shares are finite and have the dtype of the scores."""
        x = probe.randn(3, 5, dtype=dtype, scale=10.0)
        shares = student.stable_softmax(x)
        expect.dtype(shares, dtype, what="result")
        expect.floats(shares, (3, 5), what="result")
        expect.finite(shares, what="result")
        expect.close(shares.sum(-1), torch.ones(3), what="sum of each row", atol=2e-2)


class TestGradients:
    @pytest.mark.parametrize("name", VECTOR_FUNCTIONS)
    def test_gradient(self, student, reference, probe, expect, name):
        """The gradient of each of the three functions is right."""
        x = probe.rand(6) + 0.1
        expect.gradients(getattr(student, name), getattr(reference, name), x)

    def test_finite_beside_minus_infinity(self, student, probe, expect):
        """An entry of -inf leaves every gradient finite."""
        x = probe.randn(4, 6).masked_fill(~probe.mask(4, 6), -torch.inf)
        x.requires_grad_()
        shares = student.stable_softmax(x)
        expect.floats(shares, (4, 6), what="result")
        expect.finite(shares, what="result")
        expect_path_back(expect, shares, expected="a gradient for the scores")
        total = (shares * probe.randn(4, 6)).sum()
        (gradient,) = torch.autograd.grad(total, x, materialize_grads=True)
        expect_gradient(expect, gradient, total, expected="shares that depend on the scores")

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On scores drawn for this submission, the gradient along another axis is right."""
        x = probe.randn(3, 4, 5)
        expect.gradients(student.stable_softmax, reference.stable_softmax, x, dim=1)


class TestState:
    @pytest.mark.parametrize("name", VECTOR_FUNCTIONS)
    def test_input_is_not_modified(self, student, probe, expect, name):
        """The scores are the same after the call as before it."""
        shares = expect.unchanged(getattr(student, name), probe.rand(6) + 0.1)
        expect.shape(shares, (6,), what="result")

    @pytest.mark.parametrize("name", VECTOR_FUNCTIONS)
    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect, name):
        """A call gives the same after others, one of them with fewer scores."""
        calls = [expect.call(probe.rand(count) + 0.1) for count in (6, 4, 6)]
        expect.starts_anew(getattr(student, name), *calls)
