"""Practice knows public criteria and public suites, and nothing else of a course."""

from __future__ import annotations

from pathlib import Path

from grader.course.course import find_course
from grader.course.prerequisites import with_prerequisites
from grader.course.rubric import Visibility
from grader.live.course import practice_course, practice_hello

COURSE = find_course(Path(__file__).parent)


def test_no_hidden_criterion_is_left() -> None:
    kept = practice_course(COURSE).rubric.exercises

    assert {c.visibility for one in kept.values() for c in one.criteria.values()} == {
        Visibility.PUBLIC
    }
    assert len(kept) == len(COURSE.rubric.exercises)


def test_the_judge_is_told_of_no_hidden_suite() -> None:
    plans = practice_hello(practice_course(COURSE)).exercises

    assert {Path(path).parent.name for plan in plans for path in plan.suites} == {"public"}
    assert [plan.hidden for plan in plans] == [frozenset()] * len(plans)


def test_an_exercise_comes_with_what_it_is_built_on() -> None:
    assert with_prerequisites(COURSE.rubric, ["a3.wrapper"]) == (
        "a1.softmax",
        "a1.sdpa",
        "a2.causal_attention",
        "a3.wrapper",
    )
