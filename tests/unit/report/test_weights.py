"""Weights beside the right ones say which row is wrong, and take a part of a screen."""

from __future__ import annotations

from grader.grade.evidence import Weights
from grader.report.weights import beside


def plain(weights: Weights, is_unicode: bool = True) -> str:
    found = beside(weights, is_unicode)
    assert found is not None
    return found.plain


def test_both_have_the_same_shades() -> None:
    weights = Weights(((0.5, None), (0.25, 0.25)), ((1.0, 0.0), (0.5, 0.5)))

    assert plain(weights) == (
        "yours     expected\n    0  1      0  1\n0  ▒▒ !!  0  ██\n1  ░░ ░░  1  ▒▒ ▒▒"
    )


def test_large_and_uneven_ones_are_cut() -> None:
    large = tuple((0.5,) * 16 for _ in range(16))
    lines = plain(Weights(large, large[:3], cut=True)).splitlines()

    assert len(lines) == 10
    assert max(map(len, lines)) <= 60


def test_a_terminal_without_unicode_draws_them_too() -> None:
    weights = Weights(((1.0, -0.5),), ((0.5, 0.5),))

    assert plain(weights, is_unicode=False).encode("ascii").splitlines()[2] == b"0  ## --  0  :: ::"


def test_what_would_look_alike_is_not_drawn() -> None:
    assert beside(Weights(((0.5, 0.5),), ((0.52, 0.48),))) is None
    assert beside(Weights(((0.9, 0.1),), ((0.5, 0.5),))) is not None


def test_without_room_they_stand_one_below_the_other() -> None:
    large = tuple((0.5,) * 8 for _ in range(8))
    weights = Weights(large, tuple((1.0,) * 8 for _ in range(8)))
    wide, narrow = (beside(weights, room=room) for room in (54, 53))

    assert wide is not None and narrow is not None
    assert len(wide.plain.splitlines()) == 10
    lines = narrow.plain.splitlines()
    assert [lines[0], lines[10], len(lines)] == ["yours", "expected", 20]
    assert max(map(len, lines)) <= 53
