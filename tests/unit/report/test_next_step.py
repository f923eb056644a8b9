"""A report ends with the one thing to do next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.grade.evidence import Cause, Note, Observation, Outcome, Where
from grader.report.content import report_on
from grader.report.next_step import explainable, next_step
from tests.unit.samples import RUBRIC, SampleResult, observations, submission

CWD = Path("/course")


def said(graded: SampleResult) -> str:
    return next_step(report_on(graded, RUBRIC), CWD)


def seen(check: str, outcome: Outcome, where: Where | None = None) -> Observation:
    return Observation(check, "", outcome, where=where)


PASSED = observations(Outcome.PASSED)
FAILED_AT = seen("s1.add/outputs/test_sum", Outcome.FAILED, Where("s1_sums.py", 41))
MEAN_UNTOUCHED = seen("s2.mean/outputs/test_mean", Outcome.NOT_ATTEMPTED)
ADD_UNTOUCHED = seen("s1.add/outputs/test_sum", Outcome.NOT_ATTEMPTED)
ADD_RAISED = tuple(
    seen(one.check, Outcome.STUDENT_ERROR, Where("s1_sums.py")) for one in PASSED[:2]
)
EMPTY = Note("problem", "the file is empty.", Where("s1_sums.py"))
SYNTAX_ERROR = Note("problem", "SyntaxError", Where("s2_means.py", 12))


@pytest.mark.parametrize(
    ("graded", "line"),
    [
        pytest.param(SampleResult(), "nothing to do here: every check passed.", id="all points"),
        pytest.param(
            SampleResult(observations=observations(Outcome.NOT_ATTEMPTED)),
            "open class/student-001/s1_sums.py:4 (s1.add)",
            id="untouched: where the first target is defined",
        ),
        pytest.param(
            SampleResult(observations=(PASSED[0], FAILED_AT, MEAN_UNTOUCHED)),
            "open class/student-001/s1_sums.py:41 (s1.add, outputs)",
            id="failed: where the check points",
        ),
        pytest.param(
            SampleResult(observations=(*PASSED[:2], seen(PASSED[2].check, Outcome.TIMED_OUT))),
            "open class/student-001/s2_means.py:1 (s2.mean, outputs)",
            id="failed without a place: where the target is defined",
        ),
        pytest.param(
            SampleResult(
                observations=(PASSED[0], FAILED_AT, MEAN_UNTOUCHED), loading=(SYNTAX_ERROR,)
            ),
            "open class/student-001/s2_means.py:12 (the problem above)",
            id="what cannot be loaded comes first",
        ),
        pytest.param(
            SampleResult(
                observations=(ADD_UNTOUCHED, seen(PASSED[2].check, Outcome.FAILED)),
            ),
            "open class/student-001/s1_sums.py:4 (s1.add)",
            id="undone, and wrong further down: the first of the two",
        ),
        pytest.param(
            SampleResult(
                observations=(
                    seen(PASSED[0].check, Outcome.NOT_ATTEMPTED),
                    FAILED_AT,
                    MEAN_UNTOUCHED,
                )
            ),
            "open class/student-001/s1_sums.py:41 (s1.add, outputs)",
            id="undone in part: what is wrong is told in full, so it is that",
        ),
        pytest.param(
            SampleResult(
                submission(files={"s1_sums.py": b""}),
                observations=(
                    *(replace(one, observed=f"add: {EMPTY.text}") for one in ADD_RAISED),
                    MEAN_UNTOUCHED,
                ),
                loading=(EMPTY,),
            ),
            "open class/student-001/s1_sums.py (the problem above)",
            id="a file of which nothing can be read, without a line",
        ),
        pytest.param(
            SampleResult(
                replace(submission(files={}), skipped=("week 1/S1_sums (1).py is a link: no.",)),
                observations=observations(Outcome.NOT_ATTEMPTED),
            ),
            "open class/student-001/week 1/S1_sums (1).py (the problem above)",
            id="a file that was not read at all",
        ),
        pytest.param(
            SampleResult(
                replace(submission(files={}), skipped=("s2_means.py is a link: no.",)),
                observations=observations(Outcome.NOT_ATTEMPTED),
            ),
            "add s1_sums.py to class/student-001 (s1.add is in it)",
            id="a file of another assignment was not read",
        ),
        pytest.param(
            SampleResult(
                submission(files={"s2_means.py": b"class Mean:"}),
                (ADD_UNTOUCHED, seen(PASSED[2].check, Outcome.FAILED)),
            ),
            "open class/student-001/s2_means.py:1 (s2.mean, outputs)",
            id="one assignment was handed in",
        ),
        pytest.param(
            SampleResult(loading=(SYNTAX_ERROR,)),
            "nothing to do here: every check passed.",
            id="all points, whatever else was met",
        ),
        pytest.param(
            SampleResult(
                observations=(*PASSED[:2], seen(PASSED[2].check, Outcome.COULD_NOT_CHECK))
            ),
            "grader doctor (some checks could not run; that is not your mistake)",
            id="our fault",
        ),
        pytest.param(
            SampleResult(observations=observations(Outcome.BLOCKED, needs=("s0.x",))),
            "s1.add needs s0.x to pass first",
            id="what it waits for",
        ),
        pytest.param(
            SampleResult(
                submission(files={"s2_means.py": b""}),
                observations=observations(Outcome.NOT_ATTEMPTED),
            ),
            "add s1_sums.py to class/student-001 (s1.add is in it)",
            id="no file",
        ),
    ],
)
def test_the_next_step(graded: SampleResult, line: str) -> None:
    assert said(graded) == line


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        pytest.param("/course/assignments", "assignments/s1_sums.py:4", id="below"),
        pytest.param("/elsewhere/x", "/elsewhere/x/s1_sums.py:4", id="elsewhere"),
        pytest.param("/course/s1_sums.py", "s1_sums.py:4", id="a single file"),
        pytest.param("/course/student.v1", "student.v1/s1_sums.py:4", id="a folder with a dot"),
    ],
)
def test_places_are_paths_from_here(path: str, shown: str) -> None:
    graded = SampleResult(submission(path=path), observations(Outcome.NOT_ATTEMPTED))

    assert said(graded) == f"open {shown} (s1.add)"


def test_a_hostile_file_is_searched_and_not_parsed() -> None:
    files = {"s1_sums.py": b"(" * 100_000 + b"\ndef add(\xff", "s2_means.py": b""}
    graded = SampleResult(submission(files=files), observations(Outcome.NOT_ATTEMPTED))

    assert said(replace(graded)) == "open class/student-001/s1_sums.py:2 (s1.add)"


class InNotebook(SampleResult):
    """The first assignment is a notebook."""

    @property
    def entries(self) -> Mapping[str, str]:
        return {"s1_sums": "s1_sums.ipynb"}


CELLS = [
    {"cell_type": "markdown", "source": "def add(a, b): in words"},
    {"cell_type": "code", "source": ["import math\n", "\n", "def add(a, b):"]},
]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        pytest.param(json.dumps({"cells": CELLS}), " cell 2:3", id="where the target is defined"),
        pytest.param('{"cells": []}', "", id="without the target"),
        pytest.param("", "", id="unreadable"),
    ],
)
def test_a_place_in_a_notebook_has_a_cell(content: str, place: str) -> None:
    graded = InNotebook(
        submission=submission(files={"s1_sums.ipynb": content.encode()}),
        observations=observations(Outcome.NOT_ATTEMPTED),
    )
    assert said(graded) == f"open class/student-001/s1_sums.ipynb{place} (s1.add)"


TWO = b"""import math


def add(a, b):
    return a + b


def subtract(a, b):
    raise NotImplementedError


class Both:
    pass
"""


def of_two(*seen: Observation, source: bytes = TWO) -> str:
    """The next step where the first exercise asks for two functions."""
    add = replace(RUBRIC.exercises["s1.add"], targets=("add", "subtract"))
    rubric = replace(RUBRIC, exercises={**RUBRIC.exercises, "s1.add": add})
    graded = SampleResult(submission(files={"s1_sums.py": source}), (*seen, MEAN_UNTOUCHED))
    return next_step(report_on(graded, rubric), CWD)


@pytest.mark.parametrize(
    ("where", "source", "line"),
    [
        pytest.param(
            Where("s1_sums.py", 9), TWO, "open class/student-001/s1_sums.py:8 (s1.add)", id="raised"
        ),
        pytest.param(
            Where("s1_sums.py", 8), TWO, "open class/student-001/s1_sums.py:8 (s1.add)", id="a stub"
        ),
        pytest.param(
            Where("helper.py", 3), TWO, "open class/student-001/helper.py:3 (s1.add)", id="a helper"
        ),
        pytest.param(
            None,
            TWO.replace(b"subtract", b"minus"),
            "add subtract to class/student-001/s1_sums.py (s1.add)",
            id="not there",
        ),
    ],
)
def test_what_is_undone_is_opened_and_not_what_is_finished(
    where: Where | None, source: bytes, line: str
) -> None:
    undone = seen("s1.add/outputs/test_sum", Outcome.NOT_ATTEMPTED, where)

    assert of_two(PASSED[0], undone, source=source) == line


def caused(check: str, cause: str) -> Observation:
    return replace(seen(check, Outcome.FAILED), cause=Cause(cause, "Why.", 2, 2))


@pytest.mark.parametrize(
    ("found", "cause"),
    [
        pytest.param((caused(PASSED[0].check, "add.a"), FAILED_AT), "add.a", id="shown in full"),
        pytest.param(
            (seen(PASSED[0].check, Outcome.FAILED), caused(FAILED_AT.check, "add.b")),
            "add.b",
            id="it is shown in full for its cause",
        ),
        pytest.param(
            (FAILED_AT, caused(MEAN_UNTOUCHED.check, "mean.a")),
            "s1.add/outputs",
            id="not of another exercise",
        ),
        pytest.param(
            (ADD_UNTOUCHED, caused(MEAN_UNTOUCHED.check, "mean.a")), "mean.a", id="the first there"
        ),
    ],
)
def test_the_cause_to_read_about_is_of_the_failure_that_is_shown(
    found: tuple[Observation, ...], cause: str | None
) -> None:
    report = report_on(SampleResult(observations=found), RUBRIC)
    assert explainable(replace(report, has_hints=True)) == cause
    assert explainable(report) is None, "this copy of the course explains nothing"


@pytest.mark.parametrize(
    ("found", "name"),
    [
        pytest.param((FAILED_AT,), "s1.add/outputs", id="without a cause: its criterion"),
        pytest.param((caused(FAILED_AT.check, "add.b"),), "add.b", id="with one"),
        pytest.param(PASSED, None, id="nothing to explain"),
    ],
)
def test_there_is_always_something_to_read_where_the_course_explains(
    found: tuple[Observation, ...], name: str | None
) -> None:
    report = report_on(SampleResult(observations=found), RUBRIC)

    assert explainable(replace(report, has_hints=True)) == name
