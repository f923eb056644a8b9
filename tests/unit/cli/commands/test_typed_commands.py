"""Commands that a message tells to type can be pasted where `grader` is on no path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.cli import cli
from grader.cli.commands.batch import run as grade
from grader.cli.commands.doctor import machine
from grader.engine.engine import EngineError
from grader.text.typed import here
from grader.validate.gap import Gap
from grader.wire.isolation_record import IsolationRecord
from tests.unit.samples import SampleGrader, write_course

QUESTION = "written:\n  s1.why: {points: 2, question: Why?}\n"
OWN = ".venv/bin/grader"
SOLVED = "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course, and an environment in the current folder that nobody activated."""
    root = write_course(tmp_path / "course")
    with (root / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(QUESTION)
    program = tmp_path / "here" / OWN
    program.parent.mkdir(parents=True)
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", [OWN])
    return root


def test_points_are_entered_by_the_command_that_batch_shows(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    student = tmp_path / "class" / "student-001"
    student.mkdir(parents=True)
    (student / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
    (student / "answers.md").write_text("<!-- answer: s1.why -->\nBecause.\n", encoding="utf-8")
    grade(
        tmp_path / "class", tmp_path / "out", jobs=1, only=(), spawn=False,
        course_folder=Path("../course"), open_engine=SampleGrader().opened,
    )  # fmt: skip

    assert f"then: {OWN} gradebook {tmp_path / 'out'} --course ../course\n" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(
            ["gradebook", "out", "--course", "../course"],
            f"Grade a class first: {OWN} batch DIR --out out --course ../course",
            id="gradebook",
        ),
        pytest.param(
            ["start", "work", "--course", "../course"],
            f"Generate it: {OWN} stubs --course ../course",
            id="start",
        ),
        pytest.param(
            ["new", "q1.one", "--target", "f", "--kind", "class", "--course", "../course"],
            f"{OWN} new q1.one --target f --kind class --assignment q1_name --course ../course",
            id="new, its assignment",
        ),
        pytest.param(
            ["new", "q1.one", "--target", "2", "--begin", "my course"],
            f"Next: {OWN} new q1.one --target compute --begin 'my course'",
            id="new, its target",
        ),
        pytest.param(
            ["new", "s1.one", "--target", "f", "--begin", "../course"],
            f"run: {OWN} new s1.one --target f --course ../course",
            id="new, where a course is",
        ),
        pytest.param(["stubs", "a.py"], f"{OWN} stubs SOURCE --out DIR", id="stubs"),
    ],
)
def test_a_refusal_shows_the_command_with_its_options(
    course: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for hand_out in (course / "assignments").glob("s1_sums.*"):
        hand_out.unlink()
    (course / "reference").mkdir()
    for stem in ("s1_sums", "s2_means"):
        (course / "reference" / f"{stem}.py").write_text(SOLVED, encoding="utf-8")

    assert cli.main(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.usefixtures("course")
def test_the_doctor_sends_to_its_closer_look() -> None:
    def look(folder: Path) -> IsolationRecord:
        raise EngineError("none to be had")

    assert machine.isolation(look).fix == f"{OWN} doctor --isolation"
    assert machine.isolation(lambda folder: IsolationRecord("partial")).advice.endswith(
        f" More: {OWN} doctor --isolation"
    )


@pytest.mark.usefixtures("course")
def test_a_gap_shows_how_to_close_it() -> None:
    gap = Gap("reference/kills/s1.sums.json", 1, "no record", "grader validate --write")

    assert here(Path("../course")).ending(gap.next) == (
        f"{OWN} validate --write --course ../course"
    )
