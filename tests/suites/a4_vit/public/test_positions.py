"""a4.positions, public criteria: shapes, and what can be read off single numbers."""

import pytest
import torch


def waves(height, width, dim):
    """Return the columns of the table by what they are, in words."""
    columns = {}
    for axis, name in enumerate(("row", "column")):
        place = torch.arange(height * width, dtype=torch.float64)
        place = place.div(width, rounding_mode="floor") if axis == 0 else place % width
        for i in range(dim // 4):
            omega = 10000.0 ** (-2 * i / (dim / 2))
            columns[f"sin({name} · omega_{i})"] = (place * omega).sin()
            columns[f"cos({name} · omega_{i})"] = (place * omega).cos()
    return columns


def expect_waves(expect, table, height, width, dim):
    """Every column is there once, in whatever order."""
    expect.floats(table, (height * width, dim), what="table")
    left = list(table.double().unbind(1))
    for name, wanted in waves(height, width, dim).items():
        gaps = [(column - wanted).abs().max().item() for column in left]
        nearest = min(range(len(gaps)), key=gaps.__getitem__)
        expect.true(
            gaps[nearest] < 1e-4,
            observed=f"no column of the table is {name}",
            expected="a sine and a cosine of the row and of the column for each omega_i, "
            "with rows counted as on a page and coordinates from 0",
        )
        left.pop(nearest)


class TestShapes:
    @pytest.mark.parametrize(("height", "width", "dim"), [(3, 5, 8), (1, 1, 4), (4, 4, 12)])
    def test_table(self, student, expect, height, width, dim):
        """One row for each patch, dim columns."""
        expect.shape(student.sincos_2d(height, width, dim), (height * width, dim), what="table")

    @pytest.mark.parametrize("dim", [6, 9])
    def test_width_that_does_not_divide(self, student, expect, dim):
        """If dim is no multiple of 4, a ValueError names it."""
        expect.raises(ValueError, student.sincos_2d, 2, 3, dim, mentions=(str(dim),))

    @pytest.mark.parametrize("form", ["plain", "with-a-batch-axis"])
    @pytest.mark.parametrize("num_prefix", [1, 0, 2])
    def test_interpolated(self, student, probe, expect, form, num_prefix):
        """(N, D) stays (M, D) and (1, N, D) stays (1, M, D), with as many rows as the new grid
        has patches, and those of the prefix."""
        lead = (1,) if form == "with-a-batch-axis" else ()
        positions = probe.randn(*lead, num_prefix + 15, 7)
        scaled = student.interpolate_positions(positions, (3, 5), (6, 7), num_prefix=num_prefix)
        expect.shape(scaled, (*lead, num_prefix + 42, 7), what="positions")

    def test_non_contiguous_positions(self, student, probe, expect):
        """Positions that are a transposed view are as good as others."""
        positions = probe.randn(7, 16).T
        scaled = student.interpolate_positions(positions, (3, 5), (2, 4))
        expect.shape(scaled, (9, 7), what="positions")


class TestOutputs:
    @pytest.mark.parametrize(
        ("height", "width", "dim"),
        [(3, 5, 8), (5, 3, 12), (4, 4, 4), (1, 6, 8)],
        ids=["wide", "tall", "square-one-frequency", "one-row"],
    )
    def test_waves(self, student, expect, height, width, dim):
        """The table has a sine and a cosine of both coordinates for each frequency."""
        expect_waves(expect, student.sincos_2d(height, width, dim), height, width, dim)

    @pytest.mark.parametrize("grid", [(3, 5), (4, 4), (1, 6)], ids=["wide", "square", "one-row"])
    def test_same_grid(self, student, probe, expect, grid):
        """On the same grid nothing changes."""
        positions = probe.randn(1 + grid[0] * grid[1], 7)
        other = student.interpolate_positions(positions, grid, (2, 4))
        expect.shape(other, (9, 7), what="positions on another grid")
        scaled = student.interpolate_positions(positions, grid, grid)
        expect.close(scaled, positions, what="positions", atol=1e-5)

    def test_class_token_is_untouched(self, student, probe, expect):
        """The row of the class token comes back as it was."""
        positions = probe.randn(16, 7)
        scaled = student.interpolate_positions(positions, (3, 5), (6, 7))
        expect.floats(scaled, (43, 7), what="positions")
        expect.close(scaled[0], positions[0], what="row 0", atol=1e-6)

    def test_equal_positions_stay_equal(self, student, probe, expect):
        """If all patches have the same position, they have it on the new grid as well."""
        row = probe.randn(1, 7)
        positions = torch.cat([probe.randn(1, 7), row.expand(15, 7)])
        scaled = student.interpolate_positions(positions, (3, 5), (6, 7))
        expect.floats(scaled, (43, 7), what="positions")
        expect.close(scaled[1:], row.expand(42, 7), what="positions of the patches", atol=1e-5)
