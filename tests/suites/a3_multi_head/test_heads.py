"""a3.heads, hidden criteria: state, numerics, gradients."""

import pytest
import torch

B, T, H, DH = 2, 5, 3, 4
D = H * DH


class TestState:
    @pytest.mark.parametrize("heads", [H, 1, D], ids=["three", "one", "as-many-as-features"])
    def test_merge_undoes_split(self, student, probe, expect, heads):
        """What was split and merged again is what it was."""
        x = probe.randn(B, T, D)
        parts = student.split_heads(x, heads)
        expect.floats(parts, (B, heads, T, D // heads), what="result of split_heads")
        expect.close(student.merge_heads(parts), x, what="tokens, split and merged", atol=0.0)

    @pytest.mark.parametrize("heads", [H, 1, D], ids=["three", "one", "as-many-as-features"])
    def test_split_undoes_merge(self, student, probe, expect, heads):
        """What was merged and split again is what it was."""
        x = probe.randn(B, heads, T, D // heads)
        row = student.merge_heads(x)
        expect.floats(row, (B, T, D), what="result of merge_heads")
        expect.close(student.split_heads(row, heads), x, what="heads, merged and split", atol=0.0)

    def test_input_is_not_modified(self, student, probe, expect):
        """The input is the same after the call as before it."""
        expect.unchanged(student.split_heads, probe.randn(B, T, D), H)
        expect.unchanged(student.merge_heads, probe.randn(B, H, T, DH))

    @pytest.mark.parametrize("name", ["split_heads", "merge_heads"])
    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect, name):
        """A call gives the same after others, one of them of other sizes."""
        if name == "split_heads":
            calls = [(probe.randn(*shape), H) for shape in ((B, T, D), (3, 4, 2 * D), (B, T, D))]
        else:
            calls = [
                (probe.randn(*shape),) for shape in ((B, H, T, DH), (3, 4, 2, DH), (B, H, T, DH))
            ]
        expect.starts_anew(getattr(student, name), *(expect.call(*one) for one in calls))


class TestNumerics:
    @pytest.mark.parametrize(
        "dtype",
        [torch.float32, torch.float16, torch.bfloat16],
        ids=["float32", "float16", "bfloat16"],
    )
    def test_nothing_is_rounded(self, student, probe, expect, dtype):
        """The dtype is kept, and so is every number to its last bit, wherever it goes."""
        x, heads = probe.randn(B, T, D, dtype=dtype), probe.randn(B, H, T, DH, dtype=dtype)
        parts, row = student.split_heads(x, H), student.merge_heads(heads)
        expect.dtype(parts, dtype, what="result of split_heads")
        expect.dtype(row, dtype, what="result of merge_heads")
        expect.floats(parts, (B, H, T, DH), what="result of split_heads")
        expect.floats(row, (B, T, D), what="result of merge_heads")
        for found, given in ((parts, x), (row, heads)):
            numbers, wanted = found.flatten().sort().values, given.flatten().sort().values
            expect.close(numbers, wanted, what="its numbers, sorted", atol=0.0)


class TestGradients:
    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, the gradients of both are right."""
        x, heads = probe.randn(B, T, D), probe.randn(B, H, T, DH)
        expect.gradients(student.split_heads, reference.split_heads, x, H)
        expect.gradients(student.merge_heads, reference.merge_heads, heads)
