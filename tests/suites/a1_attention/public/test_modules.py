"""a1.modules, public criteria: shapes and values."""

import pytest
import torch

B, T, D_IN, D_OUT = 2, 5, 3, 4
BOTH = pytest.mark.parametrize("name", ["SelfAttentionV1", "SelfAttentionV2"])
LAYERS = pytest.mark.parametrize(
    ("name", "options"),
    [("SelfAttentionV1", {}), ("SelfAttentionV2", {}), ("SelfAttentionV2", {"qkv_bias": True})],
    ids=["V1", "V2", "V2-with-bias"],
)


class TestShapes:
    @BOTH
    @pytest.mark.parametrize(
        "shape",
        [(B, T, D_IN), (T, D_IN), (1, 1, D_IN)],
        ids=["batch", "no-batch", "one-of-everything"],
    )
    def test_output(self, student, probe, expect, name, shape):
        """(B, T, d_in) becomes (B, T, d_out), and (T, d_in) becomes (T, d_out)."""
        attention = getattr(student, name)(D_IN, D_OUT)
        output = attention(probe.randn(*shape, dtype=torch.float32))
        expect.shape(output, (*shape[:-1], D_OUT), what="output")

    @BOTH
    def test_non_contiguous_input(self, student, probe, expect, name):
        """A transposed view is as good as a contiguous tensor."""
        attention = getattr(student, name)(D_IN, D_OUT)
        output = attention(probe.randn(B, D_IN, T, dtype=torch.float32).transpose(1, 2))
        expect.shape(output, (B, T, D_OUT), what="output")

    def test_three_matrices(self, student, expect):
        """SelfAttentionV1 has W_query, W_key and W_value, each (d_in, d_out), and nothing else."""
        attention = student.SelfAttentionV1(D_IN, D_OUT)
        found = {name: tuple(p.shape) for name, p in attention.named_parameters()}
        wanted = {name: (D_IN, D_OUT) for name in ("W_query", "W_key", "W_value")}
        expect.true(found == wanted, observed=f"parameters {found}", expected=f"{wanted}")

    def test_biases_are_refused(self, student, expect):
        """Copying from a SelfAttentionV2 with biases raises a ValueError."""
        v1, v2 = student.SelfAttentionV1(D_IN, D_OUT), student.SelfAttentionV2(D_IN, D_OUT, True)
        expect.raises(ValueError, student.copy_v2_to_v1, v2, v1)


class TestOutputs:
    @LAYERS
    def test_batch(self, probe, expect, name, options):
        """With the same weights, the output is the reference's."""
        pair = probe.pair(name, D_IN, D_OUT, **options)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    @LAYERS
    def test_without_a_batch(self, probe, expect, name, options):
        """So it is for a single sequence."""
        pair = probe.pair(name, D_IN, D_OUT, **options)
        expect.matches(pair.student, pair.reference, probe.randn(T, D_IN))

    @BOTH
    def test_all_lengths_alike(self, probe, expect, name):
        """The output is right when every axis has the same length."""
        pair = probe.pair(name, 4, 4)
        expect.matches(pair.student, pair.reference, probe.randn(4, 4, 4))

    @BOTH
    def test_large_scores(self, probe, expect, name):
        """The output is right when one token wins almost all the weight."""
        pair = probe.pair(name, D_IN, D_OUT)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN, scale=6.0))
