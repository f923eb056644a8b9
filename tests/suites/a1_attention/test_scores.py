"""a1.scores, hidden criteria: numerics, gradients, state."""

import pytest
import torch

B, S, L, DH = 2, 4, 7, 6

HALVES = pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"]
)


class TestNumerics:
    @HALVES
    def test_dot_product_keeps_the_dtype(self, student, reference, probe, expect, dtype):
        """The dot product of vectors in half precision is right, and in half precision."""
        a, b = probe.randn(5, dtype=dtype), probe.randn(5, dtype=dtype)
        expect.matches(student.dot_product_loop, reference.dot_product_loop, a, b)

    @HALVES
    def test_scores_keep_the_dtype(self, student, reference, probe, expect, dtype):
        """Scores in half precision are right, and in half precision."""
        query, key = probe.randn(B, S, DH, dtype=dtype), probe.randn(B, L, DH, dtype=dtype)
        expect.matches(student.attention_scores, reference.attention_scores, query, key)


class TestGradients:
    def test_gradient_of_the_dot_product(self, student, reference, probe, expect):
        """The gradients of both vectors are right."""
        a, b = probe.randn(5), probe.randn(5)
        expect.gradients(student.dot_product_loop, reference.dot_product_loop, a, b)

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, the gradients of queries and keys are right."""
        query, key = probe.randn(B, S, DH), probe.randn(B, L, DH)
        expect.gradients(student.attention_scores, reference.attention_scores, query, key)


class TestState:
    def test_vectors_are_not_modified(self, student, probe, expect):
        """Both vectors are the same after the call as before it."""
        expect.unchanged(student.dot_product_loop, probe.randn(5), probe.randn(5))

    def test_queries_and_keys_are_not_modified(self, student, probe, expect):
        """Queries and keys are the same after the call as before it."""
        expect.unchanged(student.attention_scores, probe.randn(B, S, DH), probe.randn(B, L, DH))
