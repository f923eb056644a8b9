"""Ticked items add up within their bounds, and say to students what the marking guide says."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from grader.course.mark_schemes import SchemeItem, comments_in, earned, with_comments

POINTS = st.fractions(-5, 5, max_denominator=6)
SCHEMES = st.lists(POINTS, min_size=1, max_size=6).map(
    lambda points: tuple(SchemeItem(f"i{n}", one) for n, one in enumerate(points))
)


@given(SCHEMES, st.sets(st.sampled_from([f"i{n}" for n in range(6)])), st.fractions(0, 9))
def test_a_sum_stays_within_the_question(
    items: tuple[SchemeItem, ...], ticked: set[str], most: Fraction
) -> None:
    assert 0 <= earned(items, ticked, most) <= most


@given(SCHEMES, st.fractions(0, 9))
def test_a_tick_that_gives_points_never_takes_any(
    items: tuple[SchemeItem, ...], most: Fraction
) -> None:
    for one in items:
        rest = {other.id for other in items} - {one.id}
        more = earned(items, {*rest, one.id}, most) - earned(items, rest, most)
        assert more * one.points >= 0


@given(SCHEMES)
def test_within_the_bounds_the_sum_is_exact(items: tuple[SchemeItem, ...]) -> None:
    ticked = {one.id for one in items if one.points > 0}

    assert earned(items, ticked, Fraction(99)) == sum(one.points for one in items if one.points > 0)


GUIDE = """\
How to read it, in general: look at the reason.

- root: Names the root
  of the head width.
* `variance`: The variance grows.
- 1 point: not an item of any scheme.
  - nested: neither.
- root: a second time.
"""


def test_a_guide_says_what_each_item_is() -> None:
    assert comments_in(GUIDE) == {
        "root": "Names the root of the head width.",
        "variance": "The variance grows.",
    }


def test_an_item_without_a_word_in_the_guide_shows_its_id() -> None:
    items = (SchemeItem("root", Fraction(1)), SchemeItem("guess", Fraction(-1, 2)))

    assert [one.remark for one in with_comments(items, GUIDE)] == [
        "Names the root of the head width. (+1)",
        "guess (-0.5)",
    ]
