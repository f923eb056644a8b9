"""a1.simple, hidden criteria: structure, numerics, gradients, state.

Checks of structure look at a student's own weights and context, and never at the scale of the
scores.
"""

import pytest
import torch

B, T, D = 3, 5, 4


def attend(student, expect, x):
    """Call the student's function; context and weights have the right shapes or the check ends."""
    result = student.simple_self_attention(x)
    context, weights = expect.items(result, 2, what="result")
    expect.floats(context, x.shape, what="context")
    expect.floats(weights, (*x.shape[:-1], x.shape[-2]), what="weights")
    return context, weights


def draw(probe):
    """Return tokens in float32: whoever computes in float32 loses nothing here."""
    return probe.randn(B, T, D, dtype=torch.float32)


def expect_choice(expect, weights):
    """Some weights are larger than others, or the check ends: where nothing is chosen, nothing
    is proven."""
    expect.true(
        weights.std().item() > 1e-3,
        observed="all weights are alike",
        expected="more weight where tokens are more alike",
    )


class TestStructure:
    def test_rows_add_up(self, student, probe, expect):
        """Every token hands out a total weight of 1, and none of its weights is negative."""
        _, weights = attend(student, expect, draw(probe))
        expect.close(weights.sum(-1), torch.ones(B, T), what="sum of each row", atol=1e-6)
        expect_choice(expect, weights)
        expect.true(
            weights.min().item() >= 0, observed="a negative weight", expected="no negative weight"
        )

    def test_context_is_made_of_the_weights(self, student, probe, expect):
        """Each context vector is the mixture that its own row of weights says."""
        x = draw(probe)
        context, weights = attend(student, expect, x)
        expect_choice(expect, weights)
        expect.close(context, weights.to(x.dtype) @ x, what="context", atol=1e-5)

    def test_order_of_the_tokens(self, student, probe, expect):
        """Tokens in another order get the same context vectors, in that order."""
        x = draw(probe)
        order = torch.tensor([3, 0, 4, 1, 2])
        context, weights = attend(student, expect, x)
        expect_choice(expect, weights)
        shuffled, shuffled_weights = attend(student.apart, expect, x[:, order])
        expect.close(shuffled, context[:, order], what="context of shuffled tokens", atol=1e-5)
        moved = weights[:, order][:, :, order]
        expect.close(shuffled_weights, moved, what="weights of shuffled tokens", atol=1e-5)

    def test_samples_keep_to_themselves(self, student, probe, expect):
        """A sample gives alone what it gives in a batch."""
        x = draw(probe)
        context, weights = attend(student, expect, x)
        expect.true(
            bool((weights[1:] - weights[:1]).abs().max() > 1e-3),
            observed="all samples get the same weights",
            expected="weights that depend on the sample's own tokens",
        )
        for sample in range(B):
            alone, own_weights = attend(student.apart, expect, x[sample : sample + 1])
            expect.close(alone[0], context[sample], what="context of a sample alone", atol=1e-5)
            expect.close(own_weights[0], weights[sample], what="weights of it", atol=1e-5)


class TestNumerics:
    def test_huge_scores(self, student, reference, probe, expect):
        """Long tokens beside short ones, with scores up to ten thousand, give the right weights."""
        x = probe.randn(B, T, D) * torch.tensor([50.0, 1.0, 0.1, 1.0, 50.0]).unsqueeze(-1)
        expect.matches(student.simple_self_attention, reference.simple_self_attention, x)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_that_of_the_values(self, student, reference, probe, expect, dtype):
        """Weights and values in half precision give a context vector in half precision."""
        weights, values = probe.rand(T, dtype=dtype), probe.randn(T, D, dtype=dtype)
        expect.matches(student.context_vector, reference.context_vector, weights, values)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, student, reference, probe, expect, dtype):
        """Tokens in half precision give context and weights in half precision."""
        x = probe.randn(B, T, D, dtype=dtype)
        expect.matches(student.simple_self_attention, reference.simple_self_attention, x)


class TestGradients:
    def test_gradient_of_the_weighted_sum(self, student, reference, probe, expect):
        """The gradients of weights and values are right."""
        weights, values = probe.rand(T), probe.randn(T, D)
        expect.gradients(student.context_vector, reference.context_vector, weights, values)

    @pytest.mark.fresh
    def test_gradient_of_a_new_draw(self, student, reference, probe, expect):
        """On tokens drawn for this submission, the gradient is right."""
        x = probe.randn(B, T, D)
        expect.gradients(student.simple_self_attention, reference.simple_self_attention, x)


class TestState:
    def test_weights_and_values_are_not_modified(self, student, probe, expect):
        """Weights and values are the same after the call as before it."""
        expect.unchanged(student.context_vector, probe.rand(T), probe.randn(T, D))

    def test_tokens_are_not_modified(self, student, probe, expect):
        """The tokens are the same after the call as before it."""
        expect.unchanged(student.simple_self_attention, draw(probe))
