"""a2.dropout, hidden criteria: modes, numerics, gradients, state.

Which weights are dropped is random and is never asked. How many are is counted over so many that a
right answer fails with a probability far below one in a billion.
"""

import pytest
import torch

from .. import proofs, reasons
from ..dropped import expect_drawn_anew
from ..expectations import expect_path_back

SHAPE = (8, 6, 30, 35)  # B H S L, and 50,400 weights
AXES = {0: "samples", 1: "heads", 2: "queries", 3: "keys"}


def shared_by(axis):
    return reasons.Reason(
        id="dropout.shared_along_an_axis",
        text=f"Neighbouring {axis} lose the same weights: each weight is drawn on its own.",
    )


def drop(student, expect, weights, p, training=True):
    """Call the student's function; the result has the right shape or the check ends."""
    dropped = student.attention_dropout(weights, p, training)
    expect.floats(dropped, weights.shape, what="weights")
    return dropped


def drawn(probe, *shape, dtype=torch.float32):
    """Return weights of which none is 0."""
    return (probe.rand(*shape) + 0.1).to(dtype)


def expect_survivors(expect, dropped):
    """Some weights are dropped and some are not, or the check ends."""
    count = int((dropped != 0).sum())
    expect.true(
        0 < count < dropped.numel(),
        observed=f"{count} of {dropped.numel()} weights survive",
        expected="some weights dropped, and some not",
        why=lambda: proofs.all_survive(dropped),
    )


class TestModes:
    @pytest.mark.parametrize("p", [0.2, 0.7])
    def test_share_that_is_dropped(self, student, probe, expect, p):
        """The share p of the weights is dropped."""
        dropped = drop(student, expect, drawn(probe, *SHAPE), p)
        share = (dropped == 0).double().mean()
        # The standard deviation is 0.002.
        expect.close(
            share,
            torch.tensor(p),
            what="share that is dropped",
            atol=0.02,
            why=lambda: proofs.share_is_kept(dropped, p, room=0.02),
        )

    @pytest.mark.parametrize("axis", AXES, ids=AXES.values())
    def test_each_on_its_own(self, student, probe, expect, axis):
        """Neighbours are dropped independently of one another, along every axis."""
        weights = drop(student, expect, drawn(probe, *SHAPE), 0.5)
        dropped = weights == 0
        count = dropped.shape[axis]
        left, right = dropped.narrow(axis, 0, count - 1), dropped.narrow(axis, 1, count - 1)
        alike = (left == right).double().mean()
        expect.close(
            alike,
            torch.tensor(0.5),
            what=f"share of neighbouring {AXES[axis]} alike",
            atol=0.04,
            why=lambda: (
                proofs.all_survive(weights)
                or (shared_by(AXES[axis]) if alike > 0.99 and not dropped.all() else None)
            ),
        )

    def test_each_call_draws_anew(self, student, probe, expect):
        """Two calls drop different weights."""
        weights = drawn(probe, *SHAPE)
        first, second = (drop(student, expect, weights, 0.5) == 0 for _ in range(2))
        expect_drawn_anew(expect, first, second, atol=0.04)

    def test_mean_stays(self, student, probe, expect):
        """On average the weights are what they were."""
        dropped = drop(student, expect, torch.ones(SHAPE), 0.2)
        expect_survivors(expect, dropped)
        mean = dropped.mean()
        expect.close(
            mean,
            torch.tensor(1.0),
            what="mean of the weights",
            atol=0.03,
            why=lambda: proofs.survivors_not_scaled(mean, 0.2, room=0.02),
        )

    def test_rows_are_not_normalised_again(self, student, probe, expect):
        """Rows that added up to 1 do so only on average."""
        weights = drawn(probe, *SHAPE)
        dropped = drop(student, expect, weights / weights.sum(-1, keepdim=True), 0.5)
        expect_survivors(expect, dropped)
        sums = dropped.sum(-1)
        expect.close(sums.mean(), torch.tensor(1.0), what="mean sum of a row", atol=0.05)
        expect.true(
            sums.std().item() > 0.05,
            observed="all rows add up to the same",
            expected="rows that add up to different sums, around 1",
            why=lambda: reasons.NORMALISED_AGAIN,
        )

    def test_everything_is_dropped(self, student, probe, expect):
        """With p = 1 nothing survives in training, and the result is all zeros."""
        weights = drawn(probe, 4, 5)
        expect_survivors(expect, drop(student, expect, drawn(probe, *SHAPE), 0.5))
        gone = drop(student, expect, weights, 1.0)
        expect.close(
            gone,
            torch.zeros(4, 5),
            what="weights",
            why=lambda: reasons.NAN_AT_RATE_1 if bool(gone.isnan().any()) else None,
        )

    @pytest.mark.fresh
    def test_a_new_draw(self, student, probe, expect):
        """With weights and p drawn for this submission, the share p is dropped and the rest
        scaled."""
        p = 0.1 + 0.2 * probe.rand(1).item()
        weights = drawn(probe, *SHAPE)
        dropped = drop(student, expect, weights, p)
        alive = dropped != 0
        share = 1 - alive.double().mean()
        expect.close(share, torch.tensor(p), what="share that is dropped", atol=0.02)
        expect.close(dropped[alive], weights[alive] / (1 - p), what="a weight that survives")


class TestNumerics:
    @pytest.mark.parametrize(
        "dtype",
        [torch.float64, torch.float16, torch.bfloat16],
        ids=["float64", "float16", "bfloat16"],
    )
    def test_dtype_is_kept(self, student, probe, expect, dtype):
        """In training the dtype stays, and the survivors are right."""
        weights = drawn(probe, 40, 50, dtype=dtype)
        dropped = drop(student, expect, weights, 0.2)
        expect.dtype(dropped, dtype, what="weights")
        expect_survivors(expect, dropped)
        alive = dropped != 0
        expect.close(dropped[alive], weights[alive] / 0.8, what="a weight that survives")


class TestGradients:
    def test_survivors_pass_it_on(self, student, probe, expect):
        """The gradient of a survivor is 1 / (1 - p), and that of a dropped weight is 0."""
        weights = drawn(probe, 40, 50).requires_grad_()
        # Not the leaf itself: what changes it in place loses its points in `state` alone.
        dropped = drop(student, expect, weights * 1, 0.2)
        expect_survivors(expect, dropped)
        expect_path_back(expect, dropped, expected="a gradient for the weights")
        (gradient,) = torch.autograd.grad(dropped.sum(), weights, materialize_grads=True)
        # By the student's own scale, which is judged elsewhere.
        expect.close(gradient, (dropped / weights).detach(), what="gradient of the weights")

    @pytest.mark.parametrize(("p", "training"), [(0.5, False), (0.0, True)], ids=["eval", "p-0"])
    def test_gradient_where_nothing_is_dropped(self, student, probe, expect, p, training):
        """Where nothing is dropped, the gradient passes as it is."""
        expect_survivors(expect, drop(student, expect, drawn(probe, 40, 50), 0.2))
        weights = drawn(probe, 4, 5).requires_grad_()
        kept = student.attention_dropout(weights * 1, p, training)
        expect.floats(kept, (4, 5), what="result")
        expect_path_back(expect, kept, expected="a gradient for the weights")
        (gradient,) = torch.autograd.grad(kept.sum(), weights, materialize_grads=True)
        expect.close(gradient, torch.ones_like(weights), what="gradient of the weights")

    def test_gradient_where_all_is_dropped(self, student, probe, expect):
        """With p = 1 the result is 0 for sure, and so is its gradient, if it has one."""
        expect_survivors(expect, drop(student, expect, drawn(probe, 40, 50), 0.2))
        weights = drawn(probe, 4, 5).requires_grad_()
        gone = student.attention_dropout(weights * 1, 1.0, True)
        expect.floats(gone, (4, 5), what="result")
        if gone.requires_grad:
            (gradient,) = torch.autograd.grad(gone.sum(), weights, materialize_grads=True)
            expect.close(gradient, torch.zeros_like(weights), what="gradient of the weights")


class TestState:
    def test_weights_are_not_modified(self, student, probe, expect):
        """The weights are the same after the call as before it."""
        expect.unchanged(student.attention_dropout, drawn(probe, 4, 5), 0.5, True)
