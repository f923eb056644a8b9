"""a5.positions, public criteria: shapes and values."""

import pytest
import torch

B, H, T, DH = 2, 3, 5, 8


class TestShapes:
    @pytest.mark.parametrize(
        ("count", "dim"), [(T, DH), (1, 2)], ids=["usual", "one-of-everything"]
    )
    def test_table(self, student, expect, count, dim):
        """The table of sines and cosines is (T, dim)."""
        expect.floats(student.sinusoidal_positions(count, dim), (count, dim), what="table")

    def test_odd_width(self, student, expect):
        """An odd width raises a ValueError that names it."""
        expect.raises(ValueError, student.sinusoidal_positions, T, 7, mentions=("7",))

    @pytest.mark.parametrize(
        "shape", [(B, H, T, DH), (1, 1, 1, 2)], ids=["usual", "one-of-everything"]
    )
    def test_turned(self, student, probe, expect, shape):
        """Turning keeps the shape (B, H, T, Dh)."""
        x = probe.randn(*shape)
        expect.shape(student.apply_rope(x, torch.arange(shape[2])), shape, what="result")

    def test_non_contiguous_input(self, student, probe, expect):
        """Heads that were split and transposed are as good as a contiguous tensor."""
        x = probe.randn(B, T, H, DH).transpose(1, 2)
        expect.shape(student.apply_rope(x, torch.arange(T)), (B, H, T, DH), what="result")


class TestOutputs:
    @pytest.mark.parametrize(("count", "dim"), [(T, DH), (20, 6), (4, 4)])
    def test_table(self, student, reference, expect, count, dim):
        """Sines and cosines alternate, with the frequencies of the paper."""
        table = student.sinusoidal_positions(count, dim)
        expect.floats(table, (count, dim), what="table")
        expect.close(table, reference.sinusoidal_positions(count, dim), what="table")

    @pytest.mark.parametrize("shape", [(B, H, T, DH), (4, 4, 4, 4)], ids=["all-differ", "alike"])
    def test_turned(self, student, reference, probe, expect, shape):
        """Neighbouring features are turned by the angles of their position."""
        x, positions = probe.randn(*shape), torch.arange(shape[2])
        expect.matches(student.apply_rope, reference.apply_rope, x, positions)

    def test_other_positions(self, student, reference, probe, expect):
        """Positions need not start at 0, nor be in order."""
        positions = torch.tensor([11, 3, 3, 0, 38])
        expect.matches(
            student.apply_rope, reference.apply_rope, probe.randn(B, H, T, DH), positions
        )

    def test_other_base(self, student, reference, probe, expect):
        """Another base gives other frequencies."""
        x = probe.randn(B, H, T, DH)
        expect.matches(student.apply_rope, reference.apply_rope, x, torch.arange(T), base=100.0)
