"""a2.dropout, public criteria: shapes, and what is sure about the values."""

import pytest


def expect_dropout(student, probe, expect):
    """In training something is dropped, or the check ends: where nothing ever is, nothing is
    proven."""
    dropped = student.attention_dropout(probe.rand(40, 50) + 0.1, 0.5, True)
    expect.floats(dropped, (40, 50), what="weights")
    count = int((dropped != 0).sum())
    expect.true(
        0 < count < 2000,
        observed=f"{count} of 2000 weights survive p = 0.5 in training",
        expected="about half of them",
    )


class TestShapes:
    @pytest.mark.parametrize("training", [True, False], ids=["training", "not-training"])
    @pytest.mark.parametrize("shape", [(2, 3, 4, 5), (4, 5), (1, 1)])
    def test_weights(self, student, probe, expect, shape, training):
        """The weights keep their shape."""
        dropped = student.attention_dropout(probe.rand(*shape), 0.2, training)
        expect.shape(dropped, shape, what="weights")

    def test_non_contiguous_input(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        dropped = student.attention_dropout(probe.rand(5, 4, 3).transpose(0, 2), 0.2, True)
        expect.shape(dropped, (3, 4, 5), what="weights")


class TestOutputs:
    @pytest.mark.parametrize("p", [0.2, 0.5, 1.0])
    def test_nothing_is_dropped_outside_training(self, student, probe, expect, p):
        """Outside training the weights are what they were, whatever p is."""
        weights = probe.rand(4, 5) + 0.1
        kept = student.attention_dropout(weights, p, False)
        expect.floats(kept, (4, 5), what="weights")
        gone = int((kept == 0).sum())
        expect.true(gone == 0, observed=f"{gone} of 20 weights are dropped", expected="none")
        expect.close(kept, weights, what="weights", atol=1e-6)
        expect_dropout(student, probe, expect)

    def test_probability_of_zero(self, student, probe, expect):
        """With p = 0 the weights are what they were, in training too."""
        expect_dropout(student, probe, expect)
        weights = probe.rand(4, 5) + 0.1
        dropped = student.attention_dropout(weights, 0.0, True)
        expect.close(dropped, weights, what="weights", atol=1e-6)

    @pytest.mark.parametrize("p", [0.2, 0.5, 0.75])
    def test_survivors_are_scaled(self, student, probe, expect, p):
        """What is not dropped has grown by 1 / (1 - p), to the last of them."""
        weights = probe.rand(40, 50) + 0.1
        dropped = student.attention_dropout(weights, p, True)
        expect.floats(dropped, weights.shape, what="weights")
        alive = dropped != 0
        expect.true(
            bool(alive.any()), observed="nothing survives", expected="a share of 1 - p survives"
        )
        expect.close(
            dropped[alive], weights[alive] / (1 - p), what="a weight that survives", atol=1e-6
        )
