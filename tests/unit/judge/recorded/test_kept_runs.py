"""What checks see of known mistakes is kept beside the course, as long as nothing changes."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from grader.course.paths import CoursePaths
from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import CheckTrace, Draw, Match, match
from grader.judge.recorded import kept_runs
from grader.judge.recorded.kept_runs import KeptRuns

TOY = Path(__file__).resolve().parents[3] / "toy_course"
AS_GRADED = Draw()
NAME, CHECK = "f1_filters/a_mistake", "f1.double/outputs/test_positive"
SEEN = CheckTrace(
    Outcome.FAILED,
    [torch.tensor([[0.5, float("nan")]]), [["key", torch.arange(3)]], "not refused: 3", 1.5, None],
    "some words",
    ["(3, 4)"],
    drew=True,
)
Opened = Callable[[], KeptRuns]


@pytest.fixture
def course(tmp_path: Path) -> CoursePaths:
    shutil.copytree(TOY, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    return CoursePaths(tmp_path / "course")


@pytest.fixture
def opened(course: CoursePaths) -> Opened:
    """Opens what is kept, as another process would."""
    return lambda: KeptRuns(course, "a seed")


def kept(opened: Opened, trace: CheckTrace = SEEN) -> None:
    runs = opened()
    runs.keep(NAME, CHECK, AS_GRADED, trace)
    runs.write()


def test_another_process_finds_the_very_same(opened: Opened) -> None:
    kept(opened)
    found = opened().trace(NAME, CHECK, AS_GRADED)
    assert found is not None
    assert match(found, SEEN) is Match.SAME
    assert [type(value) for value in found.compared] == [type(value) for value in SEEN.compared]
    assert (found.drew, list(found.drawn), found.error_text) == (True, ["(3, 4)"], "some words")


def test_nothing_else_is_found(opened: Opened, course: CoursePaths) -> None:
    kept(opened)
    assert opened().trace(NAME, CHECK, Draw(inputs="once more")) is None
    assert opened().trace("", CHECK, AS_GRADED) is None
    assert KeptRuns(course, "another seed").trace(NAME, CHECK, AS_GRADED) is None


@pytest.mark.parametrize(
    "file", ["reference/f1_filters.py", "rubric.yaml", "tests/suites/f1_filters"]
)
def test_all_is_forgotten_when_the_course_changes(
    file: str, opened: Opened, course: CoursePaths
) -> None:
    kept(opened)
    changed = course.root / file
    changed = next(changed.glob("**/test_*.py")) if changed.is_dir() else changed
    os.utime(changed, ns=(1, 1))
    assert opened().trace(NAME, CHECK, AS_GRADED) is None


def test_runs_of_another_state_are_not_found(opened: Opened, course: CoursePaths) -> None:
    """Not even by who began before the course changed, and looks or writes after it."""
    before = opened()
    assert before.trace(NAME, CHECK, AS_GRADED) is None
    os.utime(course.root / "rubric.yaml", ns=(1, 1))
    kept(opened, CheckTrace(Outcome.PASSED))
    assert before.trace(NAME, CHECK, AS_GRADED) is None
    before.keep(NAME, "f1.double/outputs/test_other", AS_GRADED, SEEN)
    before.write()
    assert opened().trace(NAME, "f1.double/outputs/test_other", AS_GRADED) is None
    assert opened().trace(NAME, CHECK, AS_GRADED) == CheckTrace(Outcome.PASSED, (), drawn=())


def in_state(course: CoursePaths, number: int) -> None:
    os.utime(course.root / "rubric.yaml", ns=(number, number))


def test_a_state_that_comes_back_finds_its_own(opened: Opened, course: CoursePaths) -> None:
    for number, outcome in enumerate((Outcome.PASSED, Outcome.FAILED)):
        in_state(course, number)
        kept(opened, CheckTrace(outcome))
    in_state(course, 0)
    assert opened().trace(NAME, CHECK, AS_GRADED) == CheckTrace(Outcome.PASSED, (), drawn=())


def test_of_many_states_those_used_last_are_kept(opened: Opened, course: CoursePaths) -> None:
    for number in range(kept_runs.MAX_STATES):
        in_state(course, number)
        kept(opened)
    in_state(course, 0)
    assert opened().trace(NAME, CHECK, AS_GRADED) is not None
    in_state(course, kept_runs.MAX_STATES)  # one more than there is room for
    kept(opened)

    found = []
    for number in range(kept_runs.MAX_STATES + 1):
        in_state(course, number)
        found.append(opened().trace(NAME, CHECK, AS_GRADED) is not None)
    assert found[0]
    assert not found[1]


def test_who_began_in_a_state_that_was_forgotten_writes_nothing(
    opened: Opened, course: CoursePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_runs, "MAX_STATES", 1)
    before = opened()
    assert before.trace(NAME, CHECK, AS_GRADED) is None
    in_state(course, 1)
    kept(opened)
    before.keep(NAME, CHECK, AS_GRADED, SEEN)
    before.write()
    with sqlite3.connect(course.known_runs("en")) as file:
        assert file.execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_a_large_file_is_left_to_the_state_in_use(
    opened: Opened, course: CoursePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_state(course, 0)
    kept(opened)
    monkeypatch.setattr(kept_runs, "MAX_BYTES", course.known_runs("en").stat().st_size + 1)
    in_state(course, 1)
    kept(opened)
    assert opened().trace(NAME, CHECK, AS_GRADED) is not None
    in_state(course, 0)
    assert opened().trace(NAME, CHECK, AS_GRADED) is None


def test_a_copy_with_the_same_reference_finds_the_same(
    opened: Opened, course: CoursePaths, tmp_path: Path
) -> None:
    kept(opened)
    copy = tmp_path / "copy"
    shutil.copytree(course.root, copy, ignore=shutil.ignore_patterns("reference", "__pycache__"))
    (copy / "reference").symlink_to(course.reference)
    assert KeptRuns(CoursePaths(copy), "a seed").trace(NAME, CHECK, AS_GRADED) is not None


def test_a_file_that_another_version_has_written_is_made_anew(
    opened: Opened, course: CoursePaths
) -> None:
    path = course.known_runs("en")
    path.parent.mkdir()
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE conditions (digest TEXT NOT NULL)")
        file.execute("CREATE TABLE runs (key TEXT PRIMARY KEY, trace BLOB NOT NULL)")
    kept(opened)
    assert opened().trace(NAME, CHECK, AS_GRADED) is not None


@pytest.mark.parametrize(
    "trace",
    [
        CheckTrace(Outcome.TIMED_OUT),
        CheckTrace(Outcome.COULD_NOT_CHECK),
        CheckTrace(Outcome.FAILED, [object()]),
        CheckTrace(Outcome.FAILED, [10**5000]),
        CheckTrace(Outcome.FAILED, [torch.rand(1 << 16)]),
    ],
    ids=["time", "ours", "object", "long number", "large"],
)
def test_what_may_differ_or_is_too_large_is_not_kept(trace: CheckTrace, opened: Opened) -> None:
    kept(opened, trace)
    assert opened().trace(NAME, CHECK, AS_GRADED) is None


def test_a_broken_file_is_made_anew(opened: Opened, course: CoursePaths) -> None:
    path = course.known_runs("en")
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    assert opened().trace(NAME, CHECK, AS_GRADED) is None
    kept(opened)
    assert opened().trace(NAME, CHECK, AS_GRADED) is not None


def test_without_a_folder_nothing_is_kept_and_nothing_breaks(
    opened: Opened, course: CoursePaths
) -> None:
    (course.reference / "__pycache__").write_text("a file where a folder should be")
    kept(opened)
    assert opened().trace(NAME, CHECK, AS_GRADED) is None


def test_a_sealed_course_keeps_nothing(tmp_path: Path) -> None:
    runs = KeptRuns(CoursePaths(tmp_path / "course.sealed"), "a seed")
    runs.keep(NAME, CHECK, AS_GRADED, SEEN)
    runs.write()
    assert list(tmp_path.iterdir()) == []


def test_a_full_file_takes_nothing_more(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_runs, "MAX_BYTES", 0)
    kept(opened)
    assert opened().trace(NAME, CHECK, AS_GRADED) is None
