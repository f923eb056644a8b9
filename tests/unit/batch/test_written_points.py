"""What a person enters comes back exactly, or is refused with file and line before any grading."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.batch.gradebook import Given, GivenPoints, Row, Written
from grader.batch.written_points import (
    CHANGED,
    COLUMNS,
    WrittenPointsError,
    points_file,
    read_points,
    to_review,
)
from grader.course.mark_schemes import SchemeItem
from grader.course.questions import WrittenItem

WHY = WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")
HOW = WrittenItem("s2.how", "s2_means", Fraction(5, 2), "How?")
ITEMS = {item.slug: item for item in (WHY, HOW)}
ANSWERED = {"s1.why": Written(12, "0123456789ab"), "s2.how": Written(0, "")}
ROWS = (
    Row("student-002", problem="no file"),
    Row("student-001", written=ANSWERED),
    Row("=cmd|'/c calc'!A1", written=ANSWERED),
)
STUDENTS = [row.id for row in ROWS]
HEAD = ",".join(COLUMNS)


def written(tmp_path: Path, text: str, name: str = "written.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def refused(path: Path, base: Path | None = None) -> str:
    with pytest.raises(WrittenPointsError) as told:
        read_points(base, [path], ITEMS, STUDENTS)
    return str(told.value)


def test_a_file_to_fill_in_full() -> None:
    given = {("student-001", "s1.why"): Given(Fraction(1, 3), "=late", "0123456789ab")}

    assert points_file(ROWS, [WHY, HOW], given) == (
        "\ufeffid,question,points,max,comment,state,review,answer\n"
        "'=cmd|'/c calc'!A1,s1.why,,3,,answered (12 words),,sha-0123456789ab\n"
        "'=cmd|'/c calc'!A1,s2.how,,2.5,,empty,,\n"
        "student-001,s1.why,1/3,3,'=late,answered (12 words),,sha-0123456789ab\n"
        "student-001,s2.how,,2.5,,empty,,\n"
        "student-002,s1.why,,3,,not read,,\n"
        "student-002,s2.how,,2.5,,not read,,\n"
    )


def test_what_was_written_is_read_again_unchanged(tmp_path: Path) -> None:
    given = {
        ("student-001", "s1.why"): Given(Fraction(1, 3), "=late", "0123456789ab"),
        ("=cmd|'/c calc'!A1", "s2.how"): Given(Fraction(0), "", ""),
        ("student-002", "s2.how"): Given(None, "ill"),
    }
    first = points_file(ROWS, [WHY, HOW], given)

    again = read_points(written(tmp_path, first), [], ITEMS, STUDENTS)

    assert again == given
    assert points_file(ROWS, [WHY, HOW], again) == first


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\nstudent-001,s1.why,2.5\n",
        f"\ufeff{HEAD}\r\nstudent-001,s1.why,2.5\r\n",
        f"{HEAD};\nstudent-001;s1.why;2.5\n".replace(",", ";"),
        "points,Question,ID\n2.5,s1.why,student-001\n,s2.how,student-001\n",
    ],
    ids=["as handed out", "from a spreadsheet", "with semicolons", "other columns"],
)
def test_files_from_spreadsheets_are_read(tmp_path: Path, text: str) -> None:
    found = read_points(None, [written(tmp_path, text)], ITEMS, STUDENTS)

    assert found == {("student-001", "s1.why"): Given(Fraction(5, 2))}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_hangul_is_read_however_a_spreadsheet_saved_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "written.csv"
    line = "\uae40\ucca0\uc218,s1.why,2,3,\uadfc\uac70\uac00 \ubd80\uc871\ud574\uc694"
    path.write_bytes(f"{HEAD}\r\n{line}\r\n".encode(encoding))

    found = read_points(None, [path], ITEMS, ["\uae40\ucca0\uc218"])

    comment = "\uadfc\uac70\uac00 \ubd80\uc871\ud574\uc694"
    assert found == {("\uae40\ucca0\uc218", "s1.why"): Given(Fraction(2), comment)}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("student-009,s1.why,1", "no student 'student-009' in this batch - did you mean"),
        ("student-001,s1.who,1", "no question 's1.who' - did you mean 's1.why'?"),
        ("student-001,s1.why,4", "s1.why gives at most 3 points, got 4"),
        ("student-001,s1.why,-1", "expected points >= 0, got '-1'"),
        ("student-001,s1.why,two", "expected points >= 0, got 'two'"),
        ("student-001,s1.why,nan", "expected points >= 0, got 'nan'"),
        ("student-001,s1.why,1e1", "expected points >= 0, got '1e1'"),
        ('student-001,s1.why,"2,5"', "expected points >= 0, got '2,5' - did you mean '2.5'?"),
        ("student-001,s1.why,1/0", "expected points >= 0, got '1/0'"),
        ("student-001,s1.why,\x1b[31m2", "expected points >= 0, got '2'"),
    ],
)
def test_what_cannot_be_taken_over_is_told_with_its_line(
    tmp_path: Path, line: str, message: str
) -> None:
    path = written(tmp_path, f'{HEAD}\nstudent-001,s2.how,1,,"two\nlines"\n{line}\n')

    told = refused(path)

    assert told.startswith(f"{path}:4: {message}")
    assert told.count("\n") == 0


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEAD}\nstudent-009,s1.who,two\nstudent-001,s1.why,9\n")

    assert [line.split(": ")[0] for line in refused(path).split("\n")] == [
        f"{path}:2",
        f"{path}:2",
        f"{path}:2",
        f"{path}:3",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: no column 'id', 'question', 'points'; the first line names the columns"),
        ("id,question\n", "1: no column 'points'; the first line names the columns"),
        (f'{HEAD}\nstudent-001,s1.why,"1\n', "2: no CSV: unexpected end of data"),
    ],
    ids=["empty", "no points", "a quotation mark too few"],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)

    assert refused(path) == f"{path}:{message}"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "points.xlsx"
    path.write_bytes(b"PK\x03\x04\xff\xfe")

    wanted = "it is saved neither as UTF-8 nor as CP949"
    assert refused(path) == f"{path}: cannot be read ({wanted})"


def test_files_of_two_people_are_put_together_and_win_over_the_batchs_own(tmp_path: Path) -> None:
    base = written(tmp_path, f"{HEAD}\nstudent-001,s1.why,1\nstudent-002,s1.why,1\n")
    one = written(tmp_path, f"{HEAD}\nstudent-001,s1.why,2\n", "one.csv")
    two = written(tmp_path, f"{HEAD}\nstudent-001,s2.how,2\n", "two.csv")

    found = read_points(base, [one, two], ITEMS, STUDENTS)

    assert {key: given.points for key, given in found.items()} == {
        ("student-001", "s1.why"): 2,
        ("student-001", "s2.how"): 2,
        ("student-002", "s1.why"): 1,
    }


def test_two_people_who_disagree_are_told(tmp_path: Path) -> None:
    one = written(tmp_path, f"{HEAD}\nstudent-001,s1.why,2\n", "one.csv")
    two = written(tmp_path, f"{HEAD}\nstudent-001,s1.why,3\n", "two.csv")

    with pytest.raises(WrittenPointsError) as told:
        read_points(None, [one, two], ITEMS, STUDENTS)

    assert str(told.value) == f"{two}:2: other points than in {one}:2; keep one"


def test_an_answer_that_changed_keeps_its_points_and_is_told_until_somebody_looks() -> None:
    given = {("student-001", "s1.why"): Given(Fraction(2), "", "ffffffffffff")}
    rows = [Row("student-001", written=ANSWERED)]

    (_, line) = csv.reader(points_file(rows, [WHY], given).splitlines())

    assert to_review(rows, given) == (("student-001", "s1.why"),)
    assert dict(zip(COLUMNS, line, strict=True)) == {
        "id": "student-001",
        "question": "s1.why",
        "points": "2",
        "max": "3",
        "comment": "",
        "state": "answered (12 words)",
        "review": CHANGED,
        "answer": "sha-ffffffffffff",
    }
    looked_at = {("student-001", "s1.why"): Given(Fraction(2))}
    assert to_review(rows, looked_at) == ()


def test_points_for_questions_that_were_not_asked_this_time_stay(tmp_path: Path) -> None:
    given = {("student-001", "s2.how"): Given(Fraction(2), "good", "0123456789ab")}

    text = points_file(ROWS, [WHY], given)

    assert read_points(written(tmp_path, text), [], ITEMS, STUDENTS) == given


ROOT = SchemeItem("root", Fraction(1), "Names the root.")
GROWS = SchemeItem("grows", Fraction(3, 2), "=It grows.")
GUESS = SchemeItem("guess", Fraction(-1, 2))
MARKED = replace(WHY, scheme=(ROOT, GROWS, GUESS))
WITH_SCHEME = {"s1.why": MARKED, "s2.how": HOW}
TICKS = "id,question,points,ticked,comment\n"


def ticks_in(tmp_path: Path, lines: str, items: dict[str, WrittenItem]) -> GivenPoints:
    return read_points(None, [written(tmp_path, TICKS + lines)], items, STUDENTS)


@pytest.mark.parametrize(
    ("cell", "points", "ticked"),
    [
        ("root", "1", ("root",)),
        ("guess root", "1/2", ("root", "guess")),
        ('"grows, root"', "5/2", ("root", "grows")),
        ("'+root +GROWS", "5/2", ("root", "grows")),
        ("guess", "0", ("guess",)),
    ],
)
def test_ticked_items_are_summed(
    tmp_path: Path, cell: str, points: str, ticked: tuple[str, ...]
) -> None:
    found = ticks_in(tmp_path, f"student-001,s1.why,,{cell},\n", WITH_SCHEME)

    one = found["student-001", "s1.why"]
    assert (one.points, one.ticked) == (Fraction(points), ticked)


def test_a_student_reads_what_was_ticked_and_then_what_the_person_says(tmp_path: Path) -> None:
    found = ticks_in(tmp_path, "student-001,s1.why,,root guess,Better.\n", WITH_SCHEME)

    assert found["student-001", "s1.why"].words == "Names the root. (+1); guess (-0.5); Better."


def test_ticks_come_back_unchanged_and_are_worth_what_the_rubric_says_now(tmp_path: Path) -> None:
    lines = "student-001,s1.why,,root grows,Good.\nstudent-001,s2.how,2,,\n"
    first = ticks_in(tmp_path, lines, WITH_SCHEME)
    text = points_file(ROWS, WITH_SCHEME.values(), first)
    dearer = replace(MARKED, scheme=(replace(ROOT, points=Fraction(1, 2)), GROWS, GUESS))

    again = read_points(written(tmp_path, text), [], WITH_SCHEME, STUDENTS)
    now = read_points(written(tmp_path, text), [], {**WITH_SCHEME, "s1.why": dearer}, STUDENTS)

    assert "student-001,s1.why,,root grows,3,Good.,answered (12 words),,sha-0123456789ab" in text
    assert {key: replace(one, answer="") for key, one in again.items()} == first
    assert points_file(ROWS, WITH_SCHEME.values(), again) == text
    assert now["student-001", "s1.why"].points == 2
    assert now["student-001", "s2.how"].points == 2


def test_ticks_for_a_question_that_is_not_graded_now_stay(tmp_path: Path) -> None:
    given = ticks_in(tmp_path, "student-001,s1.why,,root,\n", WITH_SCHEME)

    assert "student-001,s1.why,,root,,,,," in points_file(ROWS, [HOW], given)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("student-001,s1.why,,roots,", "s1.why has no item 'roots' - did you mean 'root'?"),
        ("student-001,s1.why,1,root,", "points and ticked items; empty one of the two cells"),
        ("student-001,s1.why,,root root,", "'root' is ticked twice; take one out"),
        ("student-001,s2.how,,root,", "s2.how has no scheme to tick; enter points"),
        ("student-009,s1.why,,root,", "no student 'student-009' in this batch"),
    ],
)
def test_ticks_that_cannot_be_taken_over_are_told_with_their_line(
    tmp_path: Path, line: str, message: str
) -> None:
    with pytest.raises(WrittenPointsError) as told:
        ticks_in(tmp_path, f"{line}\n", WITH_SCHEME)

    assert str(told.value).startswith(f"{tmp_path / 'written.csv'}:2: {message}")


def test_two_who_tick_other_items_for_the_same_points_disagree(tmp_path: Path) -> None:
    same = replace(MARKED, scheme=(ROOT, replace(GROWS, points=Fraction(1))))
    files = [
        written(tmp_path, f"{TICKS}student-001,s1.why,,{id},\n", f"{id}.csv")
        for id in ("root", "grows")
    ]

    told = r"grows\.csv:2: other items than in .*root\.csv:2; keep one"
    with pytest.raises(WrittenPointsError, match=told):
        read_points(None, files, {"s1.why": same}, STUDENTS)


def test_without_a_scheme_there_is_no_column_to_tick() -> None:
    assert "ticked" not in points_file(ROWS, [WHY, HOW], {})


def test_minutes_are_kept_and_have_a_column_where_somebody_notes_them(tmp_path: Path) -> None:
    lines = (
        "id,question,points,minutes,comment\nstudent-001,s1.why,2,3.5,\nstudent-002,s1.why,,4,\n"
    )
    found = read_points(None, [written(tmp_path, lines)], ITEMS, STUDENTS)

    noted = {id: one.minutes for (id, _question), one in found.items()}
    assert noted == {"student-001": Fraction(7, 2), "student-002": Fraction(4)}
    assert "student-001,s1.why,2,3.5,3," in points_file(ROWS, [WHY], found)
    assert "minutes" not in points_file(ROWS, [WHY], {})
    assert "minutes" in points_file(ROWS, [WHY], {}, asks_minutes=True)


def test_minutes_that_are_no_number_are_told(tmp_path: Path) -> None:
    lines = "id,question,points,minutes\nstudent-001,s1.why,2,a few\n"
    with pytest.raises(WrittenPointsError, match=r":2: expected minutes >= 0, got 'a few'"):
        read_points(None, [written(tmp_path, lines)], ITEMS, STUDENTS)
