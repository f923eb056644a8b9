"""Whose points are whose is plain in every format, and no answer changes an automatic one."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

from grader.course.question_text import answers_file
from grader.course.questions import WrittenItem
from grader.grade.evidence import Outcome
from grader.report.content import Report, report_on
from grader.report.formats import renderer
from grader.report.next_step import next_step
from grader.report.terminal import render
from tests.unit.samples import RUBRIC, SampleResult, observations, submission

ITEMS = {
    "s1.why_add": WrittenItem("s1.why_add", "s1_sums", Fraction(3), "Why?"),
    "s2.how": WrittenItem("s2.how", "s2_means", Fraction(5, 2), "How?"),
}
ASKING = replace(RUBRIC, written=ITEMS)
HOSTILE = "=cmd|'/c calc'!A1 \x1b[31m<script>alert(1)</script> ::error::no ##[error] 한국어\u202e"


def report(answer: str = "", *only: str, outcome: Outcome = Outcome.PASSED) -> Report:
    text = answers_file(ITEMS.values())
    if answer:
        text = text.replace("*Write your answer here, in place of this line.*", answer, 1)
    handed_in = replace(submission(), answers={"answers.md": text.encode()})
    return report_on(SampleResult(handed_in, observations(outcome)), ASKING, only)


def text_of(report: Report) -> str:
    file = io.StringIO()
    render(report, Console(file=file, width=80, highlight=False), Path("/course"))
    return file.getvalue()


def test_a_report_in_full() -> None:
    assert text_of(report("Because it adds up.")) == (
        "sums  class/student-001\n"
        "\n"
        "s1.add      ████████████████████    3.5 / 3.5\n"
        "s2.mean     ████████████████████      3 / 3\n"
        "\n"
        "written answers, graded by a person\n"
        "s1.why_add  answered, 4 words  (up to 3)\n"
        "s2.how      empty  (up to 2.5)\n"
        "\n"
        "total  6.5 / 6.5 points automatic, and up to 5.5 more by a person\n"
        "isolation  partial\n"
        "next: open class/student-001/answers.md (s2.how, in your words); every check passed.\n"
    )


def test_markdown_tells_the_points_apart() -> None:
    text = renderer("markdown")(report("Because it adds up."))

    assert text.startswith("## sums: 6.5 / 6.5 points automatic, and up to 5.5 more by a person\n")
    assert (
        "### Written answers, graded by a person\n\n"
        "| Question | Points | Found |\n| --- | --: | --- |\n"
        "| `s1.why_add` | up to 3 | answered, 4 words |\n"
        "| `s2.how` | up to 2.5 | empty |\n"
    ) in text


def test_json_has_the_answers_apart_from_the_points() -> None:
    found = json.loads(renderer("json")(report("Because.")))

    assert (found["points"], found["max_points"], found["complete"]) == ("6.5", "6.5", True)
    assert found["written"]["graded_by"] == "a person"
    assert found["written"]["max_points"] == "5.5"
    first, second = found["written"]["answers"]
    assert first == {
        "slug": "s1.why_add",
        "assignment": "s1_sums",
        "max_points": "3",
        "answered": True,
        "words": 1,
        "digest": first["digest"],
        "places": [{"file": "answers.md", "line": 10, "cell": None}],
        "text": "Because.",
    }
    assert (second["answered"], second["digest"], second["text"]) == (False, None, "")


def test_answers_change_nothing_that_is_automatic() -> None:
    empty, filled = (json.loads(renderer("json")(report(text))) for text in ("", HOSTILE))

    assert empty.pop("written") != filled.pop("written")
    assert empty == filled


def test_junit_says_nothing_of_answers() -> None:
    assert renderer("junit")(report(HOSTILE)) == renderer("junit")(report())


@pytest.mark.parametrize("format_", ["text", "json", "markdown"])
def test_hostile_answers_do_nothing(format_: str) -> None:
    text = renderer(format_)(report(HOSTILE))

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "##[error]" not in text
    # The words are for the person who grades; other formats only count them.
    assert ("alert(1)" in text) == (format_ == "json")


def test_a_single_exercise_asks_nothing() -> None:
    assert report("Because.", "s1.add").written[0].item.slug == "s1.why_add"

    two = replace(ASKING, exercises={**RUBRIC.exercises, "s1.sub": RUBRIC.exercises["s1.add"]})
    only = report_on(SampleResult(), two, ["s1.add"])
    assert only.written == ()
    assert "person" not in text_of(only)


@pytest.mark.parametrize(
    ("path", "entries", "line"),
    [
        ("class/student-001", "s1_sums.py", "open class/student-001/answers.md (s1.why_add, "),
        ("class/s1_sums.py", "s1_sums.py", "open class/answers.md (s1.why_add, "),
        ("class/student-001", "s1_sums.ipynb", "open class/student-001/s1_sums.ipynb (s1.why_add"),
    ],
    ids=["a folder", "a single file", "a notebook"],
)
def test_where_to_answer_is_said_when_everything_else_is_done(
    path: str, entries: str, line: str
) -> None:
    whole = report()
    here = replace(
        whole,
        submission=replace(whole.submission, path=path),
        entries={"s1_sums": entries},
    )

    assert next_step(here, Path("/course")).startswith(line)
    unsolved = report(outcome=Outcome.NOT_ATTEMPTED)
    assert next_step(unsolved, Path("/course")) == "open class/student-001/s1_sums.py:4 (s1.add)"
