"""What checks see of known mistakes is kept beside the course, as long as nothing changes."""

from __future__ import annotations

import os
import shutil
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


def test_runs_of_a_state_that_is_gone_are_not_written(opened: Opened, course: CoursePaths) -> None:
    before = opened()
    assert before.trace(NAME, CHECK, AS_GRADED) is None
    os.utime(course.root / "rubric.yaml", ns=(1, 1))
    kept(opened, CheckTrace(Outcome.PASSED))
    before.keep(NAME, "f1.double/outputs/test_other", AS_GRADED, SEEN)
    before.write()
    assert opened().trace(NAME, "f1.double/outputs/test_other", AS_GRADED) is None
    assert opened().trace(NAME, CHECK, AS_GRADED) == CheckTrace(Outcome.PASSED, (), drawn=())


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
