"""a3.cross, public criteria: shapes and values."""

import pytest
import torch

B, S, L, D, H, D_QUERY, D_MEMORY = 2, 5, 6, 12, 3, 7, 8  # no two axes have the same length


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "queries", "keys"),
        [(B, S, L), (B, L, S), (1, 1, 1)],
        ids=["usual", "fewer-keys-than-queries", "one-of-everything"],
    )
    def test_output(self, student, probe, expect, batch, queries, keys):
        """(B, S, query_dim) becomes (B, S, emb_size), however long the memory is."""
        x = probe.randn(batch, queries, D_QUERY, dtype=torch.float32)
        memory = probe.randn(batch, keys, D_MEMORY, dtype=torch.float32)
        output = student.CrossAttention(D_QUERY, D_MEMORY, D, H)(x, memory)
        expect.shape(output, (batch, queries, D), what="output")

    def test_heads_that_do_not_divide_the_width(self, student, expect):
        """If num_heads does not divide emb_size, a ValueError names both numbers."""
        expect.raises(ValueError, student.CrossAttention, 9, 9, 10, 3, mentions=("10", "3"))

    def test_non_contiguous_inputs(self, student, probe, expect):
        """Transposed views are as good as contiguous tensors."""
        x = probe.randn(B, D_QUERY, S, dtype=torch.float32).transpose(1, 2)
        memory = probe.randn(L, B, D_MEMORY, dtype=torch.float32).transpose(0, 1)
        output = student.CrossAttention(D_QUERY, D_MEMORY, D, H)(x, memory)
        expect.shape(output, (B, S, D), what="output")


class TestOutputs:
    @pytest.mark.parametrize("masked", [False, True], ids=["whole-memory", "masked-memory"])
    def test_two_sequences(self, probe, expect, masked):
        """With the same weights and three heads, the output is the reference's."""
        pair = probe.pair("CrossAttention", D_QUERY, D_MEMORY, D, H)
        mask = {"memory_mask": probe.mask(B, L)} if masked else {}
        x, memory = probe.randn(B, S, D_QUERY), probe.randn(B, L, D_MEMORY)
        expect.matches(pair.student, pair.reference, x, memory, **mask)

    def test_one_head(self, probe, expect):
        """With a single head, it is attention and an output projection."""
        pair = probe.pair("CrossAttention", D_QUERY, D_MEMORY, D, 1)
        x, memory = probe.randn(B, S, D_QUERY), probe.randn(B, L, D_MEMORY)
        expect.matches(pair.student, pair.reference, x, memory)

    def test_all_widths_alike(self, probe, expect):
        """The output is right when both sequences have one length and one width."""
        pair = probe.pair("CrossAttention", 4, 4, 4, 2)
        x, memory = probe.randn(2, 2, 4), probe.randn(2, 2, 4)
        expect.matches(pair.student, pair.reference, x, memory)

    def test_large_scores(self, probe, expect):
        """The output is right when one token of the memory wins almost all the weight."""
        pair = probe.pair("CrossAttention", D_QUERY, D_MEMORY, D, H)
        x, memory = probe.randn(B, S, D_QUERY, scale=4.0), probe.randn(B, L, D_MEMORY, scale=4.0)
        expect.matches(pair.student, pair.reference, x, memory)
