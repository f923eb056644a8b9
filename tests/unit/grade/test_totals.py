"""Rules on totals never exceed a cap, never fall when more is earned, and know no order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.course.totals import Bonus, Cap, Drop, Totals, slugs_of
from grader.grade.totals import Rule, Worth, ruled

SLUGS = ("a1.x", "a1.y", "a1.z", "a2.x", "a2.y", "a3.x")
GROUPS = (("a1",), ("a2",), ("a1", "a2"), ("a3",), ())
"""Of any two, one holds the other or they have nothing in common, as the rubric demands."""

points = st.fractions(min_value=0, max_value=10, max_denominator=4)
above_zero = st.fractions(min_value=Fraction(1, 4), max_value=10, max_denominator=4)
drops = st.sampled_from(
    (
        (),
        (Drop(1, ("a1.x", "a1.y", "a1.z")),),
        (Drop(2, ("a1.x", "a1.y", "a1.z")), Drop(1, ("a2.x", "a2.y"))),
    )
)
bonuses = st.builds(
    Bonus,
    above_zero,
    st.sampled_from((("a1",), ("a1.x", "a2.x"), ("a3",))),
    st.just("well done"),
    st.sampled_from((Fraction(1), Fraction(4, 5), Fraction(1, 3))),
)
caps = st.builds(Cap, above_zero, st.sampled_from(GROUPS))
rules = st.builds(
    Totals,
    drops,
    st.lists(bonuses, max_size=3).map(tuple),
    st.lists(caps, max_size=4).map(tuple),
)


@st.composite
def worths(draw: st.DrawFn) -> dict[str, Worth]:
    """Draw what each exercise is worth, and what was earned of it."""
    result = {}
    for slug in SLUGS:
        most = draw(above_zero)
        share = draw(st.fractions(min_value=0, max_value=1, max_denominator=4))
        result[slug] = Worth(most * share, most)
    return result


def total(totals: Totals, worth: Mapping[str, Worth], group: tuple[str, ...] = ()) -> Fraction:
    """The points of a group with all that rules change inside of it."""
    own = slugs_of(group, SLUGS)
    earned = sum((worth[slug].earned for slug in own), Fraction(0))
    changed = (one for one in ruled(totals, worth, SLUGS) if slugs_of(one.of, SLUGS) <= own)
    return earned + sum((one.points for one in changed), Fraction(0))


@settings(max_examples=60)
@given(rules, worths())
def test_no_group_is_above_its_cap(totals: Totals, worth: dict[str, Worth]) -> None:
    assert [cap for cap in totals.caps if total(totals, worth, cap.of) > cap.at_most] == []


@settings(max_examples=60)
@given(rules, worths(), st.sampled_from(SLUGS), points)
def test_more_points_never_make_less_in_all(
    totals: Totals, worth: dict[str, Worth], slug: str, more: Fraction
) -> None:
    one = worth[slug]
    raised = {**worth, slug: replace(one, earned=min(one.most, one.earned + more))}
    assert total(totals, worth) <= total(totals, raised)


@settings(max_examples=60)
@given(rules, worths(), st.randoms(use_true_random=False))
def test_no_order_matters(totals: Totals, worth: dict[str, Worth], random: object) -> None:
    shuffled = Totals(
        tuple(replace(one, of=one.of[::-1]) for one in totals.drops[::-1]),
        totals.bonuses[::-1],
        totals.caps[::-1],
    )
    backwards = dict(reversed(worth.items()))
    assert total(totals, worth) == total(shuffled, backwards)


@settings(max_examples=60)
@given(rules, worths())
def test_nobody_gets_below_zero(totals: Totals, worth: dict[str, Worth]) -> None:
    assert total(totals, worth) >= 0


@settings(max_examples=60)
@given(worths(), st.integers(1, 2))
def test_what_counts_is_the_best_choice_there_is(worth: dict[str, Worth], lowest: int) -> None:
    names = ("a1.x", "a1.y", "a1.z")
    changes = ruled(Totals((Drop(lowest, names),)), worth, SLUGS)
    best = max(
        sum(worth[n].earned for n in kept) / sum(worth[n].most for n in kept)
        for kept in combinations(names, len(names) - lowest)
    )
    gained = best * sum(worth[n].most for n in names) - sum(worth[n].earned for n in names)
    assert sum(one.points for one in changes) == gained


def of(**earned: int) -> dict[str, Worth]:
    return {
        slug: Worth(Fraction(earned.get(slug.replace(".", "_"), 0)), Fraction(5)) for slug in SLUGS
    }


@pytest.mark.parametrize(
    ("totals", "changed"),
    [
        pytest.param(
            Totals((Drop(2, ("a1.x", "a1.y", "a1.z")),)), [("drop", "6")], id="two are dropped"
        ),
        pytest.param(
            Totals((Drop(1, ("a1", "a2")),)), [("drop", "2")], id="an assignment is one member"
        ),
        pytest.param(
            Totals(bonuses=(Bonus(Fraction(2), ("a1.x",), "why"),)), [("bonus", "2")], id="a bonus"
        ),
        pytest.param(Totals(bonuses=(Bonus(Fraction(2), ("a1",), "why"),)), [], id="no bonus"),
        pytest.param(
            Totals(bonuses=(Bonus(Fraction(2), ("a1",), "why", Fraction(3, 5)),)),
            [("bonus", "2")],
            id="a bonus for a part, reached exactly",
        ),
        pytest.param(Totals(caps=(Cap(Fraction(9), ("a1",)),)), [], id="a cap just reached"),
        pytest.param(
            Totals(caps=(Cap(Fraction(10)), Cap(Fraction(8), ("a1",)))),
            [("cap", "-2"), ("cap", "-1")],
            id="a cap within a cap",
        ),
        pytest.param(
            Totals(
                bonuses=(Bonus(Fraction(2), ("a1.x",), "why"),), caps=(Cap(Fraction(10), ("a1",)),)
            ),
            [("bonus", "2"), ("cap", "-1")],
            id="a bonus under a cap",
        ),
        pytest.param(
            Totals(
                bonuses=(Bonus(Fraction(2), ("a1", "a2"), "why", Fraction(1, 5)),),
                caps=(Cap(Fraction(9), ("a1",)),),
            ),
            [("bonus", "2")],
            id="a bonus for more than the cap holds",
        ),
    ],
)
def test_a_rule_changes(totals: Totals, changed: list[tuple[str, str]]) -> None:
    worth = of(a1_x=5, a1_y=3, a1_z=1, a2_x=4)
    found = [(str(one.rule), str(one.points)) for one in ruled(totals, worth, SLUGS)]
    assert found == changed


def test_of_a_group_that_is_graded_in_part_nothing_is_dropped_and_no_bonus_given() -> None:
    rules = Totals(
        (Drop(1, ("a1.x", "a1.y")),),
        (Bonus(Fraction(2), ("a1",), "why", Fraction(1, 5)),),
        (Cap(Fraction(2)),),
    )
    [only] = ruled(rules, {"a1.x": Worth(Fraction(5), Fraction(5))}, SLUGS)
    assert (only.rule, only.points, only.had) == (Rule.CAP, Fraction(-3), Fraction(5))


def test_where_some_are_worth_more_the_choice_is_not_by_the_lowest_part() -> None:
    worth = {
        "a1.x": Worth(Fraction(5), Fraction(10)),
        "a1.y": Worth(Fraction(2, 5), Fraction(1)),
        "a1.z": Worth(Fraction(9), Fraction(10)),
    }
    [drop] = ruled(Totals((Drop(1, ("a1.x", "a1.y", "a1.z")),)), worth, worth)
    assert (drop.left_out, drop.share) == (("a1.x",), Fraction(47, 55))
