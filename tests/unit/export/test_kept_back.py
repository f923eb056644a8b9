"""What a course keeps back is in no list that is mailed, until it is due or asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.course.rubric_file import load_rubric
from grader.store.store import STORE_FILE, open_store
from tests.support.graded_results import export, grade_into, write_class
from tests.support.made_class import CONDITIONS

SENTENCE = "Subtracted instead of adding."
STUDENT = "studentfive_105"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_class(tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    return tmp_path / "course"


def with_feedback(root: Path, text: str) -> None:
    with (root / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(f"feedback: {text}\n")
    grade_into(root, load_rubric(root / "rubric.yaml"))


def keep(root: Path, inputs: str) -> None:
    """The store gets the student's result, as of files with that digest."""
    record = json.loads((root / "out" / "records" / f"{STUDENT}.json").read_text("utf-8"))
    with open_store(root / "out" / STORE_FILE) as store:
        store.keep(STUDENT, inputs, CONDITIONS, record, final=True)


def mailed(*words: str) -> str:
    export("mail-merge", *words)
    return Path("out/exports/mail-merge.csv").read_text("utf-8-sig")


def test_at_once_everything_is_listed(root: Path) -> None:
    """The positive control."""
    assert SENTENCE in mailed()


def test_what_waits_for_a_request_is_not_listed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_feedback(root, "{causes: on_request}")
    assert SENTENCE not in mailed()
    said = capsys.readouterr()
    assert "causes that the course keeps back are not in the list" in said.out + said.err


def test_naming_a_cause_is_a_request(root: Path) -> None:
    with_feedback(root, "{causes: on_request}")
    assert SENTENCE in mailed("--cause", "add.minus")


def test_a_class_counts_tries_from_its_store(root: Path) -> None:
    with_feedback(root, "{causes: after_tries, tries: 2}")
    assert SENTENCE not in mailed()
    for _again in range(2):
        keep(root, "1" * 64)
    assert SENTENCE not in mailed()
    keep(root, "2" * 64)
    assert SENTENCE in mailed()


def test_what_students_get_names_it_with_the_same_try(root: Path) -> None:
    with_feedback(root, "{causes: after_tries, tries: 2}")
    keep(root, "1" * 64)
    export("gradescope")
    path = Path(f"out/exports/gradescope/{STUDENT}/results.json")
    assert SENTENCE not in path.read_text("utf-8")
    keep(root, "2" * 64)
    export("gradescope")
    assert SENTENCE in path.read_text("utf-8")
