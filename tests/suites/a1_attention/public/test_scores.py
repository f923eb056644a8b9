"""a1.scores, public criteria: shapes and values."""

import pytest

B, H, S, L, DH = 2, 3, 4, 7, 6


class TestShapes:
    def test_one_number(self, student, probe, expect):
        """The dot product of two vectors is a tensor with a single number."""
        expect.shape(student.dot_product_loop(probe.randn(5), probe.randn(5)), (), what="result")

    @pytest.mark.parametrize(
        "leading", [(B,), (), (B, H)], ids=["batch", "no-batch", "batch-and-heads"]
    )
    def test_scores(self, student, probe, expect, leading):
        """Scores are (…, S, L), for any leading axes."""
        scores = student.attention_scores(
            probe.randn(*leading, S, DH), probe.randn(*leading, L, DH)
        )
        expect.shape(scores, (*leading, S, L), what="scores")

    def test_one_of_everything(self, student, probe, expect):
        """A batch of one with a single query and a single key keeps all its axes."""
        scores = student.attention_scores(probe.randn(1, 1, DH), probe.randn(1, 1, DH))
        expect.shape(scores, (1, 1, 1), what="scores")

    def test_non_contiguous_inputs(self, student, probe, expect):
        """Transposed views are as good as contiguous tensors."""
        query = probe.randn(B, DH, S).transpose(1, 2)
        key = probe.randn(L, B, DH).transpose(0, 1)
        expect.shape(student.attention_scores(query, key), (B, S, L), what="scores")


class TestOutputs:
    @pytest.mark.parametrize("width", [1, 5])
    def test_dot_product(self, student, reference, probe, expect, width):
        """The products are added up over all numbers, from the first to the last."""
        a, b = probe.randn(width), probe.randn(width)
        expect.matches(student.dot_product_loop, reference.dot_product_loop, a, b)

    def test_all_lengths_differ(self, student, reference, probe, expect):
        """Each score is the plain dot product of a query and a key."""
        query, key = probe.randn(B, S, DH), probe.randn(B, L, DH)
        expect.matches(student.attention_scores, reference.attention_scores, query, key)

    def test_all_lengths_alike(self, student, reference, probe, expect):
        """Rows are queries and columns are keys, also when every axis has the same length."""
        query, key = probe.randn(4, 4, 4), probe.randn(4, 4, 4)
        expect.matches(student.attention_scores, reference.attention_scores, query, key)

    def test_batch_and_heads(self, student, reference, probe, expect):
        """Every sample and every head has scores of its own."""
        query, key = probe.randn(B, H, S, DH), probe.randn(B, H, L, DH)
        expect.matches(student.attention_scores, reference.attention_scores, query, key)

    def test_without_a_batch(self, student, reference, probe, expect):
        """Two plain matrices of queries and keys are enough."""
        query, key = probe.randn(S, DH), probe.randn(L, DH)
        expect.matches(student.attention_scores, reference.attention_scores, query, key)
