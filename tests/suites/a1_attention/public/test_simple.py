"""a1.simple, public criteria: shapes and values."""

import pytest
import torch

B, T, D = 3, 5, 4


def attend(student, expect, x):
    """Call the student's function; context and weights have the right shapes or the check ends."""
    context, weights = expect.items(student.simple_self_attention(x), 2, what="result")
    expect.floats(context, x.shape, what="context")
    expect.floats(weights, (*x.shape[:-1], x.shape[-2]), what="weights")


class TestShapes:
    def test_one_context_vector(self, student, probe, expect):
        """T weights and (T, D) values become one vector of D numbers."""
        context = student.context_vector(probe.rand(T), probe.randn(T, D))
        expect.shape(context, (D,), what="context vector")

    @pytest.mark.parametrize(
        "shape", [(B, T, D), (T, D), (1, 1, D)], ids=["batch", "no-batch", "one-of-everything"]
    )
    def test_all_context_vectors(self, student, probe, expect, shape):
        """Context has the shape of the tokens, and weights are (…, T, T)."""
        attend(student, expect, probe.randn(*shape, dtype=torch.float32))

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        x = probe.randn(B, D, T, dtype=torch.float32).transpose(1, 2)
        attend(student, expect, x)


class TestOutputs:
    @pytest.mark.parametrize("tokens", [T, D, 1], ids=["usual", "square", "one-token"])
    def test_weighted_sum(self, student, reference, probe, expect, tokens):
        """A context vector is the sum of all values, each times its weight."""
        weights, values = probe.rand(tokens), probe.randn(tokens, D)
        expect.matches(student.context_vector, reference.context_vector, weights, values)

    @pytest.mark.parametrize(
        "shape", [(B, T, D), (T, D), (4, 4, 4)], ids=["batch", "no-batch", "all-alike"]
    )
    def test_context_and_weights(self, student, reference, probe, expect, shape):
        """Context and weights are those of softmax(X Xᵀ) X, without a scale."""
        x = probe.randn(*shape)
        expect.matches(student.simple_self_attention, reference.simple_self_attention, x)
