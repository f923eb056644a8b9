"""A mistake that nobody is told of needs a reason in its entry, and no other one may have one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.misconceptions import Misconception
from grader.validate.data import CourseData, Edited, read_course
from grader.validate.diagnosis import Diagnosed, NamedCauses, Table, Verdict, unexplained

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
