"""a3.gqa, public criteria: shapes and values."""

import pytest
import torch

B, T, D, H, G = 3, 5, 24, 6, 2  # Dh is 4: no two axes have the same length


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens", "groups"),
        [(B, T, G), (B, T, 1), (B, T, H), (1, 1, G)],
        ids=["usual", "one-group", "as-many-groups-as-heads", "one-token"],
    )
    def test_output(self, student, probe, expect, batch, tokens, groups):
        """(B, T, D) stays (B, T, D), however many key heads there are."""
        attention = student.GroupedQueryAttention(D, H, groups)
        output = attention(probe.randn(batch, tokens, D, dtype=torch.float32))
        expect.shape(output, (batch, tokens, D), what="output")

    def test_heads_that_do_not_divide_the_width(self, student, expect):
        """If num_heads does not divide emb_size, a ValueError names both numbers."""
        expect.raises(ValueError, student.GroupedQueryAttention, 20, 6, 2, mentions=("20", "6"))

    def test_groups_that_do_not_divide_the_heads(self, student, expect):
        """If num_kv_heads does not divide num_heads, a ValueError names both numbers."""
        expect.raises(ValueError, student.GroupedQueryAttention, 30, 6, 5, mentions=("6", "5"))

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        x = probe.randn(B, D, T, dtype=torch.float32).transpose(1, 2)
        expect.shape(student.GroupedQueryAttention(D, H, G)(x), (B, T, D), what="output")


class TestOutputs:
    @pytest.mark.parametrize("masked", [False, True], ids=["without-mask", "with-mask"])
    def test_two_groups(self, probe, expect, masked):
        """With six heads in two groups, the output is the reference's."""
        pair = probe.pair("GroupedQueryAttention", D, H, G)
        mask = {"mask": probe.mask(T, T)} if masked else {}
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D), **mask)

    def test_one_group(self, probe, expect):
        """With one key head for all, the output is the reference's: multi-query attention."""
        pair = probe.pair("GroupedQueryAttention", D, H, 1)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D))

    def test_as_many_groups_as_heads(self, probe, expect):
        """With a key head for each query head, it is multi-head attention."""
        pair = probe.pair("GroupedQueryAttention", D, H, H)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D))

    def test_all_widths_alike(self, probe, expect):
        """The output is right when batch, tokens, groups and head width are all alike."""
        pair = probe.pair("GroupedQueryAttention", 8, 4, 2)
        expect.matches(pair.student, pair.reference, probe.randn(2, 2, 8))

    def test_large_scores(self, probe, expect):
        """The output is right when one token wins almost all the weight."""
        pair = probe.pair("GroupedQueryAttention", D, H, G)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D, scale=4.0))
