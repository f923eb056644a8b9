"""Points reach the one row that a student is meant by, or none, and the reason is said."""

from __future__ import annotations

import unicodedata

import pytest

from grader.export.matching import Addressee, match

ROWS = (
    Addressee(2, "101", ("sis-1", "one@uni"), "One, Student"),
    Addressee(3, "102", ("sis-2", "two@uni"), "Two, Student"),
    Addressee(4, "103", ("", "three@uni"), "Student Three"),
    Addressee(5, "104", ("", ""), "홍 길동"),
    Addressee(6, "105", ("", ""), "Same Name"),
    Addressee(7, "106", ("", ""), "Name Same"),
)


@pytest.mark.parametrize(
    ("id", "line"),
    [
        ("101", 2),
        ("sis-2", 3),
        ("Three@Uni", 4),
        ("studentone_101", 2),
        ("onestudent_101", 2),
        ("Student Three", 4),
        ("Three, Student", 4),
        (unicodedata.normalize("NFD", "홍길동_104"), 5),
        ("홍 길동", 5),
        ("_105", 6),
    ],
)
def test_who_is_meant(id: str, line: int) -> None:
    found = match([id], ROWS)

    assert found.by_line == {line: id}
    assert found.unplaced == ()
    assert len(found.others) == len(ROWS) - 1


@pytest.mark.parametrize(
    ("ids", "reasons"),
    [
        (["nobody"], ["not in the file"]),
        (["nobody_999"], ["not in the file"]),
        (["studentone_102"], ["line 3 has that number and the name 'Two, Student'"]),
        (["Same Name"], ["lines 6 and 7 can both be meant"]),
        (["101", "sis-1"], ["line 2 can be meant by '101' and 'sis-1'"] * 2),
    ],
    ids=["nobody", "no such number", "another name", "two rows", "two students"],
)
def test_who_is_not_certain_gets_no_row(ids: list[str], reasons: list[str]) -> None:
    found = match(ids, ROWS)

    assert found.by_line == {}
    assert [reason for _id, reason in found.unplaced] == reasons


def test_a_whole_name_wins_over_a_number_in_another_one() -> None:
    rows = (Addressee(2, "7", ("kim_9",), "A"), Addressee(3, "9", ("lee_7",), "B"))

    assert match(["kim_9", "lee_7"], rows).by_line == {2: "kim_9", 3: "lee_7"}
