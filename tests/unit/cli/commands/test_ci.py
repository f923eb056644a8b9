"""`grader ci` finds the system, grades once, writes what is read there, and exits accordingly."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.cli import cli
from grader.cli.commands.ci.grading import CiRequest, run
from grader.grade.evidence import Note, Where
from grader.report.content import Grader
from tests.support.workflow import commands
from tests.unit.samples import SampleGrader, write_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    return root


def put(tmp_path: Path, outcome: str) -> Path:
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    (folder / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    return folder


def ci(path: Path, system: str, **more: object) -> int:
    given: dict[str, object] = {
        "path": path,
        "system": system,
        "out": Path("out"),
        "course_folder": Path("course"),
        "environment": {},
        "open_engine": SampleGrader().opened,
        **more,
    }
    return run(CiRequest(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "codes"),
    [
        ("passed", {"github": 0, "gitlab": 0, "gradescope": 0, "classroom50": 0, "none": 0}),
        ("failed", {"github": 1, "gitlab": 1, "gradescope": 0, "classroom50": 0, "none": 1}),
        (
            "could_not_check",
            {"github": 3, "gitlab": 3, "gradescope": 3, "prairielearn": 3, "classroom50": 3},
        ),
    ],
)
def test_the_exit_code_is_the_systems(
    course: Path, tmp_path: Path, outcome: str, codes: dict[str, int]
) -> None:
    work = put(tmp_path, outcome)

    assert {system: ci(work, system) for system in codes} == codes


def test_the_system_is_recognised(course: Path, tmp_path: Path) -> None:
    ci(put(tmp_path, "passed"), "", environment={"GITLAB_CI": "true"})

    assert sorted(path.name for path in Path("out").iterdir()) == [
        "gl-code-quality-report.json",
        "junit.xml",
    ]


def test_github_gets_annotations_a_summary_and_outputs(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {name: tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    for file in files.values():
        file.touch()
    environment = {name: str(file) for name, file in files.items()}

    assert ci(put(tmp_path, "failed"), "github", environment=environment) == 1

    first, *others = commands(capsys.readouterr().out)
    assert first == (
        "::error title=Points are missing::0 / 6.5 points%0ANext: open s1_sums.py:1 "
        "(s1.add, outputs)"
    )
    assert [line.partition(" title=s")[0] for line in others] == ["::error", "::error", "::warning"]
    assert "## sums: 0 / 6.5 points" in files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
    assert files["GITHUB_OUTPUT"].read_text(encoding="utf-8") == (
        "code=1\npoints=0\nmax_points=6.5\n"
    )


@pytest.mark.parametrize("system", ["gradescope", "prairielearn"])
def test_before_grading_the_file_says_that_nothing_was_checked(
    course: Path, tmp_path: Path, system: str
) -> None:
    """Whatever ends the process, even a signal, leaves the file that is seen here."""
    seen = []

    @contextmanager
    def ends(_course: object, _options: object) -> Iterator[Grader]:
        seen.append((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
        raise KeyboardInterrupt
        yield SampleGrader()

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.json").write_text('{"score": 6.5}', encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        ci(put(tmp_path, "passed"), system, open_engine=ends)

    left = (tmp_path / "out" / "results.json").read_text(encoding="utf-8")
    assert seen == [left]
    assert "could not be checked" in left
    assert '"score"' not in left


@pytest.mark.parametrize(
    ("system", "code", "key", "value"),
    [("gradescope", 0, "score", 0), ("prairielearn", 0, "gradable", False)],
)
def test_nothing_to_grade_is_said_to_the_student(
    course: Path, tmp_path: Path, system: str, code: int, key: str, value: object
) -> None:
    (tmp_path / "work").mkdir()

    assert ci(tmp_path / "work", system) == code

    values = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert values[key] == value
    assert "no .py or .ipynb file" in str(values)


@pytest.mark.parametrize(
    ("path", "course_folder"), [("nowhere", "course"), ("work", "no-course")], ids=str
)
def test_what_is_not_the_students_is_no_zero(
    course: Path, tmp_path: Path, path: str, course_folder: str
) -> None:
    put(tmp_path, "passed")

    assert ci(tmp_path / path, "gradescope", course_folder=Path(course_folder)) == 2

    text = (tmp_path / "out" / "results.json").read_text(encoding="utf-8")
    assert "could not be checked" in text
    assert '"score"' not in text


def test_a_report_of_an_earlier_run_is_gone(course: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "junit.xml").touch()
    (tmp_path / "empty").mkdir()

    assert ci(tmp_path / "empty", "gitlab") == 2
    assert list((tmp_path / "out").iterdir()) == []


def test_a_place_in_the_code_is_from_the_root_of_the_repository(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = put(tmp_path, "passed")
    (work / ".git").mkdir()
    week = work / "week1"
    week.mkdir()
    (week / "s1_sums.py").write_text("#passed\n(\n", encoding="utf-8")
    notes = SampleGrader(notes=_problem())

    ci(week, "github", open_engine=notes.opened)

    assert "::error file=week1/s1_sums.py,line=2,title=problem::" in capsys.readouterr().out


def _problem() -> tuple[Note, ...]:
    return (Note("problem", "Not Python.", Where("s1_sums.py", 2)),)


def test_the_staffs_reasons_stay_out_of_the_log(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_DEBUG", "1")
    (tmp_path / "empty").mkdir()

    assert cli.main(["ci", "empty", "--course", "course", "--system", "none"]) == 2
    assert "GRADER_DEBUG" not in os.environ


def test_a_package_needs_a_file(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ci", "--package", "gradescope"]) == 2
    assert "--package needs the file to write" in capsys.readouterr().err
    assert cli.main(["ci", "--package", "gradescope", "out.tar", "--course", "course"]) == 2
    assert "Gradescope takes a .zip file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--package", "gradescope", "out.zip"], ["submission"]], ids=["gradescope", "grading"]
)
def test_only_prairielearn_has_an_image(
    words: list[str], course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["ci", *words, "--image", "name", "--course", "course"]) == 2
    assert "--image goes with --package prairielearn" in capsys.readouterr().err
