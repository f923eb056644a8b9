"""In a student's copy hidden checks are no mystery and nobody's fault: they are made later."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

from grader.cli.one_submission import exit_code
from grader.grade.evidence import Observation, Outcome
from grader.report.content import Report, report_on
from grader.report.html.page import rendered as page
from grader.report.markdown import rendered as markdown
from grader.report.next_step import next_step
from grader.report.terminal import render
from tests.unit.samples import CHECKS, RUBRIC, SampleResult

HERE = [check for check in CHECKS if check != "s1.add/outputs/test_sum"]
"""Without the one hidden check."""


def report(outcome: Outcome, *, with_hidden: Outcome | None = None) -> Report:
    seen = [Observation(check, "A title.", outcome, "1", "2") for check in HERE]
    if with_hidden is not None:
        seen.append(Observation(CHECKS[1], "Hidden.", with_hidden))
    return report_on(SampleResult(observations=tuple(seen)), RUBRIC)


def terminal(told: Report) -> str:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    render(told, console, Path("/course"))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (report(Outcome.PASSED), 0),
        (report(Outcome.FAILED), 1),
        (report(Outcome.COULD_NOT_CHECK), 3),
        (report(Outcome.PASSED, with_hidden=Outcome.PASSED), 0),
        (report(Outcome.PASSED, with_hidden=Outcome.FAILED), 1),
        (report(Outcome.PASSED, with_hidden=Outcome.COULD_NOT_CHECK), 3),
        (report_on(SampleResult(observations=()), RUBRIC), 3),
    ],
    ids=["right", "wrong", "ours", "all right", "all but hidden", "hidden is ours", "nothing"],
)
def test_exit_codes(told: Report, code: int) -> None:
    assert exit_code(told) == code


def test_the_points_are_neither_earned_nor_lost() -> None:
    grade = report(Outcome.PASSED).grade

    assert (grade.points, grade.max_points) == (Fraction(4), Fraction(13, 2))
    assert grade.unchecked_points == grade.later_points == Fraction(5, 2)
    assert not grade.complete
    assert grade.complete_here


def test_where_one_hidden_suite_is_another_one_is_missed() -> None:
    """Somebody forgot it: that is no student's copy, and no reason to end well."""
    other = replace(RUBRIC.exercises["s1.add"], slug="s3.add")
    both = replace(RUBRIC, exercises={**RUBRIC.exercises, "s3.add": other})
    seen = [Observation(check, "A title.", Outcome.PASSED) for check in CHECKS]
    seen.append(Observation("s3.add/shapes/test_shape", "A title.", Outcome.PASSED))
    told = report_on(SampleResult(observations=tuple(seen)), both)

    assert told.grade.unchecked_points == Fraction(5, 2)
    assert told.grade.later_points == 0
    assert exit_code(told) == 3
    assert "(2.5 could not be checked, not your mistake)" in terminal(told)


def test_a_public_criterion_without_checks_is_not_for_later() -> None:
    grade = report_on(SampleResult(observations=()), RUBRIC).grade

    assert grade.unchecked_points == Fraction(13, 2)
    assert grade.later_points == Fraction(5, 2)
    assert not grade.complete_here


def test_what_passed_here_is_to_be_handed_in() -> None:
    told = terminal(report(Outcome.PASSED))

    assert "s1.add   ████████████████████      1 / 3.5\n" in told
    assert "total  4 / 6.5 points  (2.5 points are checked after you hand in)\n" in told
    assert "could not be checked" not in told
    assert next_step(report(Outcome.PASSED), Path()) == (
        "hand it in: every check that is here passed."
    )


def test_what_is_for_later_is_no_criterion_to_mend() -> None:
    told = report(Outcome.FAILED)

    assert "✗ shapes 0/1\n  checked after you hand in: outputs 2.5\n" in terminal(told)
    assert "| `s1.add` | 0 / 3.5 | shapes |" in markdown(told)
    assert "2.5 points are checked after you hand in." in markdown(told)
    assert "checked after you hand in: outputs 2.5." in markdown(told)
    assert "checked after you hand in: outputs 2.5" in page(told)


def test_with_every_check_nothing_is_said_of_it() -> None:
    told = report(Outcome.FAILED, with_hidden=Outcome.FAILED)

    assert not any("hand in" in text for text in (terminal(told), markdown(told), page(told)))
