"""What a person reads: the question, how to mark it, and each answer beside its evidence."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import cmarkgfm

from grader.batch.gradebook import Given
from grader.batch.written_sheets import sheet
from grader.course.mark_schemes import SchemeItem
from grader.course.questions import WrittenItem
from grader.grade.evidence import Cause, Observation, Outcome
from grader.report.content import report_on
from grader.report.json import as_dict
from tests.unit.samples import RUBRIC, SampleResult, submission

WHY = WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")
ASKING = replace(RUBRIC, written={"s1.why": WHY})
SEEN = (
    Observation("s1.add/shapes/test_shape", "The shape.", Outcome.PASSED),
    Observation(
        "s1.add/outputs/test_sum",
        "The sum.",
        Outcome.FAILED,
        cause=Cause("add.minus", "Subtracted instead of added.", 2, 2),
    ),
    Observation("s2.mean/outputs/test_mean", "The mean.", Outcome.PASSED),
)


def record(id: str, answer: str) -> dict[str, Any]:
    text = f"<!-- answer: s1.why -->\n{answer}"
    handed_in = replace(submission(id), answers={"answers.md": text.encode()})
    return as_dict(report_on(SampleResult(handed_in, SEEN), ASKING))


def text_of(*records: dict[str, Any], given: Given | None = None) -> str:
    points = {("student-001", "s1.why"): given} if given else {}
    return "".join(sheet(WHY, "- 1 point: because.\n", records, points))


def test_a_sheet_in_full() -> None:
    unread = {"submission": {"id": "student-003"}, "problem": "no file"}
    given = Given(Fraction(5, 2), "late")

    found = text_of(record("student-001", "It grows."), record("student-002", ""), unread)
    graded = text_of(record("student-001", "It grows."), given=given)

    evidence = (
        "| Graded automatically | Points | Lost in | Likely cause |\n"
        "| --- | --: | --- | --- |\n"
        "| `s1.add` | 1 / 3.5 | outputs | Subtracted instead of added. |\n"
    )
    assert found == (
        "# `s1.why`: up to 3 points by a person\n\nWhy?\n\n"
        "## How to mark it\n\n- 1 point: because.\n\n"
        "Enter the points in `written.csv`, column `points`.\n"
        "\n---\n\n## `student-001`\n\n2 words, `answers.md:1` (no points yet)\n\n"
        f"<pre>\nIt grows.\n</pre>\n\n{evidence}"
        f"\n---\n\n## `student-002`\n\nempty (no points yet)\n\n{evidence}"
        "\n---\n\n## `student-003`\n\nnot read: `no file` (no points yet)\n"
    )
    assert "2 words, `answers.md:1` (2.5 points, `late`)" in graded


def test_nothing_in_an_answer_is_markup() -> None:
    hostile = (
        "```\n</code></pre><script>alert(1)</script>\n````\n[x](javascript:y) \x1b[31m@here\u202e"
    )

    html = cmarkgfm.github_flavored_markdown_to_html(
        text_of(record("<img src=x>", hostile)), cmarkgfm.Options.CMARK_OPT_UNSAFE
    )

    assert "<script" not in html
    assert "<img" not in html
    assert "href" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert "<script" not in text_of(record("student-001", hostile))


def test_an_answer_of_a_megabyte_is_cut_in_its_middle() -> None:
    text = text_of(record("student-001", "a" * 1_000_000))

    assert len(text) < 25_000
    assert "980000 characters cut" in text


def test_a_sheet_says_what_can_be_ticked_and_what_was() -> None:
    items = (SchemeItem("root", Fraction(2)), SchemeItem("guess", Fraction(-1, 2)))
    item = replace(WHY, scheme=items)
    given = {("student-001", "s1.why"): Given(Fraction(2), "", "", ("root",), ("Root. (+2)",))}

    text = "".join(sheet(item, "Guide.", [record("student-001", "It grows.")], given))

    assert "| `root` | +2 |\n| `guess` | -0.5 |" in text
    assert "Enter the ids of what applies in `written.csv`, column `ticked`" in text
    assert "2 words, `answers.md:1` (2 points (`root`))" in text
