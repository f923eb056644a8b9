"""f1.blur, public criteria: shapes and values."""

import pytest

B, R, C = 2, 5, 6


class TestShapes:
    @pytest.mark.parametrize("side", [1, 3])
    def test_output(self, student, probe, expect, side):
        """The result has the shape of the images."""
        expect.shape(student.box_blur(probe.randn(B, R, C), side), (B, R, C), what="result")

    def test_even_side_is_refused(self, student, probe, expect):
        """An even side raises a ValueError that names it."""
        expect.raises(ValueError, student.box_blur, probe.randn(B, R, C), 4, mentions=("4",))


class TestOutputs:
    @pytest.mark.parametrize("side", [3, 5])
    def test_values(self, student, reference, probe, expect, side):
        """The values are right."""
        expect.matches(student.box_blur, reference.box_blur, probe.randn(B, R, C), side)
