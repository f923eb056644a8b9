"""A mistake that nobody is told of needs a reason in its entry, and no other one may have one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.misconceptions import Misconception
from grader.engine.engine import Options
from grader.grade.evidence import Cause, Observation, Outcome
from grader.validate.data import CourseData, Edited, read_course
from grader.validate.diagnosis import (
    Diagnosed,
    NamedCauses,
    Table,
    Verdict,
    amounting_to_one,
    named_causes,
    unexplained,
)
from grader.validate.trials import trial_of

ROOT = Path(__file__).resolve().parents[3]
ENTRY = Misconception("blur.one", (), "blur", (), ("outputs",))
EMPTY = Table("", ())


def data_with(unnamed: str) -> CourseData:
    course = find_course(ROOT / "tests/toy_course")
    entry = replace(ENTRY, unnamed=unnamed)
    edited = Edited("f1_filters", entry, "f1.py:3", "", (), ("f1.blur",))
    return replace(read_course(course), edited=[edited])


def row(verdict: Verdict) -> NamedCauses:
    return NamedCauses(ENTRY.id, "f1.blur", verdict, (), "")


@pytest.mark.parametrize(
    ("verdict", "why", "told"),
    [
        (Verdict.NAMED, "", []),
        (Verdict.SILENT, "a device is no number", []),
        (
            Verdict.SILENT,
            "",
            ["f1.py:3  blur.one is not named: say why in `unnamed`, or make a check tell it"],
        ),
        (
            Verdict.NAMED,
            "a device is no number",
            ["f1.py:3  blur.one is named: take its `unnamed` away"],
        ),
    ],
)
def test_what_is_unexplained(verdict: Verdict, why: str, told: list[str]) -> None:
    assert list(unexplained(data_with(why), [row(verdict)])) == told


def test_shares_are_asked_for_of_whole_courses_only() -> None:
    """Of three answers one that is not named is more than 5 %, and may have its reason."""
    half = Table("self", (row(Verdict.NAMED), row(Verdict.SILENT)))
    whole = Diagnosed(half, EMPTY, EMPTY, EMPTY, (), ())

    assert whole.failures == ("fewer than 95% are named as themselves",)
    assert replace(whole, whole=False).failures == ()
    assert replace(whole, whole=False, unexplained=("told",)).failures == ("told",)


def told(*ids: str) -> Observation:
    """A failed check that is told the first mistake, and the others beside it."""
    first, *others = (Cause(id, "", 3, 3, id != ids[0]) for id in ids)
    return Observation(
        "f1.blur/outputs/test_values", "", Outcome.FAILED, cause=first, also=tuple(others)
    )


def test_two_mistakes_that_are_told_together_are_noted() -> None:
    def in_pairs(*ids: str) -> bool:
        return named_causes(ENTRY.id, "f1.blur", [told(*ids)], {ENTRY.id}, {*ids}).in_pairs

    assert in_pairs("blur.two", "blur.three")
    assert not in_pairs("blur.two")


@pytest.mark.parametrize(
    ("first", "again", "verdict"),
    [
        (("blur.two", "blur.three"), ("blur.two", "blur.three"), Verdict.NAMED),
        (("blur.two", "blur.three"), ("blur.two", "blur.four"), Verdict.WRONG),
        (("blur.two",), ("blur.two",), Verdict.WRONG),
    ],
    ids=["the pair again", "another pair", "one mistake"],
)
def test_a_mistake_that_two_others_amount_to_is_named_by_them(
    monkeypatch: pytest.MonkeyPatch,
    first: tuple[str, ...],
    again: tuple[str, ...],
    verdict: Verdict,
) -> None:
    """They are named on other inputs as well; one mistake for another is wrong on all inputs."""
    data = data_with("")
    known = {ENTRY.id, "blur.two", "blur.three", "blur.four"}
    once_more = type("Result", (), {"observations": (), "without": (told(*again),)})
    monkeypatch.setattr(
        "grader.validate.diagnosis.graded_for_real",
        lambda _data, trials, _options: {trial.id: once_more for trial in trials},
    )
    row = named_causes(ENTRY.id, "f1.blur", [told(*first)], {ENTRY.id}, known)
    trials = [trial_of(data, each) for each in data.misconceptions]
    (result,) = amounting_to_one(data, trials, [row], known, Options())

    assert row.verdict is Verdict.WRONG
    assert result.verdict is verdict
