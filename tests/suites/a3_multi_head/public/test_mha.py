"""a3.mha, public criteria: shapes and values."""

import pytest
import torch

B, T, D_IN, D_OUT, H = 2, 5, 7, 12, 3  # Dh is 4: no two axes have the same length


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens"), [(B, T), (1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_output(self, student, probe, expect, batch, tokens):
        """(B, T, d_in) becomes (B, T, d_out)."""
        attention = student.MultiHeadAttention(D_IN, D_OUT, tokens, 0.0, H)
        output = attention(probe.randn(batch, tokens, D_IN, dtype=torch.float32))
        expect.shape(output, (batch, tokens, D_OUT), what="output")

    def test_as_many_heads_as_features(self, student, probe, expect):
        """As many heads as there are features work too, each of width 1."""
        attention = student.MultiHeadAttention(D_IN, D_OUT, T, 0.0, D_OUT)
        output = attention(probe.randn(B, T, D_IN, dtype=torch.float32))
        expect.shape(output, (B, T, D_OUT), what="output")

    def test_heads_that_do_not_divide_the_width(self, student, expect):
        """If num_heads does not divide d_out, a ValueError names both numbers."""
        expect.raises(
            ValueError, student.MultiHeadAttention, D_IN, 10, T, 0.0, 3, mentions=("10", "3")
        )

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        attention = student.MultiHeadAttention(D_IN, D_OUT, T, 0.0, H)
        output = attention(probe.randn(B, D_IN, T, dtype=torch.float32).transpose(1, 2))
        expect.shape(output, (B, T, D_OUT), what="output")


class TestOutputs:
    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_several_heads(self, probe, expect, qkv_bias):
        """With the same weights and three heads, the output is the reference's."""
        pair = probe.pair("MultiHeadAttention", D_IN, D_OUT, T, 0.0, H, qkv_bias=qkv_bias)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    def test_one_head(self, probe, expect):
        """With a single head, it is causal attention and an output projection."""
        pair = probe.pair("MultiHeadAttention", D_IN, D_OUT, T, 0.0, 1)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    def test_all_widths_alike(self, probe, expect):
        """The output is right when batch, tokens, heads and head width are all alike."""
        pair = probe.pair("MultiHeadAttention", 4, 4, 2, 0.0, 2)
        expect.matches(pair.student, pair.reference, probe.randn(2, 2, 4))

    def test_shorter_sequence(self, probe, expect):
        """The output is right when the sequence is shorter than context_length."""
        pair = probe.pair("MultiHeadAttention", D_IN, D_OUT, 2 * T, 0.0, H)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN))

    def test_large_scores(self, probe, expect):
        """The output is right when one token wins almost all the weight."""
        pair = probe.pair("MultiHeadAttention", D_IN, D_OUT, T, 0.0, H)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D_IN, scale=4.0))
