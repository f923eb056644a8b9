"""`grader gradebook` takes in points from what is on disk: nobody is graded for it again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.cli import cli
from grader.cli.commands.batch import run as grade
from tests.support.full_disk import fill_up
from tests.unit.samples import RUBRIC, SampleGrader, write_course

QUESTIONS = """\
written:
  s1.why: {points: 2, question: Why?}
"""
CLASS = ("passed", "failed", "could_not_check", "", "passed")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with a question, and a class in all states, graded into `out`."""
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(root)
    with (root / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(QUESTIONS)
    for number, outcome in enumerate(CLASS, start=1):
        place = root / "class" / f"student-{number:03}"
        place.mkdir(parents=True)
        if outcome:
            (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    answer = "<!-- answer: s1.why -->\nBecause.\n"
    (root / "class" / "student-001" / "answers.md").write_text(answer, encoding="utf-8")
    batch(root)
    return root


def batch(root: Path, *, empty_is_zero: bool = False) -> None:
    grade(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        empty_is_zero=empty_is_zero, open_engine=SampleGrader().opened,
    )  # fmt: skip


def enter(root: Path, points: str) -> None:
    file = root / "out" / "written.csv"
    text = file.read_text(encoding="utf-8")
    assert text.count("student-001,s1.why,,") == 1
    text = text.replace("student-001,s1.why,,", f"student-001,s1.why,{points},")
    file.write_text(text, encoding="utf-8")


def gradebook(*words: str) -> int:
    return cli.main(["gradebook", "out", *words])


def totals(root: Path) -> list[str]:
    with (root / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as lines:
        return [row["total"] for row in csv.DictReader(lines)]


def results(root: Path) -> dict[str, bytes]:
    """All that was written but records and the store, which hold times."""
    return {
        path.name: path.read_bytes()
        for path in (root / "out").rglob("*")
        if path.is_file() and path.suffix not in (".json", ".sqlite")
    }


def test_it_writes_what_grading_again_would_write(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(course, "1.5")
    records = {path: path.stat().st_mtime_ns for path in (course / "out" / "records").iterdir()}
    capsys.readouterr()

    assert gradebook() == 0

    assert capsys.readouterr().out == (
        "5 submissions, none graded again\n"
        "1 written answers, 1 of them graded by a person\n"
        "next: open out/gradebook.csv\n"
    )
    assert {path: path.stat().st_mtime_ns for path in records} == records
    found = results(course)
    batch(course)
    assert results(course) == found
    assert totals(course)[0] == "8"


@pytest.mark.parametrize(
    ("words", "expected"),
    [([], ["8.5", "", "", "", ""]), (["--empty-is-zero"], ["8.5", "0", "0", "", "6.5"])],
    ids=["not known", "counted as 0"],
)
def test_an_empty_answer_counts_as_0_where_somebody_decided_so(
    course: Path, words: list[str], expected: list[str]
) -> None:
    """Who handed in nothing that can be read has no total either way."""
    enter(course, "2")

    assert gradebook(*words) == 0

    assert totals(course) == expected
    batch(course, empty_is_zero=bool(words))
    assert totals(course) == expected
    assert gradebook() == 0
    assert totals(course) == ["8.5", "", "", "", ""]  # nothing of it was kept


def test_points_that_were_given_win_over_an_empty_answer(course: Path) -> None:
    (course / "filled.csv").write_text("id,question,points\nstudent-002,s1.why,1\n")

    assert gradebook("--written-points", "filled.csv", "--empty-is-zero") == 0

    assert totals(course)[:2] == ["", "1"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_gradebook_that_a_spreadsheet_saved_is_read(course: Path, separator: str) -> None:
    enter(course, "1.5")
    file = course / "out" / "gradebook.csv"
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.reader(lines))
    with file.open("w", encoding="utf-8-sig", newline="") as saved:
        csv.writer(saved, delimiter=separator).writerows(rows)

    assert gradebook() == 0

    assert totals(course)[0] == "8"


def test_who_left_the_class_stays_out(course: Path) -> None:
    record = course / "out" / "records" / "student-005.json"
    stranger = json.loads(record.read_text("utf-8"))
    stranger["submission"]["id"] = "student-009"
    record.with_name("student-009.json").write_text(json.dumps(stranger), encoding="utf-8")

    assert gradebook() == 0

    assert len(totals(course)) == 5


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda out: (out / "gradebook.csv").unlink(),
            "gradebook.csv: no such file. Grade a class",
        ),
        (lambda out: (out / "gradebook.csv").write_text("a,b\n"), "gradebook.csv: not a gradebook"),
        (
            lambda out: (out / "records" / "student-002.json").unlink(),
            "records: no record of 'student-002', who is in gradebook.csv. Grade the class again",
        ),
        (
            lambda out: (out / "records" / "student-002.json").write_text("{"),
            "student-002.json: cannot be read (Expecting",
        ),
        (
            lambda out: (out / "records" / "student-002.json").write_text("[]"),
            "student-002.json: not a record of this grader. Grade the class again: grader batch",
        ),
    ],
    ids=["no gradebook", "another file", "a record missing", "half a record", "no record"],
)
def test_what_no_gradebook_can_be_made_of_is_refused(
    course: Path, capsys: pytest.CaptureFixture[str], spoil: object, words: str
) -> None:
    spoil(course / "out")  # type: ignore[operator]

    assert gradebook() == 2

    assert words in capsys.readouterr().err


def test_a_rubric_that_gives_other_points_now_is_told(
    course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric = course / "rubric.yaml"
    rubric.write_text(rubric.read_text().replace("points: 2.5", "points: 3"))

    assert gradebook() == 2

    told = "student-001.json: graded when rubric.yaml gave other points in s1.add. Grade the class"
    assert told in capsys.readouterr().err


def test_a_full_disk_leaves_the_gradebook_as_it_was(
    course: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(course, "2")
    before = (course / "out" / "gradebook.csv").read_bytes()
    fill_up(monkeypatch, after_files=2)

    assert gradebook() == 2

    assert "gradebook.csv: not written, because the disk is full" in capsys.readouterr().err
    assert (course / "out" / "gradebook.csv").read_bytes() == before


def test_names_that_are_formulas_are_found_again(tmp_path: Path, course: Path) -> None:
    names = ("=1+1", "a;=1", "a,=1", "'=1")
    for name in names:
        (tmp_path / "more" / name).mkdir(parents=True)
        (tmp_path / "more" / name / "s1_sums.py").write_text("#passed\n")
    found = discover(tmp_path / "more", course / "out").entries
    grade_batch(found, RUBRIC, SampleGrader(), course / "out", lambda row: None)
    before = (course / "out" / "gradebook.csv").read_bytes()
    rubric = course / "rubric.yaml"
    rubric.write_text(rubric.read_text().replace(QUESTIONS, ""))

    assert gradebook() == 0

    assert (course / "out" / "gradebook.csv").read_bytes() == before
