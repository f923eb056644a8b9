"""a3.heads, public criteria: shapes and values."""

import pytest
import torch

B, T, H, DH = 2, 5, 3, 4  # no two axes have the same length
D = H * DH


def numbered(*shape):
    """Return a tensor whose every number tells its place."""
    return torch.arange(float(torch.Size(shape).numel()), dtype=torch.float64).reshape(shape)


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens", "heads"),
        [(B, T, H), (1, 1, 1), (B, T, D)],
        ids=["usual", "one-of-everything", "as-many-as-features"],
    )
    def test_split(self, student, probe, expect, batch, tokens, heads):
        """(B, T, D) becomes (B, H, T, Dh)."""
        found = student.split_heads(probe.randn(batch, tokens, D), heads)
        expect.shape(found, (batch, heads, tokens, D // heads), what="result")

    @pytest.mark.parametrize(
        ("batch", "heads", "tokens"),
        [(B, H, T), (1, 1, 1)],
        ids=["usual", "one-of-everything"],
    )
    def test_merge(self, student, probe, expect, batch, heads, tokens):
        """(B, H, T, Dh) becomes (B, T, D)."""
        found = student.merge_heads(probe.randn(batch, heads, tokens, DH))
        expect.shape(found, (batch, tokens, heads * DH), what="result")

    @pytest.mark.parametrize("heads", [5, 24], ids=["some", "more-than-features"])
    def test_heads_that_do_not_divide_the_width(self, student, probe, expect, heads):
        """If num_heads does not divide the width, a ValueError names both numbers."""
        x = probe.randn(B, T, D)
        expect.raises(ValueError, student.split_heads, x, heads, mentions=(str(D), str(heads)))

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        found = student.split_heads(probe.randn(B, D, T).transpose(1, 2), H)
        expect.shape(found, (B, H, T, DH), what="result of split_heads")
        found = student.merge_heads(probe.randn(T, H, B, DH).transpose(0, 2))
        expect.shape(found, (B, T, D), what="result of merge_heads")


class TestOutputs:
    @pytest.mark.parametrize("heads", [H, 1, D], ids=["three", "one", "as-many-as-features"])
    def test_split(self, student, reference, expect, heads):
        """Every number goes to its head, its token and its feature."""
        expect.matches(student.split_heads, reference.split_heads, numbered(B, T, D), heads)

    @pytest.mark.parametrize("heads", [H, 1, D], ids=["three", "one", "as-many-as-features"])
    def test_merge(self, student, reference, expect, heads):
        """Every number goes back to its token, and stands behind those of earlier heads."""
        x = numbered(B, heads, T, D // heads)
        expect.matches(student.merge_heads, reference.merge_heads, x)

    def test_all_widths_alike(self, student, reference, expect):
        """The numbers are right when all axes are of one length."""
        expect.matches(student.split_heads, reference.split_heads, numbered(2, 2, 4), 2)
        expect.matches(student.merge_heads, reference.merge_heads, numbered(2, 2, 2, 2))
