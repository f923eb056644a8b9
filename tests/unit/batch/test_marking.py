"""Answers are dealt under codes; what graders enter comes back under names, and is compared."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grader.batch.class_results import ByPerson
from grader.batch.gradebook import Row, Written
from grader.batch.marking import Dealing, Marked, deal, read_codes
from grader.batch.written_points import WrittenPointsError, read_points
from grader.course.mark_schemes import SchemeItem
from grader.course.questions import WrittenItem

WHY = WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")
HOW = WrittenItem("s1.how", "s1_sums", Fraction(2), "How?")
ITEMS = {item.slug: item for item in (WHY, HOW)}
THREE = Dealing(3, 20)


def answer(slug: str, student: str) -> dict[str, Any]:
    where = {"file": f"{student}/{student}_s1_sums.ipynb", "cell": 4, "line": None}
    return {"slug": slug, "answered": True, "words": 2, "text": f"Since {slug}.", "places": [where]}


def a_class(out: Path, count: int) -> tuple[tuple[Row, ...], dict[str, str]]:
    rows = []
    (out / "records").mkdir(parents=True, exist_ok=True)
    for number in range(count):
        id = f"student-{number:03}"
        record = {
            "submission": {"id": id},
            "exercises": [],
            "written": {"answers": [answer(slug, id) for slug in ITEMS]},
        }
        (out / "records" / f"{id}.json").write_text(json.dumps(record), encoding="utf-8")
        rows.append(Row(id, written={slug: Written(2, "d" * 12) for slug in ITEMS}))
    rows.append(Row("student-empty", written={"s1.why": Written(0, "")}))
    rows.append(Row("student-none", problem="no file"))
    return tuple(rows), {row.id: f"{row.id}.json" for row in rows}


def dealt(out: Path, count: int = 40, dealing: Dealing = THREE) -> tuple[Marked, ...]:
    rows, names = a_class(out, count)
    return deal(rows, names, ITEMS.values(), ByPerson({"s1.why": "A guide."}), dealing, out)


def table(out: Path, grader: int) -> list[list[str]]:
    lines = (out / "marking" / f"grader-{grader}.csv").read_text("utf-8-sig").splitlines()
    return [line.split(",") for line in lines[1:]]


def enter(out: Path, grader: int, points: str, minutes: str = "") -> None:
    """Gives all answers of a grader these points, after so many minutes."""
    path = out / "marking" / f"grader-{grader}.csv"
    head, *lines = path.read_text("utf-8-sig").splitlines()
    cells = [line.split(",") for line in lines]
    rows = [",".join([*one[:2], points, minutes, *one[4:]]) for one in cells]
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def test_every_answer_is_dealt_and_some_twice(tmp_path: Path) -> None:
    dealt(tmp_path)
    counts = Counter((row[0], row[1]) for grader in (1, 2, 3) for row in table(tmp_path, grader))
    students = read_codes(tmp_path)

    assert {students[code] for code, _ in counts} == {f"student-{n:03}" for n in range(40)}
    assert len(counts) == 80
    assert set(counts.values()) == {1, 2}
    assert 4 <= sum(count == 2 for count in counts.values()) <= 32


def test_a_grader_meets_no_names(tmp_path: Path) -> None:
    dealt(tmp_path)
    for path in (tmp_path / "marking").rglob("*"):
        if path.is_file() and path.name != "codes.csv":
            text = path.read_text("utf-8-sig")
            assert "student-" not in text, path
    sheet = (tmp_path / "marking" / "grader-1" / "s1.why.md").read_text("utf-8")
    assert "A guide." in sheet
    assert "Enter the points in `marking/grader-1.csv`" in sheet
    assert "`file.ipynb cell 4`" in sheet


def test_graders_meet_answers_in_an_order_of_their_own(tmp_path: Path) -> None:
    dealt(tmp_path, dealing=Dealing(2, 100))
    orders = [
        [line for line in (path / "s1.why.md").read_text("utf-8").splitlines() if line[:3] == "## "]
        for path in (tmp_path / "marking" / "grader-1", tmp_path / "marking" / "grader-2")
    ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1] != sorted(orders[1])


def test_the_same_is_dealt_again_when_students_come_later(tmp_path: Path) -> None:
    dealt(tmp_path, 10)
    codes, before = read_codes(tmp_path), {tuple(row[:2]) for row in table(tmp_path, 2)}
    enter(tmp_path, 2, "1.5")

    dealt(tmp_path, 20)

    after = {tuple(row[:2]): row[2] for row in table(tmp_path, 2)}
    assert codes.items() < read_codes(tmp_path).items()
    assert {key for key, points in after.items() if points == "1.5"} == before
    assert before < set(after)


def test_points_of_who_is_no_longer_there_stay(tmp_path: Path) -> None:
    dealt(tmp_path, 10, Dealing(1))
    enter(tmp_path, 1, "1")
    dealt(tmp_path, 5, Dealing(1))
    assert len([row for row in table(tmp_path, 1) if row[2] == "1"]) == 20


def test_points_under_codes_are_those_of_students(tmp_path: Path) -> None:
    dealt(tmp_path, 3, Dealing(1))
    enter(tmp_path, 1, "2")
    students = [row.id for row in a_class(tmp_path, 3)[0]]
    path = tmp_path / "marking" / "grader-1.csv"

    given = read_points(None, [path], ITEMS, students, read_codes(tmp_path))

    assert {key: one.points for key, one in given.items()} == {
        (f"student-{n:03}", slug): Fraction(2) for n in range(3) for slug in ITEMS
    }
    with pytest.raises(WrittenPointsError, match="no student"):
        read_points(None, [path], ITEMS, students)


def test_graders_are_compared_on_the_same_answers(tmp_path: Path) -> None:
    dealt(tmp_path, dealing=Dealing(2, 50))
    enter(tmp_path, 1, "2")
    enter(tmp_path, 2, "1.5")

    marked = {(one.grader, one.slug): one for one in dealt(tmp_path, dealing=Dealing(2, 50))}

    assert set(marked) == {(grader, slug) for grader in (1, 2) for slug in ITEMS}
    for (grader, _slug), one in marked.items():
        assert set(one.points) == {Fraction(2) if grader == 1 else Fraction(3, 2)}
        assert len(one.points) == one.dealt
        assert set(one.more_than_others) == {Fraction(1, 2) if grader == 1 else Fraction(-1, 2)}
        assert 5 <= len(one.more_than_others) < one.dealt


def test_graders_tick_under_codes_and_are_compared_by_what_it_is_worth(tmp_path: Path) -> None:
    scheme = (SchemeItem("root", Fraction(2)), SchemeItem("guess", Fraction(-1, 2)))
    items = {"s1.why": replace(WHY, scheme=scheme)}
    rows, names = a_class(tmp_path, 4)

    def deal_again() -> dict[int, Marked]:
        done = deal(rows, names, items.values(), ByPerson(), Dealing(2, 100), tmp_path)
        return {one.grader: one for one in done}

    deal_again()
    for grader, ticks in ((1, "root"), (2, "root guess")):
        path = tmp_path / "marking" / f"grader-{grader}.csv"
        text = path.read_text("utf-8-sig")
        path.write_text(text.replace(",s1.why,,,", f",s1.why,,{ticks},"), encoding="utf-8")
    marked = deal_again()

    assert marked[1].points == (Fraction(2),) * 4
    assert marked[1].more_than_others == (Fraction(1, 2),) * 4
    assert marked[2].points == (Fraction(3, 2),) * 4
    assert {row[3] for row in table(tmp_path, 2)} == {"root guess"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,code\n", "not as `grader marking` wrote it"),
        ("code,id\na\n", "not as `grader marking` wrote it"),
        ("code,id\na,x\na,y\n", "a code or a student is there twice"),
        ("code,id\na,x\nb,x\n", "a code or a student is there twice"),
        ('code,id\n"a', "cannot be read"),
    ],
)
def test_codes_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "marking").mkdir()
    (tmp_path / "marking" / "codes.csv").write_text(text, encoding="utf-8")
    with pytest.raises(WrittenPointsError) as refused:
        dealt(tmp_path)
    assert words in str(refused.value)
