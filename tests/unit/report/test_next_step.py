"""A report ends with the one thing to do next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.evidence import Note, Observation, Outcome, Where
from grader.report.content import report_on
from grader.report.next_step import next_step
from tests.unit.samples import RUBRIC, SampleResult, observations, submission

CWD = Path("/course")


def said(graded: SampleResult) -> str:
    return next_step(report_on(graded, RUBRIC), CWD)


def seen(check: str, outcome: Outcome, where: Where | None = None) -> Observation:
    return Observation(check, "", outcome, where=where)


PASSED = observations(Outcome.PASSED)
FAILED_AT = seen("s1.add/outputs/test_sum", Outcome.FAILED, Where("s1_sums.py", 41))
MEAN_UNTOUCHED = seen("s2.mean/outputs/test_mean", Outcome.NOT_ATTEMPTED)
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
