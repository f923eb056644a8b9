"""`grader start` copies hand-outs, and never over somebody's work."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import cli
from tests.unit.samples import write_course

NAMES = ["s1_sums", "s2_means"]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_course(tmp_path / "course")
    for name in NAMES:
        (root / "assignments" / f"{name}.ipynb").write_text("{}")
    monkeypatch.chdir(root)
    return root


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        pytest.param([], [".py"], id="default"),
        pytest.param(["--py"], [".py"], id="py"),
        pytest.param(["--ipynb"], [".ipynb"], id="ipynb"),
        pytest.param(["--both"], [".py", ".ipynb"], id="both"),
    ],
)
def test_the_hand_outs_are_copied(course: Path, options: list[str], kinds: list[str]) -> None:
    assert cli.main(["start", "work/here", *options]) == 0

    assert contents(course / "work/here") == {
        name + kind: (course / "assignments" / (name + kind)).read_bytes()
        for name in NAMES
        for kind in kinds
    }


@pytest.mark.parametrize(
    ("option", "next_step"),
    [
        ("--py", "next: open work/s1_sums.py, write your solution, then run: grader check work"),
        (
            "--both",
            "next: open work/s1_sums.py or work/s1_sums.ipynb, write your solution, "
            "then run: grader check work",
        ),
    ],
)
def test_it_says_what_to_do_next(
    course: Path, option: str, next_step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main(["start", "work", option])

    *copied, last = capsys.readouterr().out.splitlines()
    assert copied[0] == "copied  work/s1_sums.py"
    assert last == next_step


def test_the_course_that_was_named_is_in_the_next_command(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(course.parent)

    assert cli.main(["start", "my work", "--course", "course"]) == 0
    assert capsys.readouterr().out.endswith("grader check 'my work' --course course\n")


def test_an_edited_file_is_kept_and_the_others_are_copied(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = course / "work"
    work.mkdir()
    (work / "s1_sums.py").write_text("my solution")

    assert cli.main(["start", "work"]) == 0

    assert contents(work) == {
        "s1_sums.py": b"my solution",
        "s2_means.py": (course / "assignments/s2_means.py").read_bytes(),
    }
    assert capsys.readouterr().out.splitlines()[:2] == [
        "kept    work/s1_sums.py, which is no longer the hand-out; to start over, move it away",
        "copied  work/s2_means.py",
    ]


def test_starting_twice_changes_nothing(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["start", "work"])
    before = contents(course / "work")
    capsys.readouterr()

    assert cli.main(["start", "work"]) == 0
    assert contents(course / "work") == before
    assert capsys.readouterr().out.startswith("there   work/s1_sums.py\n")


def test_a_link_is_not_written_through(course: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (course / "work").mkdir()
    (course / "work/s1_sums.py").symlink_to(tmp_path / "precious")
    (course / "work/s2_means.py").symlink_to(tmp_path / "nowhere")

    cli.main(["start", "work"])

    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


def test_a_missing_hand_out_is_the_courses_mistake(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (course / "assignments/s2_means.ipynb").unlink()

    assert cli.main(["start", "work", "--ipynb"]) == 2
    assert "Generate it: grader stubs" in capsys.readouterr().err
    assert not (course / "work").exists()


ASKING = """\
written:
  s1.why: {points: 2, question: Why?}
"""


@pytest.mark.parametrize(
    ("options", "copied"),
    [([], True), (["--ipynb"], False), (["--both"], True)],
    ids=["py", "ipynb", "both"],
)
def test_the_file_for_answers_goes_with_py_files(
    course: Path, options: list[str], copied: bool
) -> None:
    with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(ASKING)
    (course / "assignments" / "answers.md").write_text("# Written answers\n")

    assert cli.main(["start", "work", *options]) == 0

    assert ("answers.md" in contents(course / "work")) is copied


def test_a_missing_file_for_answers_is_told(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (course / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(ASKING)

    assert cli.main(["start", "work"]) == 2

    assert "assignments/answers.md: no such file. Generate it: grader stubs" in (
        capsys.readouterr().err
    )
