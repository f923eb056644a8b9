"""a3.wrapper, public criteria: shapes and values."""

import pytest
import torch

B, T, D_IN, D_OUT, H = 2, 5, 7, 4, 3  # no two axes have the same length


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens"), [(B, T), (1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_output(self, student, probe, expect, batch, tokens):
        """(B, T, d_in) becomes (B, T, d_out · H)."""
        attention = student.MultiHeadAttentionWrapper(D_IN, D_OUT, tokens, 0.0, H)
        output = attention(probe.randn(batch, tokens, D_IN, dtype=torch.float32))
        expect.shape(output, (batch, tokens, D_OUT * H), what="output")

    def test_heads_of_any_number(self, student, probe, expect):
        """Nothing is divided: five heads of width 4 give 20 features."""
        attention = student.MultiHeadAttentionWrapper(D_IN, D_OUT, T, 0.0, 5)
        output = attention(probe.randn(B, T, D_IN, dtype=torch.float32))
        expect.shape(output, (B, T, 20), what="output")

    def test_too_long_a_sequence(self, student, probe, expect):
        """A sequence longer than context_length is a ValueError that names both lengths."""
        attention = student.MultiHeadAttentionWrapper(D_IN, D_OUT, T, 0.0, H)
        x = probe.randn(B, 13, D_IN, dtype=torch.float32)
        expect.raises(ValueError, attention, x, mentions=("13", str(T)))

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        attention = student.MultiHeadAttentionWrapper(D_IN, D_OUT, T, 0.0, H)
        output = attention(probe.randn(B, D_IN, T, dtype=torch.float32).transpose(1, 2))
        expect.shape(output, (B, T, D_OUT * H), what="output")


class TestOutputs:
    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_several_heads(self, probe, expect, qkv_bias):
        """With the same weights and three heads, the output is the reference's."""
        pair = probe.pair("MultiHeadAttentionWrapper", D_IN, D_OUT, T, 0.0, H, qkv_bias=qkv_bias)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    def test_one_head(self, probe, expect):
        """With a single head, it is causal attention."""
        pair = probe.pair("MultiHeadAttentionWrapper", D_IN, D_OUT, T, 0.0, 1)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    def test_all_widths_alike(self, probe, expect):
        """The output is right when every axis has the same length."""
        pair = probe.pair("MultiHeadAttentionWrapper", 3, 3, 3, 0.0, 3)
        expect.matches(pair.student, pair.reference, probe.randn(3, 3, 3))

    def test_shorter_sequence(self, probe, expect):
        """The output is right when the sequence is shorter than context_length."""
        pair = probe.pair("MultiHeadAttentionWrapper", D_IN, D_OUT, 2 * T, 0.0, H)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))
