"""a4.mlp, public criteria: shapes and values."""

import pytest
import torch
from torch.nn import functional as F

D = 10
SHAPES = [(2, 5, D), (1, 1, D), (D,), (2, 3, 4, D)]
IDS = ["usual", "one-token", "one-vector", "two-leading-axes"]


class TestShapes:
    @pytest.mark.parametrize("shape", SHAPES, ids=IDS)
    def test_residual(self, student, probe, expect, shape):
        """ResidualAdd keeps the shape, whatever it is."""
        residual = student.ResidualAdd(student.nn.Linear(D, D))
        expect.shape(residual(probe.randn(*shape, dtype=torch.float32)), shape)

    @pytest.mark.parametrize("shape", SHAPES, ids=IDS)
    def test_feed_forward(self, student, probe, expect, shape):
        """FeedForward keeps the shape, whatever it is."""
        mlp = student.FeedForward(D)
        expect.shape(mlp(probe.randn(*shape, dtype=torch.float32)), shape)

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        x = probe.randn(2, D, 5, dtype=torch.float32).transpose(1, 2)
        expect.shape(student.FeedForward(D)(x), (2, 5, D))
        expect.shape(student.ResidualAdd(student.nn.Linear(D, D))(x), (2, 5, D))


class TestOutputs:
    def test_residual_of_a_function(self, student, probe, expect):
        """ResidualAdd(fn) gives x + fn(x)."""
        x = probe.randn(2, 5, D)

        def fn(x):
            expect.floats(x, (2, 5, D), what="what fn is called with")
            return torch.sin(3 * x)

        expect.close(student.ResidualAdd(fn)(x), x + torch.sin(3 * x))

    def test_residual_of_a_module(self, student, probe, expect):
        """So it does if fn is a Module."""
        layer = student.nn.Linear(D, D).double()
        weights = dict(layer.named_parameters())
        x = probe.randn(2, 5, D)
        expected = x + F.linear(x, weights["weight"], weights["bias"])
        expect.close(student.ResidualAdd(layer)(x), expected)

    @pytest.mark.parametrize(
        ("width", "expansion"), [(D, 4), (7, 3), (6, 1)], ids=["usual", "by-three", "no-wider"]
    )
    def test_same_weights_same_output(self, probe, expect, width, expansion):
        """With the same weights, FeedForward gives what the reference's gives."""
        pair = probe.pair("FeedForward", width, expansion=expansion)
        expect.matches(pair.student, pair.reference, probe.randn(2, 5, width))

    def test_large_numbers(self, probe, expect):
        """So it does where GELU is straight, far from 0."""
        pair = probe.pair("FeedForward", D)
        expect.matches(pair.student, pair.reference, probe.randn(2, 5, D, scale=20.0))
