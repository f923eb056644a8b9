"""`grader batch` grades a class in parallel and says what became of it."""

from __future__ import annotations

import csv
from pathlib import Path

import click
import pytest

from grader.commands.batch import run
from tests.unit.samples import SampleGrader, write_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(root)
    return root


def hand_in(folder: Path, *outcomes: str) -> Path:
    for number, outcome in enumerate(outcomes, start=1):
        place = folder / f"student-{number:03}"
        place.mkdir(parents=True)
        if outcome:
            (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    return folder


def batch(
    folder: Path,
    out: Path,
    grader: SampleGrader,
    jobs: int | None = None,
    isolation: str | None = None,
) -> int:
    return run(
        folder,
        out,
        jobs=jobs,
        only=(),
        spawn=False,
        isolation=isolation,
        course_folder=None,
        open_engine=grader.opened,
    )


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        pytest.param(("passed", "passed"), 0, id="all points"),
        pytest.param(("passed", "failed"), 1, id="points missing"),
        pytest.param(("passed", "could_not_check"), 3, id="could not check"),
        pytest.param(("passed", ""), 3, id="unreadable"),
    ],
)
def test_the_exit_code_says_what_came_of_it(
    course: Path, outcomes: tuple[str, ...], code: int
) -> None:
    folder = hand_in(course / "class", *outcomes)

    assert batch(folder, course / "out", SampleGrader()) == code


def test_what_a_batch_prints(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = hand_in(Path("class"), "passed", "failed", "")

    batch(folder, Path("out"), SampleGrader())

    printed = capsys.readouterr()
    unreadable = (
        "class/student-003: no .py or .ipynb file that can be read. "
        "Hand in the assignment's own file, a .py or .ipynb."
    )
    assert printed.err == (
        f"[1/3] student-003: {unreadable}\n"
        "[2/3] student-001: 6.5 points\n"
        "[3/3] student-002: 0 points\n"
    )
    assert printed.out == (
        "                 s1.    s2.\n"
        "student          add   mean    total\n"
        "              of 3.5   of 3   of 6.5\n"
        "student-001      3.5      3      6.5\n"
        "student-002        0      0        0\n"
        "student-003        ?      ?        ?\n"
        "\n"
        f"student-003: {unreadable}\n"
        "3 submissions, 1 with all points, 1 without a result\n"
        "next: open out/gradebook.csv\n"
    )


def test_the_gradebook_has_everyone(course: Path) -> None:
    folder = hand_in(course / "class", "passed", "failed", "")

    batch(folder, course / "out", SampleGrader())

    with (course / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["id"], row["total"]) for row in csv.DictReader(file)] == [
            ("student-001", "6.5"),
            ("student-002", "0"),
            ("student-003", ""),
        ]


@pytest.mark.parametrize(("jobs", "workers"), [(1, 1), (2, 2), (8, 3)])
def test_no_more_workers_are_started_than_there_is_work(
    course: Path, jobs: int, workers: int
) -> None:
    grader = SampleGrader()

    batch(hand_in(course / "class", *["passed"] * 3), course / "out", grader, jobs)

    assert getattr(grader.options, "workers") == workers  # noqa: B009


@pytest.mark.parametrize(("given", "wanted"), [(None, "full"), ("partial", "partial")])
def test_a_class_is_graded_with_full_isolation_unless_somebody_decided_otherwise(
    course: Path, given: str | None, wanted: str
) -> None:
    grader = SampleGrader()

    batch(hand_in(course / "class", "passed"), course / "out", grader, isolation=given)

    assert getattr(grader.options, "isolation") == wanted  # noqa: B009


def test_an_empty_class_is_a_mistake_in_the_command(course: Path) -> None:
    (course / "class").mkdir()

    with pytest.raises(click.ClickException, match="class: no submissions"):
        batch(course / "class", course / "out", SampleGrader())
