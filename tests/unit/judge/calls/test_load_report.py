"""A worker's choice of files and its notes are taken for what they are: claims."""

from __future__ import annotations

import pytest

from grader.grade.evidence import Note, Where
from grader.judge.calls import load_report
from grader.submission.file_choice import Choice
from grader.wire.load_report import FileChoice, LoadNote

PATHS = ("a.py", "a.ipynb")


@pytest.mark.parametrize(
    ("reported", "choice"),
    [
        pytest.param(
            FileChoice("a.ipynb", {"a.py": "untouched", "a.ipynb": "edited"}),
            Choice("a.ipynb", {"a.py": "untouched", "a.ipynb": "edited"}),
            id="a choice",
        ),
        pytest.param(FileChoice("b.py", {}), Choice("a.py", {}), id="a file that was not offered"),
        pytest.param(
            FileChoice("a.py", {"a.py": "brilliant", "b.py": "edited"}),
            Choice("a.py", {}),
            id="odd states",
        ),
        pytest.param(FileChoice("", {}), Choice("a.py", {}), id="nothing"),
    ],
)
def test_only_files_that_were_offered_can_be_chosen(reported: FileChoice, choice: Choice) -> None:
    assert load_report.choice(reported, PATHS) == choice


@pytest.mark.parametrize(
    ("reported", "note"),
    [
        pytest.param(
            LoadNote("problem", "t", "a.ipynb", 4, 2),
            Note("problem", "t", Where("a.ipynb", 4, 2)),
            id="with a place",
        ),
        pytest.param(LoadNote("note", "t", "", None, None), Note("note", "t"), id="without"),
    ],
)
def test_a_note_is_read(reported: LoadNote, note: Note) -> None:
    assert load_report.note(reported) == note
