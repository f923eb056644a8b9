"""a2.causal_attention, public criteria: shapes and values."""

import pytest
import torch

B, T, D_IN, D_OUT = 2, 5, 3, 6


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens"), [(B, T), (1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_output(self, student, probe, expect, batch, tokens):
        """(B, T, d_in) becomes (B, T, d_out)."""
        attention = student.CausalAttention(D_IN, D_OUT, tokens, 0.0)
        output = attention(probe.randn(batch, tokens, D_IN, dtype=torch.float32))
        expect.shape(output, (batch, tokens, D_OUT), what="output")

    @pytest.mark.parametrize("tokens", [1, 3])
    def test_shorter_sequence(self, student, probe, expect, tokens):
        """A sequence may be shorter than context_length."""
        attention = student.CausalAttention(D_IN, D_OUT, T, 0.0)
        output = attention(probe.randn(B, tokens, D_IN, dtype=torch.float32))
        expect.shape(output, (B, tokens, D_OUT), what="output")

    def test_longer_sequence_is_refused(self, student, probe, expect):
        """A sequence longer than context_length raises a ValueError that names both numbers."""
        attention = student.CausalAttention(D_IN, D_OUT, 7, 0.0)
        x = probe.randn(B, 11, D_IN, dtype=torch.float32)
        expect.raises(ValueError, attention, x, mentions=("11", "7"))

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        attention = student.CausalAttention(D_IN, D_OUT, T, 0.0)
        output = attention(probe.randn(B, D_IN, T, dtype=torch.float32).transpose(1, 2))
        expect.shape(output, (B, T, D_OUT), what="output")


class TestOutputs:
    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_all_widths_differ(self, probe, expect, qkv_bias):
        """With the same weights, the output is the reference's."""
        pair = probe.pair("CausalAttention", D_IN, D_OUT, T, 0.0, qkv_bias=qkv_bias)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    def test_all_widths_alike(self, probe, expect):
        """The output is right when every axis has the same length."""
        pair = probe.pair("CausalAttention", 4, 4, 4, 0.0)
        expect.matches(pair.student, pair.reference, probe.randn(4, 4, 4))

    def test_large_scores(self, probe, expect):
        """The output is right when one token wins almost all the weight."""
        pair = probe.pair("CausalAttention", D_IN, D_OUT, T, 0.0)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN, scale=6.0))
