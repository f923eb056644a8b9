"""f1.sobel, hidden criterion: directions."""

import pytest

B, R, C = 2, 5, 6


class TestDirections:
    @pytest.mark.fresh
    def test_a_ramp_to_the_right(self, student, probe, expect):
        """An image that gets brighter to the right shows in that direction only."""
        right, down = expect.items(student.sobel(rising(probe, C).expand(B, R, C)), 2)
        expect_only(expect, right, down)

    def test_a_ramp_downwards(self, student, probe, expect):
        """An image that gets brighter downwards shows in that direction only."""
        right, down = expect.items(student.sobel(rising(probe, R)[:, None].expand(B, R, C)), 2)
        expect_only(expect, down, right)


def rising(probe, count):
    """Numbers of which each is larger than the one before."""
    return (probe.rand(count) + 0.1).cumsum(0)


def expect_only(expect, rises, flat):
    expect.floats(rises, (B, R - 2, C - 2))
    expect.floats(flat, (B, R - 2, C - 2))
    expect.close(flat, flat * 0, what="the other direction")
    expect.true(
        bool((rises > 0).all()),
        observed="not positive everywhere",
        expected="positive where it gets brighter",
    )
