"""a4.positions, hidden criteria: grids, numerics, gradients, state.

How positions are interpolated is open: bilinear or bicubic, corners aligned or not, smoothed or
not. What all of these have in common is asked for.
"""

from functools import partial

import pytest
import torch

from .. import proofs, reasons
from ..expectations import expect_path_back

GRIDS = pytest.mark.parametrize(
    ("old", "new"),
    [((2, 6), (3, 4)), ((3, 5), (6, 7)), ((5, 4), (3, 2)), ((3, 2), (5, 3)), ((4, 4), (6, 6))],
    ids=["as-many-patches", "larger", "smaller", "taller", "square"],
)


def ramps(probe, height, width, num_prefix=1):
    """Return (num_prefix + N, 2): the row and the column of each patch, and 50 and more for those
    that are none."""
    place = torch.arange(height * width, dtype=torch.float64)
    patches = torch.stack([place.div(width, rounding_mode="floor"), place % width], dim=1)
    return torch.cat([probe.randn(num_prefix, 2) + 52, patches])


def interpolate(student, expect, positions, old, new, num_prefix=1):
    """Call the student's function; the positions have the right shape and no NaN, or the check
    ends."""
    scaled = student.interpolate_positions(positions, old, new, num_prefix)
    rows = num_prefix + new[0] * new[1]
    expect.floats(scaled, (*positions.shape[:-2], rows, positions.shape[-1]), what="positions")
    expect.finite(scaled, what="positions")
    return scaled


def why_wrong(stretch):
    """Return the reason for which what grew does not any more, or None."""
    return proofs.in_one_row(stretch) or proofs.features_mixed(stretch)


def expect_growth(student, expect, scaled, new):
    """Return ramps as a grid (h, w, 2): what grew still does, or the check ends."""
    grid = scaled.double().unflatten(0, new)
    for axis, lost in enumerate(
        (
            "what grew from row to row does not grow any more",
            "what grew from column to column does not grow any more",
        )
    ):
        step = grid[..., axis].diff(dim=axis)
        expect.true(
            step.min().item() > 1e-3,
            observed=lost,
            expected="positions in the order in which they were, each a little further",
            why=lambda: why_wrong(partial(interpolate, student, expect)),
        )
    return grid


class TestGrids:
    @GRIDS
    def test_what_grows_still_grows(self, student, probe, expect, old, new):
        """A feature that grows from row to row, or from column to column, still does."""
        scaled = interpolate(student, expect, ramps(probe, *old), old, new)
        expect_growth(student, expect, scaled[1:], new)

    @GRIDS
    def test_axes_stay_apart(self, student, probe, expect, old, new):
        """A feature that depends on the row alone still does, and so for the column."""
        scaled = interpolate(student, expect, ramps(probe, *old), old, new)
        grid = expect_growth(student, expect, scaled[1:], new)
        for axis, name in enumerate(("row", "column")):
            along = grid[..., axis].diff(dim=1 - axis).abs().amax().item()
            expect.true(
                along < 1e-5,
                observed=f"what hung on the {name} alone depends on the other coordinate too",
                expected="rows scaled as rows, and columns as columns",
                why=lambda: why_wrong(partial(interpolate, student, expect)),
            )

    @GRIDS
    def test_ramps_keep_their_range(self, student, probe, expect, old, new):
        """Nothing is made up: numbers stay about where they were, up to a little overshooting."""
        scaled = interpolate(student, expect, ramps(probe, *old), old, new)
        grid = expect_growth(student, expect, scaled[1:], new)
        highest = torch.tensor([old[0] - 1.0, old[1] - 1.0]).double()
        expect.true(
            bool((grid > -0.25).all() and (grid < highest + 0.25).all()),
            observed="positions beyond those of the old grid",
            expected="positions between those of the old grid",
        )

    @pytest.mark.parametrize("num_prefix", [0, 1, 3])
    def test_prefix_is_untouched(self, student, probe, expect, num_prefix):
        """As many rows as there are in the prefix come back as they were, and no others."""
        positions = ramps(probe, 3, 5, num_prefix)
        scaled = interpolate(student, expect, positions, (3, 5), (4, 7), num_prefix)
        prefix = scaled[:num_prefix]
        expect.close(
            prefix,
            positions[:num_prefix],
            what="rows of the prefix",
            atol=1e-5,
            why=lambda: proofs.prefix_moved(partial(interpolate, student, expect)),
        )
        grid = expect_growth(student, expect, scaled[num_prefix:], (4, 7))
        expect.true(
            bool((grid < 5).all()),
            observed="the prefix reaches into the patches",
            expected="a prefix that is set aside",
        )

    @GRIDS
    def test_batch_axis_changes_nothing(self, student, probe, expect, old, new):
        """(1, N, D) gives what (N, D) gives."""
        positions = ramps(probe, *old)
        plain = interpolate(student, expect, positions, old, new)
        expect_growth(student, expect, plain[1:], new)
        batched = interpolate(student.apart, expect, positions[None], old, new)
        expect.close(batched[0], plain, what="positions", atol=1e-6)

    @pytest.mark.fresh
    def test_weighted_sums(self, student, probe, expect):
        """On positions drawn for this submission, each is a sum of old ones with weights that add
        up to 1, for every feature alike."""
        old, new, features = (3, 5), (4, 7), 6
        weights = interpolate(student, expect, torch.eye(15).double(), old, new, 0).double()
        total = weights.sum(dim=1)
        expect.close(total, torch.ones_like(total), what="sum of the weights", atol=1e-4)
        expect.true(
            bool((weights.abs() > 1e-3).any(dim=0).all()),
            observed="some of the old positions are used nowhere",
            expected="every old position used",
        )
        positions = probe.randn(15, features)
        scaled = interpolate(student, expect, positions, old, new, 0)
        expect.close(scaled, weights @ positions, what="positions", atol=1e-4)


class TestNumerics:
    @pytest.mark.parametrize(
        "dtype",
        [torch.float64, torch.float32, torch.float16, torch.bfloat16],
        ids=["float64", "float32", "float16", "bfloat16"],
    )
    def test_dtype_is_kept(self, student, probe, expect, dtype):
        """Positions keep their dtype, and are about right in it."""
        row = probe.randn(1, 7, dtype=dtype)
        positions = row.expand(16, 7).contiguous()
        scaled = interpolate(student, expect, positions, (3, 5), (4, 7))
        expect.dtype(scaled, dtype, what="positions")
        expect.close(scaled, row.expand(29, 7), what="positions", atol=3e-2)


class TestGradients:
    def test_gradient_of_the_positions(self, student, probe, expect):
        """The gradient tells how the result changes when the positions move."""
        positions, direction = probe.randn(16, 7).requires_grad_(), probe.randn(16, 7)
        probed = probe.randn(29, 7)
        scaled = interpolate(student, expect, positions * 1, (3, 5), (4, 7))
        expect_path_back(expect, scaled, expected="a gradient for the positions")
        total = (scaled * probed).sum()
        (gradient,) = torch.autograd.grad(total, positions, materialize_grads=True)
        unreached = (gradient.abs().amax(dim=1) < 1e-9).nonzero().flatten().tolist()
        expect.true(
            not unreached,
            observed=f"no gradient reaches rows {unreached}",
            expected="a gradient for every position, those of the prefix included",
            why=lambda: reasons.NO_GRADIENT,
        )
        with torch.no_grad():
            moved = interpolate(student, expect, positions + direction, (3, 5), (4, 7))
        slope = (moved * probed).sum() - total
        expect.close((gradient * direction).sum(), slope, what="slope", atol=1e-3)


class TestState:
    def test_positions_are_not_modified(self, student, probe, expect):
        """The positions are the same after the call as before it."""
        positions = probe.randn(16, 7)
        expect.unchanged(student.interpolate_positions, positions, (3, 5), (4, 7))

    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after another one, for another grid and width."""
        expect.starts_anew(student.sincos_2d, expect.call(2, 3, 8), expect.call(4, 3, 12))
