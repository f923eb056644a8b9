"""a5.positions, hidden criteria: relative, numerics, gradients, state.

Checks of `relative` compare what a student turned with itself: pairs of other features, or turning
the other way round, cost `outputs` and nothing here.
"""

from functools import partial

import pytest
import torch

from .. import proofs
from ..expectations import expect_finite_gradient, expect_path_back

B, H, T, DH = 2, 3, 5, 8
HALF_PRECISION = (
    "rope.angles_in_the_dtype_of_x",
    "Angles are computed in half precision, which cannot count that far.",
)


def turn(student, expect, x, positions):
    """Call the student's function; the result has the shape of x, or the check ends."""
    turned = student.apply_rope(x, positions)
    expect.floats(turned, x.shape, what="result")
    return turned


def expect_turned(student, expect, x, positions):
    """Return what becomes of x. It is not x, and something else at the next positions, or the check
    ends: what is returned whatever the positions keeps every property and knows nothing."""
    turned = turn(student, expect, x, positions)
    for other in (x, turn(student, expect, x, positions + 1)):
        expect.true(
            bool(((turned - other).abs() > 1e-3).any()),
            observed="the result does not depend on the positions",
            expected="features that are turned",
        )
    return turned


class TestRelative:
    # Angles in float32 are off by some 2e-5 at position 300; in bfloat16 neighbours fall together.
    @pytest.mark.parametrize(("shift", "atol"), [(1, 1e-4), (17, 1e-4), (-6, 1e-4), (300, 2e-3)])
    def test_scores_depend_on_the_distance(self, student, probe, expect, shift, atol):
        """Moving queries and keys by the same number of tokens changes no score."""
        query, key = probe.randn(B, H, T, DH), probe.randn(B, H, T, DH)
        places, others = torch.tensor([2, 9, 4, 0, 7]), torch.tensor([1, 5, 3, 8, 0])
        expect_turned(student, expect, query, places)

        def scores(student, step):
            turned = turn(student, expect, query, places + step)
            return turned @ turn(student, expect, key, others + step).transpose(2, 3)

        shifted, wanted = scores(student.apart, shift), scores(student, 0)
        expect.close(shifted, wanted, what="scores after a shift", atol=atol)

    def test_position_0_turns_nothing(self, student, probe, expect):
        """At position 0 everything stays as it is."""
        x = probe.randn(B, H, T, DH)
        positions = torch.tensor([0, 3, 0, 12, 0])
        turned = expect_turned(student, expect, x, positions)
        expect.close(turned[:, :, ::2], x[:, :, ::2], what="result at position 0", atol=1e-6)

    def test_lengths_are_kept(self, student, probe, expect):
        """Turning changes the direction of a token's features and not their length."""
        x = probe.randn(B, H, T, DH)
        turned = expect_turned(student, expect, x, torch.arange(1, T + 1))
        expect.close(turned.norm(dim=-1), x.norm(dim=-1), what="length", atol=1e-5)

    def test_tokens_stay_apart(self, student, probe, expect):
        """What is turned depends on the token and its own position alone."""
        x, positions = probe.randn(B, H, T, DH), torch.tensor([4, 2, 9, 1, 6])
        together = expect_turned(student, expect, x, positions)
        for place in range(T):
            part = slice(place, place + 1)
            alone = turn(student.apart, expect, x[1:, 2:, part], positions[part])
            expect.close(alone, together[1:, 2:, part], what=f"token {place} alone", atol=1e-5)


class TestNumerics:
    def test_table_has_the_default_dtype(self, student, reference, expect):
        """The table has torch's default dtype, whichever that is, however long it is."""
        for dtype in (torch.float64, torch.float32):
            torch.set_default_dtype(dtype)
            table = student.sinusoidal_positions(T + 2, DH + 6)
            expect.dtype(table, dtype, what="table")
            wanted = reference.sinusoidal_positions(T + 2, DH + 6)
            expect.close(
                table, wanted, what="table", atol=1e-5, why=partial(proofs.sines_alone, table)
            )
        many = 1500  # in float32 an angle is good to a thousandth there
        table = student.sinusoidal_positions(many, DH)
        wanted = reference.sinusoidal_positions(many, DH)
        expect.close(table, wanted, what="table of many positions", atol=5e-3)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_far_positions_in_half_precision(self, student, probe, expect, dtype):
        """Far from the beginning, a token in half precision is turned as one in float32."""
        positions = torch.tensor([301, 299, 4097, 4099, 2051])
        x = probe.randn(B, H, T, DH, dtype=dtype)
        turned = expect_turned(student, expect, x, positions)
        expect.dtype(turned, dtype, what="result")
        wide = turn(student.apart, expect, x.to(torch.float32), positions)
        expect.close(
            turned,
            wide,
            what="result in half precision",
            atol=4e-2,
            why=lambda: self.is_right_nearby(student, expect, x) and HALF_PRECISION,
        )

    def is_right_nearby(self, student, expect, x):
        """Tell whether positions that half precision can count to are turned rightly."""
        near = torch.arange(x.shape[2])
        narrow = turn(student.apart, expect, x, near)
        wide = turn(student.apart, expect, x.to(torch.float32), near)
        return bool((narrow - wide).abs().max() < 4e-2) or None

    def test_dtype_is_kept(self, student, probe, expect):
        """The result has the dtype of x, and the same numbers in float32 as in float64."""
        x, positions = probe.randn(B, H, T, DH), torch.arange(3, T + 3)
        wide = expect_turned(student, expect, x, positions)
        narrow = turn(student.apart, expect, x.to(torch.float32), positions)
        expect.dtype(wide, torch.float64, what="result of float64")
        expect.dtype(narrow, torch.float32, what="result of float32")
        expect.close(narrow, wide, what="result in float32", atol=1e-4)


class TestGradients:
    def test_gradient_predicts_the_change(self, student, probe, expect):
        """The gradient tells how the result changes when the input moves a little."""
        x, direction, probed = (probe.randn(B, H, T, DH) for _ in range(3))
        positions = torch.tensor([4, 2, 9, 1, 6])
        tracked = x.clone().requires_grad_()
        expect_turned(student, expect, x, positions)
        turned = turn(student, expect, tracked, positions)
        expect_path_back(expect, turned, expected="a gradient for x")
        (gradient,) = torch.autograd.grad((turned * probed).sum(), tracked, materialize_grads=True)
        expect_finite_gradient(expect, gradient, turned, what="gradient")
        moved = turn(student, expect, x + direction, positions) - turned.detach()
        # Turning is linear: the prediction is exact but for rounding.
        expect.close((gradient * direction).sum(), (moved * probed).sum(), what="slope", atol=1e-4)

    @pytest.mark.fresh
    def test_gradient_of_a_new_draw(self, student, reference, probe, expect):
        """On numbers drawn for this submission, the gradient is right."""
        positions = probe.randint(0, 40, (T,))
        expect.gradients(
            student.apply_rope, reference.apply_rope, probe.randn(B, H, T, DH), positions
        )


class TestState:
    def test_inputs_are_not_modified(self, student, probe, expect):
        """x and positions are the same after the call as before it."""
        x = probe.randn(B, H, T, DH)
        turned = expect.unchanged(student.apply_rope, x, torch.arange(2, T + 2))
        expect.shape(turned, x.shape, what="result")

    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after others, of other lengths and widths."""
        sizes = (T, DH), (3, 4), (T + 1, 2 * DH)
        expect.starts_anew(
            student.sinusoidal_positions, *(expect.call(length, width) for length, width in sizes)
        )
        turned = [
            expect.call(probe.randn(B, H, length, width), torch.arange(start, start + length))
            for start, (length, width) in enumerate(sizes, 2)
        ]
        expect.starts_anew(student.apply_rope, *turned)
