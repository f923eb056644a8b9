"""Questions in a rubric: read exactly, or refused with their place and a suggestion."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.questions import WrittenItem
from grader.course.rubric import Rubric
from grader.course.rubric_file import RubricError, load_rubric

RUBRIC = """\
course: toy
seed: toy
assignments: {{t1: t1_toy, t2: t2_toy}}
exercises:
  t1.blur:
    targets: [blur]
    criteria: {{outputs: {{points: 1, visibility: public}}}}
  t1.stack:
    targets: [stack]
    criteria: {{outputs: {{points: 1, visibility: public}}}}
  t2.last:
    targets: [last]
    criteria: {{outputs: {{points: 1, visibility: public}}}}
{more}
"""
WRITTEN = """\
written:
  t1.why: {points: 2.5, question: Why?}
  t2.how: {points: 1, question: How?}
"""


def read(tmp_path: Path, more: str) -> Rubric:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC.format(more=more), encoding="utf-8")
    return load_rubric(path)


def test_a_question_is_read_with_its_assignment(tmp_path: Path) -> None:
    rubric = read(tmp_path, WRITTEN)

    assert rubric.written["t1.why"] == WrittenItem("t1.why", "t1_toy", Fraction(5, 2), "Why?")
    assert rubric.points == 3


def test_without_questions_there_are_none(tmp_path: Path) -> None:
    rubric = read(tmp_path, "")

    assert (rubric.written, rubric.written_for()) == ({}, ())


@pytest.mark.parametrize(
    ("only", "asked"),
    [
        ((), ["t1.why", "t2.how"]),
        (("t1.blur", "t1.stack"), ["t1.why"]),
        (("t1.blur",), []),
        (("t1.blur", "t2.last"), ["t2.how"]),
    ],
    ids=["everything", "an assignment", "an exercise of two", "one whole and one in part"],
)
def test_a_question_is_asked_with_its_whole_assignment(
    tmp_path: Path, only: tuple[str, ...], asked: list[str]
) -> None:
    found = read(tmp_path, WRITTEN).written_for(only)

    assert [item.slug for item in found] == asked


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            "written: {t1.why: {points: 0, question: Why?}}",
            "14:28  written.t1.why.points: expected points > 0: a person has nothing to give here",
        ),
        (
            "written: {t1.why: {points: ten, question: Why?}}",
            "14:28  written.t1.why.points: expected a number >= 0, got 'ten'",
        ),
        (
            "written: {t1.blur: {points: 1, question: Why?}}",
            "14:11  written.t1.blur: 't1.blur' is an exercise already",
        ),
        (
            "written: {t3.why: {points: 1, question: Why?}}",
            "14:11  written.t3.why: unknown assignment 't3' - expected one of 't1', 't2'",
        ),
        (
            "written: {t1.why: {points: 1, question: '<!-- x'}}",
            "expected a question, without HTML comments, got '<!-- x'",
        ),
        (
            "written: {t1.why: {points: 1}}",
            "14:11  written.t1.why: missing key 'question'",
        ),
        ("written: {}", "14:10  written: expected at least one question, got an empty mapping"),
    ],
    ids=[
        "no points",
        "no number",
        "a slug that is taken",
        "no such assignment",
        "a comment",
        "no text",
        "no question",
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(RubricError, match=re.escape(message)) as told:
        read(tmp_path, more)
    assert len(told.value.problems) == 1


def test_two_questions_of_one_slug_are_refused(tmp_path: Path) -> None:
    twice = WRITTEN + "  t1.why: {points: 1, question: Again?}\n"

    with pytest.raises(RubricError, match=r"17:3 .*t1\.why"):
        read(tmp_path, twice)
