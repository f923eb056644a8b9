"""Plans are remembered, and not without end."""

from __future__ import annotations

from grader.judge.bind.plan import MAX_PLANS, Plan, Plans


def plan() -> Plan:
    return Plan.__new__(Plan)


def test_a_plan_is_made_once() -> None:
    plans, made = Plans(), []
    for _ in range(3):
        plans.get("key", lambda: made.append(plan()) or made[-1])  # type: ignore[func-returns-value]
    assert len(made) == 1


def test_the_plan_that_was_not_asked_for_longest_goes() -> None:
    plans = Plans()
    first = plans.get("first", plan)
    for number in range(MAX_PLANS - 1):
        plans.get(number, plan)
    assert plans.get("first", plan) is first
    plans.get("one more", plan)
    assert len(plans) == MAX_PLANS
    assert plans.get("first", plan) is first
