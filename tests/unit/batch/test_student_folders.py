"""The class folders of nbgrader and Gradescope: whose each folder is, and when it arrived."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.batch.arrivals import Arrival, with_arrivals
from grader.batch.discovery import BatchError, discover
from grader.cli.commands.regrade import run as regrade
from grader.course.rubric import Rubric
from grader.course.rubric_file import load_rubric
from grader.store.late_work import Times
from grader.text.moments import read_moment
from tests.unit.batch.test_late_work import batch, rows
from tests.unit.samples import RUBRIC_TEXT, SampleGrader, write_course

STEMS = ("s1_sums", "s2_means")
METADATA = """---
submission_11:
  :submitters:
  - :name: Student One
    :sid: '001'
    :email: student-001@example.org
  - :name: Student Two
    :sid:
    :email: student-002@example.org
  :created_at: 2026-11-20 05:57:45.581000000 Z
  :results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
    tests:
    - output: |
        submission_99:
          :submitters:
          - :sid: '999'
          :created_at: 2030-01-01 00:00:00 Z
submission_12:
  :submitters:
  - :name: Student Three
    :sid: '003'
  :created_at: 2026-11-22T08:10:00.000000+09:00
submission_13:
  :submitters: []
  :created_at: soon
"""


def nbgrader(folder: Path, stamps: dict[str, str], assignment: str = "week 1") -> Path:
    for student, stamp in stamps.items():
        place = folder / "submitted" / student / assignment
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
        (place / "timestamp.txt").write_text(stamp, encoding="utf-8")
    return folder


def gradescope(folder: Path, metadata: str = METADATA, hand_ins: int = 3) -> Path:
    for number in range(11, 11 + hand_ins):
        (folder / f"submission_{number}").mkdir(parents=True)
        (folder / f"submission_{number}" / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
    (folder / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
    return folder


def test_each_of_a_team_has_a_row(tmp_path: Path) -> None:
    found = discover(gradescope(tmp_path / "class"), tmp_path / "out", STEMS)

    assert found.layout == "gradescope"
    assert {entry.id: entry.path.name for entry in found.entries} == {
        "001": "submission_11",
        "student-002@example.org": "submission_11",
        "003": "submission_12",
        "submission_13": "submission_13",
    }
    assert [list(entry.read().files) for entry in found.entries] == [["s1_sums.py"]] * 4


def test_when_gradescope_got_it_is_known(tmp_path: Path) -> None:
    folder = gradescope(tmp_path / "class")
    found = discover(folder, tmp_path / "out", STEMS)
    known = {entry.id: entry.arrivals for entry in found.entries}

    assert known["001"] == known["student-002@example.org"]
    assert known["001"] == (Arrival(read_moment("2026-11-20T05:57:45Z"), frozenset({"s1_sums"})),)
    assert known["003"][0].at == read_moment("2026-11-22T08:10+09:00")
    assert known["submission_13"] == ()
    assert found.unread == (
        f"{folder}/submission_metadata.yml:23: submission_13: no :created_at that is a time",
    )


def test_who_is_in_an_export_twice_is_told_apart(tmp_path: Path) -> None:
    one = METADATA.replace("'003'", "'001'")
    found = discover(gradescope(tmp_path / "class", one), tmp_path / "out", STEMS)

    ids = [entry.id for entry in found.entries]
    assert ids[:2] == ["001~submission_11", "001~submission_12"]


def test_what_an_export_says_nothing_of_is_named(tmp_path: Path) -> None:
    folder = gradescope(tmp_path / "class", METADATA, hand_ins=4)
    assert discover(folder, tmp_path / "out", STEMS).others == ("submission_14",)


def test_a_hand_in_that_is_missing_keeps_its_row(tmp_path: Path) -> None:
    folder = gradescope(tmp_path / "class", METADATA, hand_ins=1)
    (folder / "submission_12").symlink_to(tmp_path)
    assert len(discover(folder, tmp_path / "out", STEMS).entries) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ": says nothing of any submission"),
        ("---\n", ": says nothing of any submission"),
        ("- a\n", ":1: '- a' is no folder of a submission"),
        ("submission_1:\n  :submitters: []\n../class:\n", ":3: '../class:' is no folder"),
        ("..:\n", ":1: '..:' is no folder"),
        ("/etc:\n", ":1: '/etc:' is no folder"),
        ("submission_11: text\n", ":1: 'submission_11: text' is no folder"),
        ("submission_1:\nsubmission_1:\n", ":2: 'submission_1:' is no folder of a submission, or"),
        ("\0\0:\n", ":1: '"),
    ],
)
def test_metadata_that_is_none_of_gradescopes(tmp_path: Path, text: str, words: str) -> None:
    folder = gradescope(tmp_path / "class", text)
    with pytest.raises(BatchError) as refused:
        discover(folder, tmp_path / "out", STEMS)
    assert str(refused.value).startswith(f"{folder}/submission_metadata.yml{words}")


@pytest.mark.parametrize("part", ["", "submitted"])
def test_a_folder_of_nbgrader_is_recognised(tmp_path: Path, part: str) -> None:
    folder = nbgrader(
        tmp_path / "course",
        {
            "student-001": "2026-11-20 10:00:00.000000 UTC\n",
            "student-002": "2026-11-20 10:00:00 Asia/Seoul",
            "student-003": "2026-11-20 10:00:00 +0900",
        },
    )
    (folder / "submitted" / ".DS_Store").write_bytes(b"")
    (folder / "submitted" / "notes.txt").write_bytes(b"")
    found = discover(folder / part, tmp_path / "out", STEMS)

    assert (found.layout, found.others, found.unread) == ("nbgrader", ("notes.txt",), ())
    assert {entry.id: entry.arrivals for entry in found.entries} == {
        student: (Arrival(read_moment(at), frozenset({"s1_sums"})),)
        for student, at in {
            "student-001": "2026-11-20T10:00:00Z",
            "student-002": "2026-11-20T10:00:00+09:00",
            "student-003": "2026-11-20T10:00:00+09:00",
        }.items()
    }
    assert list(found.entries[0].read().files) == ["week 1/s1_sums.py"]


@pytest.mark.parametrize(
    "stamp", ["", "yesterday", "2026-11-20 10:00:00", "2026-11-20 10:00:00 CST",
              "2026-11-20 10:00:00 ../../etc/passwd", "2026-13-20 10:00:00 UTC", "\0" * 500,
              "2026-11-20 10:00:00 Nowhere/There", "2026-11-20 10:00:00 /etc/localtime"],
)  # fmt: skip
def test_a_stamp_without_a_zone_that_is_one_is_no_time(tmp_path: Path, stamp: str) -> None:
    found = discover(nbgrader(tmp_path, {"student-001": stamp}), tmp_path / "out", STEMS)

    assert found.entries[0].arrivals == ()
    assert len(found.unread) == 1
    assert "timestamp.txt: " in found.unread[0]


def test_a_stamp_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    folder = nbgrader(tmp_path, {"student-001": "", "student-002": ""})
    for student, make in {"student-001": os.mkfifo, "student-002": os.mkdir}.items():
        stamp = folder / "submitted" / student / "week 1" / "timestamp.txt"
        stamp.unlink()
        make(stamp)
    assert len(discover(folder, tmp_path / "out", STEMS).unread) == 2


def test_plain_folders_are_none_of_nbgraders(tmp_path: Path) -> None:
    place = tmp_path / "class" / "student-001" / "week 1"
    place.mkdir(parents=True)
    (place / "s1_sums.py").write_bytes(b"")
    assert discover(tmp_path / "class", tmp_path / "out", STEMS).layout == "plain"
    assert discover(tmp_path / "class", tmp_path / "out", STEMS, "nbgrader").layout == "nbgrader"


def test_a_class_of_nobody_is_refused(tmp_path: Path) -> None:
    (tmp_path / "submitted").mkdir()
    with pytest.raises(BatchError, match="no submissions"):
        discover(tmp_path, tmp_path / "out", STEMS, "nbgrader")


# ---- what it is for: late work ---------------------------------------------------------------

ONE = "late: {deadline: 2026-11-20T23:59:00+09:00, per_day: 10%}\n"
OF_EACH = (
    "late: {deadline: {s1: 2026-11-20T23:59:00+09:00, s2: 2026-12-20T23:59:00+09:00}, per_day: 1}\n"
)
EARLY, LATE = read_moment("2026-11-19T12:00Z"), read_moment("2026-11-23T12:00Z")


def rubric(tmp_path: Path, late: str) -> Rubric:
    course = write_course(tmp_path / "course")
    (course / "rubric.yaml").write_text(RUBRIC_TEXT + late, encoding="utf-8")
    return load_rubric(course / "rubric.yaml")


def test_where_one_deadline_holds_the_last_arrival_counts(tmp_path: Path) -> None:
    arrivals = {"a": (Arrival(LATE, frozenset({"s2_means"})), Arrival(EARLY))}
    assert with_arrivals({}, arrivals, rubric(tmp_path, ONE), ()) == {"a": {"": Times(LATE)}}


def test_each_deadline_has_the_arrival_of_its_files(tmp_path: Path) -> None:
    known = rubric(tmp_path, OF_EACH)
    s1, s2 = (frozenset({stem}) for stem in known.assignments.values())
    arrivals = {"a": (Arrival(LATE, s1), Arrival(EARLY, s2)), "b": (Arrival(LATE),)}

    assert with_arrivals({}, arrivals, known, ()) == {
        "a": {"s1": Times(LATE), "s2": Times(EARLY)},
        "b": {},  # nobody knows of which of the two it is
    }


def test_the_roster_wins_and_its_extension_stays(tmp_path: Path) -> None:
    known = rubric(tmp_path, ONE)
    roster = {"a": {"": Times(EARLY)}, "b": {"": Times(None, 3600)}}
    arrivals = {"a": (Arrival(LATE),), "b": (Arrival(LATE),)}

    assert with_arrivals(roster, arrivals, known, ()) == {
        "a": {"": Times(EARLY)},
        "b": {"": Times(LATE, 3600)},
    }


def test_without_deadlines_nobody_is_late(tmp_path: Path) -> None:
    assert with_arrivals({}, {"a": (Arrival(LATE),)}, rubric(tmp_path, ""), ()) == {"a": {}}


def test_late_work_in_an_export_costs_what_the_rubric_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    course = write_course(tmp_path / "course")
    monkeypatch.chdir(course)
    (course / "reference").mkdir()
    (course / "rubric.yaml").write_text(RUBRIC_TEXT + ONE, encoding="utf-8")
    (course / "roster.csv").write_text("id\n001\n003\n005\n", encoding="utf-8")
    gradescope(course / "class")

    batch(course)
    totals = {id: row["total"] for id, row in rows(course).items()}
    printed = capsys.readouterr().out

    assert totals == {
        "001": "6.5", "003": "5.2", "005": "", "student-002@example.org": "6.5",
        "submission_13": "6.5",
    }  # fmt: skip
    assert "class is an export of Gradescope: 3 folders of 4 students." in printed
    assert "not known when this was handed in: " in printed

    (course / "rubric.yaml").write_text(RUBRIC_TEXT + ONE.replace("10%", "20%"), encoding="utf-8")
    regrade(course / "out", only_show=True, open_engine=SampleGrader().opened)
    assert "5.2 ->     3.9" in capsys.readouterr().out
