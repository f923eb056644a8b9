"""A worker's account of what it loaded is taken for what it is: a claim."""

from __future__ import annotations

from typing import Any

import pytest

from grader.evidence import Note, Where
from grader.intake import Choice
from grader.judge import load_report
from grader.wire.faults import Violation

PATHS = ("a.py", "a.ipynb")


@pytest.mark.parametrize(
    "report",
    [
        None,
        [],
        {},
        {"modules": {}, "notes": {}},
        {"modules": [], "notes": []},
        {"modules": {"a": []}, "notes": []},
        {"modules": {"a": {"targets": []}}, "notes": []},
        {"modules": {}, "notes": [{}] * 10_001},
    ],
    ids=str,
)
def test_an_account_of_another_shape_is_a_violation(report: Any) -> None:
    with pytest.raises(Violation):
        load_report.checked(report)


def test_what_has_the_right_shape_is_kept() -> None:
    target = {"kind": "function", "line": 3, "cell": 2, "stub": True, "close": ["f1", 5]}
    checked = load_report.checked(
        {
            "modules": {"a": {"file": "a.ipynb", "targets": {"f": target, "g": 5}}},
            "notes": [{"text": "x"}, "y"],
        }
    )

    assert checked == {
        "modules": {
            "a": {"file": "a.ipynb", "targets": {"f": {**target, "close": ["f1"]}}}
        },
        "notes": [{"text": "x"}],
        "files": {},
    }  # fmt: skip


@pytest.mark.parametrize("odd", ["3", 3.0, True, [], None], ids=repr)
def test_numbers_that_are_none_are_left_out(odd: Any) -> None:
    module = {"targets": {"f": {"line": odd, "cell": odd, "close": odd}}}
    found = load_report.checked({"modules": {"a": module}, "notes": []})["modules"]["a"]["targets"]

    assert (found["f"]["line"], found["f"]["cell"]) == (None, None)


@pytest.mark.parametrize(
    ("found", "choice"),
    [
        pytest.param(
            ["a.ipynb", {"a.py": "untouched", "a.ipynb": "edited"}],
            Choice("a.ipynb", {"a.py": "untouched", "a.ipynb": "edited"}),
            id="a choice",
        ),
        pytest.param(["b.py", {}], Choice("a.py", {}), id="a file that was not offered"),
        pytest.param(
            ["a.py", {"a.py": "brilliant", "b.py": "edited"}], Choice("a.py", {}), id="odd states"
        ),
        pytest.param(["a.py", {"a.py": []}], Choice("a.py", {}), id="unhashable state"),
        pytest.param([["a.py"], []], Choice("a.py", {}), id="odd shapes"),
        pytest.param("ab", Choice("a.py", {}), id="text"),
        pytest.param(None, Choice("a.py", {}), id="nothing"),
    ],
)
def test_only_files_that_were_offered_can_be_chosen(found: Any, choice: Choice) -> None:
    assert load_report.choice(found, PATHS) == choice


@pytest.mark.parametrize(
    ("found", "note"),
    [
        pytest.param(
            {"kind": "problem", "text": "t", "file": "a.ipynb", "line": 4, "cell": 2},
            Note("problem", "t", Where("a.ipynb", 4, 2)),
            id="with a place",
        ),
        pytest.param({"kind": "grade", "text": "t"}, Note("note", "t"), id="without"),
        pytest.param({"text": "x" * 9_000}, Note("note", "x" * 2_000), id="long"),
    ],
)
def test_a_note_is_bounded(found: dict[str, Any], note: Note) -> None:
    assert load_report.note(found) == note
