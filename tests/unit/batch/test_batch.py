"""Nobody in a batch is lost, graded twice, or written over by another, whatever the order."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from grader.batch.batch import grade_batch
from grader.batch.discovery import BatchError, discover
from grader.batch.gradebook import Row
from grader.batch.names import record_names
from grader.batch.summary import Summary
from grader.grade.evidence import Note, Where
from tests.support.archives import tarred, zipped
from tests.unit.samples import RUBRIC, SampleGrader


def hand_in(folder: Path, **outcomes: str) -> Path:
    """A class: student number to the outcome that the sample grader gives."""
    for student, outcome in outcomes.items():
        place = folder / student.replace("_", "-")
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    return folder


def graded(folder: Path, out: Path, grader: SampleGrader) -> Summary:
    return grade_batch(discover(folder, out).entries, RUBRIC, grader, out, lambda row: None)


def everything_in(out: Path) -> dict[str, object]:
    """What a batch wrote, timings apart."""
    written: dict[str, object] = {}
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        name = path.relative_to(out).as_posix()
        if path.suffix == ".json":
            record = json.loads(path.read_text(encoding="utf-8"))
            record.pop("timings", None)
            written[name] = record
        else:
            written[name] = path.read_bytes()
    return written


def test_folders_and_files_are_submissions(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_002="passed")
    (folder / "student-001.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "student-003.ipynb").write_text("{}", encoding="utf-8")
    (folder / "roster.csv").write_text("id\n", encoding="utf-8")
    (folder / ".DS_Store").write_text("", encoding="utf-8")
    (folder / "out").mkdir()

    found = discover(folder, folder / "out").entries

    assert [(entry.id, entry.path.name, entry.record) for entry in found] == [
        ("student-001", "student-001.py", "student-001.json"),
        ("student-002", "student-002", "student-002.json"),
        ("student-003", "student-003.ipynb", "student-003.json"),
    ]


@pytest.mark.parametrize(
    "name",
    ["student-009.pdf", "student-009.docx", "student-009.hwp", "student-009.txt", "student-009",
     "student-009.py.txt", "student-009.ipynb.json", "student-009.png", "student-009.m"],
)  # fmt: skip
def test_what_nobody_can_grade_is_a_row_with_the_reason(tmp_path: Path, name: str) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed")
    (folder / name).write_bytes(b"#passed\n")

    [row] = graded(folder, tmp_path / "out", SampleGrader()).problems

    assert row.id.startswith("student-009")
    assert row.problem.startswith(f"{folder / name} ")
    assert "Rename it" in row.problem or "only" in row.problem


@pytest.mark.parametrize("name", ["roster.csv", "README.md", "rubric.yaml", "__MACOSX/"])
def test_what_is_the_teachers_is_no_row_and_is_listed(tmp_path: Path, name: str) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed")
    filled(folder / "more", name)
    (folder / "more" / name).rename(folder / name)
    (folder / "more").rmdir()

    assert [entry.id for entry in discover(folder, tmp_path / "out").entries] == ["student-001"]
    assert discover(folder, tmp_path / "out").others == (name.rstrip("/"),)


STEMS = ("s1_sums", "s2_means")


def filled(folder: Path, *names: str) -> Path:
    """A folder with empty files in it, and folders whose names end in `/`."""
    folder.mkdir()
    for name in names:
        (folder / name).mkdir() if name.endswith("/") else (folder / name).write_text("")
    return folder


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["s1_sums.py"], id="a single file"),
        pytest.param(["s1_sums.py", "s2_means.ipynb", "utils.py", "data/"], id="several"),
    ],
)
def test_a_folder_that_is_one_submission_is_no_class(tmp_path: Path, names: list[str]) -> None:
    folder = filled(tmp_path / "my work", *names)

    with pytest.raises(BatchError) as refused:
        discover(folder, tmp_path / "out", STEMS)

    assert str(refused.value) == (
        f"{folder}: holds s1_sums.py, as one student hands it in, so it is one submission and not "
        f"a class. Next: grader check '{folder}', or give the folder that holds one folder or "
        "file a student."
    )


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["s1_sums.py", "student-001/", "student-002/"], id="a stray file"),
        pytest.param(["student-001_s1_sums.py", "student-002_s1_sums.py"], id="named files"),
    ],
)
def test_a_class_is_a_class(tmp_path: Path, names: list[str]) -> None:
    folder = filled(tmp_path / "class", *names)

    assert len(discover(folder, tmp_path / "out", STEMS).entries) == len(names)


def test_records_of_who_is_gone_are_told(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed", student_002="passed")
    first = graded(folder, tmp_path / "out", SampleGrader())
    (folder / "student-002").rename(folder / "student-003")

    second = graded(folder, tmp_path / "out", SampleGrader())

    assert (first.stale, second.stale) == ((), ("student-002.json",))


def test_a_file_with_a_problem_has_it_in_its_row(tmp_path: Path) -> None:
    """A wrong name, a notebook cut off: graded, with no points, and with the reason."""
    folder = hand_in(tmp_path / "class", student_001="passed", student_002="failed")
    place = Where("hw1.py", 3)
    notes = (Note("note", "Fine."), Note("problem", "a\nb", place), Note("problem", "c"))

    summary = graded(folder, tmp_path / "out", SampleGrader(notes=notes))

    assert [row.problem for row in summary.rows] == [f"{place} a b (and 1 more)"] * 2
    assert summary.problems == ()
    assert [row.id for row in summary.idle] == ["student-002"]
    cells = (tmp_path / "out" / "gradebook.csv").read_text("utf-8").splitlines()
    assert cells[2].endswith(f",{place} a b (and 1 more)")


def test_a_folder_and_a_file_of_one_name_are_two_students(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed")
    (folder / "student-001.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "student-001.ipynb").write_text("{}", encoding="utf-8")

    assert [entry.id for entry in discover(folder, tmp_path / "out").entries] == [
        "student-001",
        "student-001.ipynb",
        "student-001.py",
    ]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nowhere", "nowhere: no such folder."),
        ("class.zip", "class.zip: an archive. Unpack"),
        ("empty", "empty: no submissions. It should hold"),
    ],
)
def test_nothing_to_grade_is_an_error(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "class.zip").write_bytes(b"PK")

    with pytest.raises(BatchError, match=says):
        discover(tmp_path / name, tmp_path / "out")


def test_record_names_never_collide_and_are_safe_anywhere() -> None:
    ids = [
        "a b",
        "a_b",
        "A",
        "a",
        "con",
        "CON.x",
        "..",
        "-rf",
        "김철수",
        "x" * 300,
        "a/../b",
        "é",
        "e.",
    ]

    names = record_names(ids)

    assert len({name.casefold() for name in names.values()}) == len(ids)
    assert names["a_b"] == "a_b.json"
    for id, name in names.items():
        assert Path(name).name == name
        assert len(name) < 120
        assert name.isascii()
        assert not name.startswith("."), id


def test_every_student_gets_a_record_and_a_row(tmp_path: Path) -> None:
    folder = hand_in(
        tmp_path / "class", student_001="passed", student_002="failed", student_003="not_attempted"
    )
    heard: list[str] = []

    summary = grade_batch(
        discover(folder, tmp_path / "out").entries,
        RUBRIC,
        SampleGrader(),
        tmp_path / "out",
        lambda row: heard.append(row.id),
    )

    assert heard == ["student-001", "student-002", "student-003"]
    assert [row.id for row in summary.rows] == heard
    assert (summary.complete, summary.problems, summary.unchecked) == (1, (), ())
    assert sorted(everything_in(tmp_path / "out")) == [
        "gradebook.csv",
        "records/student-001.json",
        "records/student-002.json",
        "records/student-003.json",
    ]


def test_archives_are_submissions_and_a_bad_one_is_recorded(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed")
    files = {"hand-in/s1_sums.py": b"#failed\n"}
    (folder / "student-002.zip").write_bytes(zipped(files))
    (folder / "student-003.tar.gz").write_bytes(tarred(files))
    (folder / "student-004.zip").write_bytes(zipped(files)[:40])
    (folder / "student-005.rar").write_bytes(b"Rar!")
    (folder / "student-001.zip").write_bytes(zipped(files))

    summary = graded(folder, tmp_path / "out", SampleGrader())

    assert {row.id: row.problem.partition(": ")[2] for row in summary.rows} == {
        "student-001": "",
        "student-001.zip": "",
        "student-002": "",
        "student-003": "",
        "student-004": "damaged or not complete (File is not a zip file). "
        "Pack it again, and upload that.",
        "student-005": "this kind of archive is not read. Pack it as .zip and hand that in.",
    }
    digests = {row.id: row.digest for row in summary.rows}
    assert digests["student-002"] == digests["student-003"] != digests["student-001"]


def test_the_order_of_results_changes_nothing(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed", student_002="failed", s_3="blocked")
    os.mkfifo(folder / "student-004.py")

    graded(folder, tmp_path / "forwards", SampleGrader())
    graded(folder, tmp_path / "backwards", SampleGrader(backwards=True))

    assert everything_in(tmp_path / "forwards") == everything_in(tmp_path / "backwards")


def test_an_unreadable_submission_is_kept_with_its_problem(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed")
    (folder / "student-002").mkdir()
    (folder / "student-003").symlink_to(folder / "student-001")

    summary = graded(folder, tmp_path / "out", SampleGrader())

    assert [(row.id, row.total) for row in summary.problems] == [
        ("student-002", None),
        ("student-003", None),
    ]
    assert everything_in(tmp_path / "out")["records/student-003.json"] == {
        "format": "grader.report/1",
        "course": "sums",
        "submission": {"id": "student-003", "digest": None, "entries": {}},
        "problem": f"{folder / 'student-003'}: a symbolic link, and links are not followed. "
        "Give what it points to.",
    }


def test_a_submission_without_a_result_is_not_lost(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="passed", student_002="passed")

    summary = graded(folder, tmp_path / "out", SampleGrader(forgets=("student-002",)))

    assert [(row.id, row.problem) for row in summary.problems] == [
        (
            "student-002",
            "could not check: grading ended without a result. Grade this one again.",
        )
    ]


def test_what_could_not_be_checked_is_counted(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", student_001="could_not_check", student_002="passed")

    summary = graded(folder, tmp_path / "out", SampleGrader())

    assert [row.id for row in summary.unchecked] == ["student-001"]


def test_rows_without_points_are_problems() -> None:
    assert Summary((Row("a", problem="x"), Row("b")), 0).problems == (Row("a", problem="x"),)
