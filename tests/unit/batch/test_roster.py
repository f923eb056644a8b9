"""Everybody on the roster has a row, under the name that the roster gives them."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.attendance import of_roster
from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.batch.records import read_records
from grader.batch.roster import read_roster
from grader.batch.time_columns import RosterError
from tests.unit.batch.test_batch import hand_in
from tests.unit.samples import RUBRIC, SampleGrader

NFD = unicodedata.normalize("NFD", "홍길동")


def roster(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_roster_as_spreadsheets_save_it(tmp_path: Path, encoding: str, separator: str) -> None:
    lines = ["Name,ID", "one,student-001", ",", "홍길동,학생-2"]
    text = "\r\n".join(lines).replace(",", separator)

    assert read_roster(roster(tmp_path, text, encoding)).students == ("student-001", "학생-2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ":1: no column that names the students. Call it one of: id,"),
        ("name,mark\nx,1\n", ":1: no column that names the students. Call it one of: id,"),
        ("id\n", ": nobody is on it. Write one student a line under a heading."),
        ("id\na\nA\n", ":3: A is there twice. Delete one line."),
        ("id,name\n,x\n", ":2: no student. Fill the cell, or delete the line."),
        ('id\n"a\n', ": not a table ("),
    ],
)
def test_a_roster_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    path = roster(tmp_path, text)
    with pytest.raises(RosterError) as refused:
        read_roster(path)
    assert str(refused.value).startswith(f"{path}{words}")


def test_a_roster_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RosterError, match="cannot be read"):
        read_roster(tmp_path / "none.csv")


def test_ids_are_matched_as_a_whole_or_by_one_part(tmp_path: Path) -> None:
    known = read_roster(roster(tmp_path, f"id\n12345\nStudent-002\n{NFD}\nkim\n777\n"))

    assert known.matched(
        ["studentone_12345", "STUDENT-002", "홍길동", "kim_777", "nobody_1", "student-0021"]
    ) == {"studentone_12345": "12345", "STUDENT-002": "Student-002", "홍길동": NFD}


def test_everybody_has_a_row(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", one_1="passed", two_2="failed", extra="passed")
    hand_in(folder, four_a="passed", four_b="failed")
    for name in ("one-1", "two-2", "four-a", "four-b"):
        (folder / name).rename(folder / name.replace("-", "_"))
    known = read_roster(roster(tmp_path, "id\n1\n2\n3\nfour\n"))
    out = tmp_path / "out"

    entries, absences = of_roster(discover(folder, out).entries, known)
    summary = grade_batch(
        entries, RUBRIC, SampleGrader(), out, lambda row: None, absent=absences.handed_in_nothing
    )

    assert absences.handed_in_nothing == ("3",)
    assert absences.not_on_roster == ("extra",)
    assert absences.handed_in_twice == ("four",)
    assert {row.id: row.problem for row in summary.rows} == {
        "1": "", "2": "", "3": "handed in nothing", "extra": "", "four_a": "", "four_b": "",
    }  # fmt: skip
    assert [row.total for row in summary.absent] == [None]
    assert summary.problems == ()
    assert [row.id for row in read_records(out, RUBRIC).rows] == [row.id for row in summary.rows]


def test_late_work_is_flagged_and_graded(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "one_LATE_1_10_s1_sums.py").write_text("#passed\n", encoding="utf-8")
    (folder / "two_2_11_s1_sums.py").write_text("#passed\n", encoding="utf-8")
    out = tmp_path / "out"
    found = discover(folder, out)
    summary = grade_batch(found.entries, RUBRIC, SampleGrader(), out, lambda row: None)

    assert found.layout == "canvas"
    assert {row.id: row.flags for row in summary.rows} == {
        "one_1": ("handed in late",),
        "two_2": (),
    }
    assert summary.complete == 2
    assert read_records(out, RUBRIC).rows == tuple(summary.rows)


@pytest.mark.parametrize(
    ("hand_ins", "rows", "absent"),
    [
        (["Team A_4711", "4"], {"1": "Team A_4711", "2": "Team A_4711", "4": "4"}, ("3",)),
        (["2"], {"1": "2", "2": "2"}, ("3", "4")),
        (["1", "2"], {"1": "1", "2": "2"}, ("3", "4")),
        (["team a", "2"], {"1": "team a", "2~team a": "team a", "2": "2"}, ("3", "4")),
        (["Team C"], {"Team C": "Team C"}, ("1", "2", "3", "4")),
    ],
    ids=["of the team", "of one for all", "of each", "of the team and of one", "unknown team"],
)
def test_what_a_team_hands_in_is_a_row_for_each(
    tmp_path: Path, hand_ins: list[str], rows: dict[str, str], absent: tuple[str, ...]
) -> None:
    for name in hand_ins:
        place = tmp_path / "class" / name
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
    known = read_roster(roster(tmp_path, "id,Team\n1,Team A\n2,team A\n3,B\n4,\n"))
    entries, absences = of_roster(discover(tmp_path / "class", tmp_path / "out").entries, known)

    assert {entry.id: entry.path.name for entry in entries} == rows
    assert len({entry.record for entry in entries}) == len(rows)
    assert absences.handed_in_nothing == absent


def test_each_of_a_team_is_graded_and_named(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", team_7="failed")
    known = read_roster(roster(tmp_path, "id,group\n1,team-7\n2,team-7\n"))
    out = tmp_path / "out"
    entries, _absences = of_roster(discover(folder, out).entries, known)
    summary = grade_batch(entries, RUBRIC, SampleGrader(), out, lambda row: None)

    assert [(row.id, row.total) for row in summary.rows] == [("1", Fraction(0)), ("2", Fraction(0))]
