"""A worker's account of what it loaded has the one shape there is, or is a violation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grader.wire.faults import Violation
from grader.wire.load_report import (
    FileChoice,
    LoadNote,
    LoadReport,
    ModuleReport,
    TargetReport,
    load_report,
)

REPORT = LoadReport(
    {
        "a": ModuleReport(
            "a.ipynb",
            {
                "f": TargetReport("function", 3, 2, stub=True),
                "g": TargetReport(close=("g1",), why="It is not there."),
            },
        ),
        "b": ModuleReport("", {}),
    },
    (
        LoadNote("problem", "Broken.", "a.ipynb", 4, 2, "torch"),
        LoadNote("note", "Odd.", "a.py", None, None),
    ),
    {"a": FileChoice("a.ipynb", {"a.ipynb": "edited", "a.py": "untouched"})},
)
TARGET = ("modules", "a", "targets", "f")
NOTE = ("notes", 0)


def sent(report: LoadReport = REPORT) -> Any:
    return json.loads(json.dumps(report.encoded()))


def changed(path: tuple[str | int, ...], value: Any) -> Any:
    """The report as it arrives, with another value at `path`."""
    whole = sent()
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return whole


def test_a_report_arrives_as_it_was_sent() -> None:
    assert load_report(sent()) == REPORT


@pytest.mark.parametrize("value", [None, [], {}, "report", 1], ids=repr)
def test_what_is_no_report_is_a_violation(value: Any) -> None:
    with pytest.raises(Violation):
        load_report(value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("more",), 1),
        (("modules",), []),
        (("modules", "a"), []),
        (("modules", "a", "file"), None),
        (("modules", "a", "targets"), []),
        (("modules", "a", "more"), 1),
        (TARGET, 5),
        ((*TARGET, "kind"), ["function"]),
        ((*TARGET, "line"), "3"),
        ((*TARGET, "line"), 3.0),
        ((*TARGET, "cell"), True),
        ((*TARGET, "stub"), 1),
        ((*TARGET, "close"), "f1"),
        ((*TARGET, "close"), ["f1", 5]),
        ((*TARGET, "why"), None),
        ((*TARGET, "passed"), True),
        (("notes",), {}),
        (NOTE, "text"),
        ((*NOTE, "kind"), "grade"),
        ((*NOTE, "kind"), []),
        ((*NOTE, "text"), 5),
        ((*NOTE, "points"), 5),
        (("files",), []),
        (("files", "a"), ["a.py", {}]),
        (("files", "a", "path"), ["a.py"]),
        (("files", "a", "states"), {"a.py": []}),
    ],
)
def test_anything_unexpected_is_a_violation(path: tuple[str | int, ...], value: Any) -> None:
    with pytest.raises(Violation):
        load_report(changed(path, value))


@pytest.mark.parametrize("number", [-1, 10_000_000, 1 << 70])
def test_a_number_that_is_no_place_is_left_out(number: int) -> None:
    report = load_report(changed((*TARGET, "line"), number))

    assert report.modules["a"].targets["f"].line is None


def test_texts_are_cut() -> None:
    report = load_report(changed((*NOTE, "text"), "x" * 9_000))

    assert report.notes[0].text == "x" * 2_000


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param(("notes",), [sent()["notes"][0]] * 10_001, id="notes"),
        pytest.param(("modules",), {str(n): sent()["modules"]["b"] for n in range(10_001)}, id="a"),
        pytest.param((*TARGET[:3],), {str(n): {} for n in range(10_001)}, id="targets"),
    ],
)
def test_too_much_is_a_violation(path: tuple[str | int, ...], value: Any) -> None:
    with pytest.raises(Violation):
        load_report(changed(path, value))
