"""a1.softmax, public criteria: shapes and values of ordinary scores."""

import pytest

VECTOR_FUNCTIONS = ["normalise_by_sum", "softmax_naive", "stable_softmax"]


class TestShapes:
    @pytest.mark.parametrize("name", VECTOR_FUNCTIONS)
    def test_vector(self, student, probe, expect, name):
        """A vector of T scores becomes a vector of T shares."""
        shares = getattr(student, name)(probe.rand(5) + 0.1)
        expect.shape(shares, (5,), what="result")

    def test_any_number_of_axes(self, student, probe, expect):
        """The stable softmax keeps the shape, whichever axis it runs along."""
        for dim in (0, 1, 2, 3):
            shares = student.stable_softmax(probe.randn(2, 3, 4, 5), dim=dim)
            expect.shape(shares, (2, 3, 4, 5), what=f"result for dim={dim}")

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        shares = student.stable_softmax(probe.randn(5, 4, 3).transpose(0, 2), dim=1)
        expect.shape(shares, (3, 4, 5), what="result")


class TestOutputs:
    @pytest.mark.parametrize("name", VECTOR_FUNCTIONS)
    def test_vector(self, student, reference, probe, expect, name):
        """The shares of a vector of positive scores are right."""
        expect.matches(getattr(student, name), getattr(reference, name), probe.rand(6) + 0.1)

    @pytest.mark.parametrize("name", ["normalise_by_sum", "softmax_naive"])
    def test_negative_scores(self, student, reference, probe, expect, name):
        """Scores may be negative, and only what the formula says is done about it."""
        scores = probe.randn(6) - 1.0
        expect.matches(getattr(student, name), getattr(reference, name), scores)

    def test_last_axis_by_default(self, student, reference, probe, expect):
        """Without `dim`, every row of the last axis adds up to 1 on its own."""
        expect.matches(student.stable_softmax, reference.stable_softmax, probe.randn(2, 3, 4))

    @pytest.mark.parametrize("dim", [0, -2])
    def test_other_axes(self, student, reference, probe, expect, dim):
        """With `dim`, the entries along that axis add up to 1."""
        x = probe.randn(4, 4, 4)  # no other axis would give itself away by its length
        expect.matches(student.stable_softmax, reference.stable_softmax, x, dim=dim)
