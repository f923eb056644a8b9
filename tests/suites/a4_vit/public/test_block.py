"""a4.block, public criteria: shapes and values of both kinds of block."""

import pytest
import torch

B, T, D, H = 2, 5, 12, 3
BOTH = pytest.mark.parametrize(
    "name", ["EncoderBlock", "PostNormEncoderBlock"], ids=["pre-norm", "post-norm"]
)


class TestShapes:
    @BOTH
    @pytest.mark.parametrize(
        ("batch", "tokens"), [(B, T), (1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_tokens(self, student, probe, expect, name, batch, tokens):
        """(B, T, D) stays (B, T, D)."""
        x = probe.randn(batch, tokens, D, dtype=torch.float32)
        expect.shape(getattr(student, name)(D, H)(x), (batch, tokens, D), what="output")

    @BOTH
    def test_non_contiguous_tokens(self, student, probe, expect, name):
        """A transposed view is as good as a contiguous tensor."""
        x = probe.randn(T, B, D, dtype=torch.float32).transpose(0, 1)
        expect.shape(getattr(student, name)(D, H)(x), (B, T, D), what="output")


class TestOutputs:
    @BOTH
    @pytest.mark.parametrize(
        ("num_heads", "expansion"), [(H, 4), (1, 2), (6, 3)], ids=["usual", "one-head", "six-heads"]
    )
    def test_same_weights_same_output(self, probe, expect, name, num_heads, expansion):
        """With the same weights, the output is the reference's."""
        pair = probe.pair(name, D, num_heads, expansion=expansion)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D))

    def test_quiet_tokens(self, probe, expect):
        """The output is right for tokens of hardly any variance, where LayerNorm's eps counts."""
        pair = probe.pair("EncoderBlock", D, H)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D, scale=0.01))

    @BOTH
    def test_all_lengths_alike(self, probe, expect, name):
        """The output is right when every axis has the same length."""
        pair = probe.pair(name, 4, 4)
        expect.matches(pair.student, pair.reference, probe.randn(4, 4, 4))
