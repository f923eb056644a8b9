"""Lateness costs nothing in time, never more than the rubric says, and never less if later."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.late import Amount, LatePolicy
from grader.grade.lateness import HandedIn, lateness, taken
from grader.text.moments import DAY_S, Moment

DUE = Moment(1_000_000)
HOUR_S = 60 * 60

fractions = st.fractions(min_value=0, max_value=100, max_denominator=8)
shares = st.builds(lambda n: Amount(Fraction(n, 100), is_share=True), st.integers(1, 100))
amounts = shares | st.builds(Amount, st.fractions(min_value=1, max_value=20, max_denominator=4))
policies = st.builds(
    LatePolicy,
    grace_s=st.integers(0, DAY_S),
    per_day=amounts,
    at_most=st.none() | amounts,
    free_days=st.integers(0, 5),
    closes_after_s=st.none() | st.integers(0, 20 * DAY_S),
)


@st.composite
def handed_in(draw: st.DrawFn) -> tuple[HandedIn, ...]:
    """Draw up to three assignments with deadlines, extensions and times of their own."""
    result = []
    for number in range(draw(st.integers(1, 3))):
        deadline = DUE.later(draw(st.integers(0, 10)) * DAY_S)
        due = deadline.later(draw(st.sampled_from((0, 0, 2 * DAY_S))))
        at = due.later(draw(st.integers(-2 * DAY_S, 15 * DAY_S)))
        result.append(HandedIn(draw(fractions), at, due, deadline, f"a{number}"))
    return tuple(result)


def costs(policy: LatePolicy, all: tuple[HandedIn, ...]) -> Fraction:
    return sum((one.cost for one in lateness(policy, all)), Fraction(0))


def one_late_by(seconds: int, earned: int = 41) -> HandedIn:
    return HandedIn(Fraction(earned), DUE.later(seconds), DUE, DUE)


TEN = Amount(Fraction(1, 10), is_share=True)


@pytest.mark.parametrize(
    ("policy", "seconds", "days", "cost"),
    [
        pytest.param(LatePolicy(per_day=TEN), 0, 0, "0", id="to the second"),
        pytest.param(LatePolicy(per_day=TEN), 1, 1, "4.1", id="a day has begun"),
        pytest.param(LatePolicy(per_day=TEN), DAY_S, 1, "4.1", id="a day"),
        pytest.param(LatePolicy(per_day=TEN), DAY_S + 1, 2, "8.2", id="a second day has begun"),
        pytest.param(LatePolicy(grace_s=600, per_day=TEN), 600, 0, "0", id="in the grace"),
        pytest.param(
            LatePolicy(grace_s=600, per_day=TEN), DAY_S + 600, 1, "4.1", id="grace moves days"
        ),
        pytest.param(LatePolicy(per_day=Amount(Fraction(2))), 3 * DAY_S, 3, "6", id="points"),
        pytest.param(LatePolicy(per_day=Amount(Fraction(20))), 3 * DAY_S, 3, "41", id="not below"),
        pytest.param(
            LatePolicy(per_day=TEN, at_most=Amount(Fraction(1, 2), is_share=True)),
            9 * DAY_S, 9, "20.5", id="at most",
        ),
        pytest.param(LatePolicy(per_day=TEN, free_days=3), 4 * DAY_S, 4, "4.1", id="free days"),
        pytest.param(
            LatePolicy(per_day=TEN, closes_after_s=DAY_S), DAY_S, 1, "4.1", id="just open"
        ),
        pytest.param(
            LatePolicy(per_day=TEN, at_most=TEN, free_days=9, closes_after_s=DAY_S),
            DAY_S + 1, 2, "41", id="closed, whatever else holds",
        ),
    ],
)  # fmt: skip
def test_a_submission_costs(policy: LatePolicy, seconds: int, days: int, cost: str) -> None:
    late = lateness(policy, [one_late_by(seconds)])
    assert sum(one.days for one in late) == days
    assert sum((one.cost for one in late), Fraction(0)) == Fraction(cost)


@given(policies, handed_in())
def test_nothing_is_taken_that_was_not_earned(
    policy: LatePolicy, all: tuple[HandedIn, ...]
) -> None:
    late = lateness(policy, all)
    assert [one for one in late if not 0 <= one.cost <= one.of.earned] == []


@given(policies, handed_in())
def test_days_take_no_more_than_at_most(policy: LatePolicy, all: tuple[HandedIn, ...]) -> None:
    limit = policy.at_most or Amount(Fraction(1), is_share=True)
    days = [one for one in lateness(policy, all) if one.closed_after_s is None]
    assert [one for one in days if one.cost > limit.of(one.of.earned)] == []


@given(policies, handed_in(), st.integers(0, 2), st.integers(0, 10 * DAY_S))
def test_later_never_costs_less(
    policy: LatePolicy, all: tuple[HandedIn, ...], which: int, more_s: int
) -> None:
    which %= len(all)
    later = replace(all[which], at=all[which].at.later(more_s))
    assert costs(policy, all) <= costs(policy, (*all[:which], later, *all[which + 1 :]))


@given(policies, handed_in(), st.integers(0, 2), st.integers(0, 10 * DAY_S))
def test_an_extension_never_costs_more(
    policy: LatePolicy, all: tuple[HandedIn, ...], which: int, more_s: int
) -> None:
    which %= len(all)
    extended = replace(all[which], due=all[which].due.later(more_s))
    assert costs(policy, (*all[:which], extended, *all[which + 1 :])) <= costs(policy, all)


@given(policies, handed_in())
def test_who_is_in_time_pays_nothing(policy: LatePolicy, all: tuple[HandedIn, ...]) -> None:
    in_time = tuple(replace(one, at=one.due.later(policy.grace_s)) for one in all)
    assert lateness(policy, in_time) == ()


@given(policies, handed_in())
def test_free_days_are_used_first(policy: LatePolicy, all: tuple[HandedIn, ...]) -> None:
    late = lateness(policy, all)
    used = [one.free for one in late]
    assert sum(used) == min(policy.free_days, sum(one.days for one in late))
    # Whoever pays for a day has left no free day to a later deadline.
    paying = [place for place, one in enumerate(late) if one.free < one.days]
    assert sum(used[min(paying, default=len(late)) + 1 :]) == 0


@given(policies, handed_in(), st.fractions(-100, 100, max_denominator=4))
def test_lateness_leaves_nobody_below_zero(
    policy: LatePolicy, all: tuple[HandedIn, ...], others: Fraction
) -> None:
    earned = sum((one.earned for one in all), Fraction(0))
    lost = sum(taken([one.cost for one in lateness(policy, all)], earned, others), Fraction(0))
    without = earned + others
    assert min(without, Fraction(0)) <= without - lost
    assert max(Fraction(0), others) <= max(without - lost, Fraction(0))


def test_the_first_deadline_uses_free_days_wherever_it_stands() -> None:
    policy = LatePolicy(per_day=TEN, free_days=2)
    first = HandedIn(Fraction(10), DUE.later(2 * DAY_S), DUE, DUE, "a2")
    second = replace(first, deadline=DUE.later(HOUR_S), due=DUE.later(HOUR_S), assignment="a1")

    late = lateness(policy, (second, first))
    assert [(one.of.assignment, one.free, one.cost) for one in late] == [
        ("a2", 2, Fraction(0)),
        ("a1", 0, Fraction(2)),
    ]


def test_what_was_given_beside_the_checks_is_not_taken() -> None:
    assert taken([Fraction(9)], Fraction(5), Fraction(3)) == (Fraction(5),)


@pytest.mark.parametrize(("days", "is_limited"), [(4, False), (5, False), (6, True)])
def test_a_limit_is_named_only_where_days_would_take_more(days: int, is_limited: bool) -> None:
    half = Amount(Fraction(1, 2), is_share=True)
    [late] = lateness(LatePolicy(per_day=TEN, at_most=half), [one_late_by(days * DAY_S)])
    assert late.limit == (half if is_limited else None)
