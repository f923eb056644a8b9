"""What the class report says of those who mark written answers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from grader.batch.class_results import ByPerson
from grader.batch.marking import Dealing, deal
from grader.class_report.data.marked_answers import MarkedAnswer, marked_answers
from grader.class_report.data.reading import read_class
from grader.class_report.sections.marking import marking
from grader.course.questions import WrittenItem
from tests.support.made_class import write_class
from tests.unit.batch.test_marking import ITEMS, a_class, enter
from tests.unit.class_report.test_sections import MANY
from tests.unit.samples import RUBRIC

WHY = WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")
RUBRIC_WITH_QUESTION = replace(RUBRIC, written={"s1.why": WHY})


def rows_of(answers: tuple[MarkedAnswer, ...], folder: Path) -> dict[str, list[str]]:
    data = read_class(write_class(folder, MANY, RUBRIC), RUBRIC)
    sheet = marking(replace(data, marked=answers, rubric=RUBRIC_WITH_QUESTION))
    return {row[1].text: [cell.text for cell in row[2:]] for row in sheet.rows}


def given(grader: str, points: list[float]) -> tuple[MarkedAnswer, ...]:
    own = zip(MANY, points, strict=False)
    return tuple(MarkedAnswer(grader, "s1.why", one.student, value) for one, value in own)


def test_graders_are_compared_on_answers_that_both_have_marked(tmp_path: Path) -> None:
    answers = (*given("grader-1", [3, 2, 2, 1]), *given("grader-2", [2, 2]))
    rows = rows_of(answers, tmp_path)
    # 3 against 2, and 2 against 2: half a point more, one of two equal.
    advice = "Marks otherwise than others: agree on the scheme, and mark again."
    assert rows["grader-1"] == ["4", "2.00", "0.82", "0.50", "50% (9%–91%)", "–", "–", advice]
    assert rows["grader-2"] == ["2", "2.00", "0.00", "-0.50", "50% (9%–91%)", "–", "–", advice]


def test_who_becomes_milder_is_said(tmp_path: Path) -> None:
    points = [1.0, 0.0] * 5 + [3.0, 2.0] * 5
    rows = rows_of(given("grader-1", points), tmp_path)
    assert rows["grader-1"][5:] == [
        "2.00",
        "–",
        "Marks otherwise than at the beginning: read the first answers again.",
    ]


def test_minutes_are_those_that_were_noted(tmp_path: Path) -> None:
    first, second, third = given("grader-1", [3, 2, 2])
    answers = (replace(first, minutes=2.5), replace(second, minutes=4.0), third)
    assert rows_of(answers, tmp_path)["grader-1"][6] == "3.2"


def test_what_was_dealt_and_marked_is_read_under_names(tmp_path: Path) -> None:
    rows, names = a_class(tmp_path, 12)
    deal(rows, names, ITEMS.values(), ByPerson({}), Dealing(2, 100), tmp_path)
    enter(tmp_path, 1, "2", minutes="1.5")
    answers = marked_answers(tmp_path, ITEMS)
    assert {one.grader for one in answers} == {"grader-1"}
    assert {one.student for one in answers} == {f"student-{n:03}" for n in range(12)}
    assert [one.points for one in answers] == [2.0] * 24
    assert [one.minutes for one in answers] == [1.5] * 24


def test_answers_come_in_the_order_of_the_sheet(tmp_path: Path) -> None:
    """Drift is of that order: the sheet of a grader says who came first."""
    rows, names = a_class(tmp_path, 12)
    deal(rows, names, ITEMS.values(), ByPerson({}), Dealing(1, 0), tmp_path)
    enter(tmp_path, 1, "1")
    sheet = (tmp_path / "marking" / "grader-1" / "s1.why.md").read_text(encoding="utf-8")
    codes = (tmp_path / "marking" / "codes.csv").read_text("utf-8-sig").splitlines()[1:]
    code_of = {id: code for code, id in (line.split(",") for line in codes)}
    own = [one.student for one in marked_answers(tmp_path, ITEMS) if one.slug == "s1.why"]
    places = [sheet.index(code_of[student]) for student in own]
    assert len(places) == 12
    assert places == sorted(places)


def test_nothing_dealt_is_nothing_to_compare(tmp_path: Path) -> None:
    assert marked_answers(tmp_path, ITEMS) == ()
