"""Run `pytest --grader` inside a test, on many folders, and read what pytest itself reports."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.course.rubric import Visibility
from grader.grade.evidence import Observation, Outcome
from grader.pytest_items.grading import FolderGrading
from grader.report.content import Report

Verdicts = dict[str, dict[str, str]]
"""Folder -> check -> the tag of the item in pytest's own report, or `passed`."""
TAGS = {
    Outcome.PASSED: "passed",
    Outcome.CARRIED: "passed",
    Outcome.NOT_ATTEMPTED: "skipped",
    Outcome.BLOCKED: "skipped",
    Outcome.COULD_NOT_CHECK: "error",
}


def item_verdicts(folders: Sequence[Path], xml: Path) -> Verdicts:
    """Return what a session of pytest in this process reports of the items in these folders."""
    root = folders[0].parent
    options = ["--grader", "-c", os.devnull, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    before = os.environ.pop("PYTEST_ADDOPTS", None)
    try:
        pytest.main([*options, f"--rootdir={root}", f"--junitxml={xml}", *map(str, folders)])
    finally:
        if before is not None:
            os.environ["PYTEST_ADDOPTS"] = before
    result: Verdicts = {folder.name: {} for folder in folders}
    for case in ElementTree.parse(xml).iter("testcase"):
        name = case.get("classname", "").partition(".")[0]
        tags = (one.tag for one in case if one.tag != "properties")
        result[name][case.get("name", "")] = next(tags, "passed")
    return result


def verdicts_of(report: Report, grading: FolderGrading) -> dict[str, str]:
    """Return the tags that items have to have by a report: those of the files handed in."""
    return {seen.check: TAGS.get(seen.outcome, "failure") for seen in _public(report, grading)}


def _public(report: Report, grading: FolderGrading) -> Iterator[Observation]:
    exercises: Mapping[str, Any] = grading.course.rubric.exercises
    for part in report.exercises:
        for seen in part.observations:
            exercise = exercises[seen.exercise]
            is_public = exercise.criteria[seen.criterion].visibility is Visibility.PUBLIC
            if is_public and exercise.assignment in grading.files:
                yield seen
