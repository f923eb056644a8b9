"""a3.packed, public criteria: shapes and values."""

import pytest
import torch

B, T, D, H, D_IN = 2, 5, 12, 3, 7  # Dh is 4: no two axes have the same length


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens"), [(B, T), (1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_output(self, student, probe, expect, batch, tokens):
        """(B, T, D) stays (B, T, D)."""
        output = student.PackedMultiHeadAttention(D, H)(
            probe.randn(batch, tokens, D, dtype=torch.float32)
        )
        expect.shape(output, (batch, tokens, D), what="output")

    def test_heads_that_do_not_divide_the_width(self, student, expect):
        """If num_heads does not divide emb_size, a ValueError names both numbers."""
        expect.raises(ValueError, student.PackedMultiHeadAttention, 10, 3, mentions=("10", "3"))

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        x = probe.randn(B, D, T, dtype=torch.float32).transpose(1, 2)
        output = student.PackedMultiHeadAttention(D, H)(x)
        expect.shape(output, (B, T, D), what="output")

    @pytest.mark.parametrize("width", [(D_IN,), ()], ids=["weights", "biases"])
    def test_packed(self, student, probe, expect, width):
        """Three times D rows become 3 · D, and 3 · D rows three times D."""
        expect.shape(student.pack_qkv(*probe.randn(3, D, *width)), (3 * D, *width), what="result")
        parts = expect.items(student.unpack_qkv(probe.randn(3 * D, *width)), 3)
        for number, part in enumerate(parts):
            expect.shape(part, (D, *width), what=f"part {number}")


class TestOutputs:
    @pytest.mark.parametrize("masked", [False, True], ids=["without-mask", "with-mask"])
    def test_several_heads(self, probe, expect, masked):
        """With the same weights and three heads, the output is the reference's."""
        pair = probe.pair("PackedMultiHeadAttention", D, H)
        mask = {"mask": probe.mask(T, T)} if masked else {}
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D), **mask)

    def test_one_head(self, probe, expect):
        """With a single head, it is attention and an output projection."""
        pair = probe.pair("PackedMultiHeadAttention", D, 1)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D))

    def test_all_widths_alike(self, probe, expect):
        """The output is right when batch, tokens, heads and head width are all alike."""
        pair = probe.pair("PackedMultiHeadAttention", 4, 2)
        expect.matches(pair.student, pair.reference, probe.randn(2, 2, 4))

    def test_large_scores(self, probe, expect):
        """The output is right when one token wins almost all the weight."""
        pair = probe.pair("PackedMultiHeadAttention", D, H)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D, scale=4.0))
