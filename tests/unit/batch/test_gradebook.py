"""The gradebook is one row a student, exact, sorted, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from dataclasses import replace
from fractions import Fraction

import pytest

from grader.batch.cells import safe_cell
from grader.batch.gradebook import Given, GivenPoints, Row, gradebook, row_of
from grader.course.mark_schemes import SchemeItem
from grader.course.questions import WrittenItem
from grader.grade.evidence import FLAG, Note, Outcome, Where
from grader.report.content import report_on
from grader.report.json import as_dict
from tests.unit.samples import RUBRIC, SampleResult, observations, submission


def row_on(result: SampleResult, *, for_staff: bool = True) -> Row:
    report = report_on(result, RUBRIC, for_staff=for_staff)
    return row_of(as_dict(report, for_staff=for_staff))


def row(id: str, outcome: Outcome) -> Row:
    return row_on(SampleResult(submission(id), observations(outcome)))


def test_a_gradebook_in_full() -> None:
    rows = [
        row("student-002", Outcome.PASSED),
        row("student-001", Outcome.FAILED),
        row("student-004", Outcome.COULD_NOT_CHECK),
        Row("student-003", problem="class/student-003: no .py file\nthat can be read"),
    ]
    digest = submission().digest

    assert gradebook(rows, RUBRIC) == (
        "\ufeffid,s1.add,s1.add/shapes,s1.add/outputs,s2.mean,s2.mean/outputs,total,max,unchecked,"
        "passed,failed,not_attempted,student_error,timed_out,blocked,carried,could_not_check,"
        "tier,digest,flags,problem\n"
        f"student-001,0,0,0,0,0,0,6.5,0,0,3,0,0,0,0,0,0,partial,{digest},,\n"
        f"student-002,3.5,1,2.5,3,3,6.5,6.5,0,3,0,0,0,0,0,0,0,partial,{digest},,\n"
        "student-003,,,,,,,6.5,0,0,0,0,0,0,0,0,0,,,,"
        "class/student-003: no .py file that can be read\n"
        f"student-004,,,,,,0,6.5,6.5,0,0,0,0,0,0,0,3,partial,{digest},,\n"
    )


def test_what_a_person_may_want_to_look_into_has_a_column_for_staff_alone() -> None:
    told = Note(FLAG, "=1+1 ran", Where("s1_sums.py", 3)), Note(FLAG, "and so did that")
    result = SampleResult(loading=told)
    (cells,) = csv.DictReader(gradebook([row_on(result)], RUBRIC).splitlines())
    assert cells["flags"] == "'=1+1 ran (s1_sums.py:3); and so did that"

    (cells,) = csv.DictReader(gradebook([row_on(result, for_staff=False)], RUBRIC).splitlines())
    assert cells["flags"] == ""


ASKING = replace(RUBRIC, written={"s1.why": WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")})


@pytest.mark.parametrize(
    ("given", "cells"),
    [
        ({}, ",6.5,6.5,,3,,9.5"),
        ({("student-001", "s1.why"): Given(None, "?")}, ",6.5,6.5,,3,,9.5"),
        ({("student-002", "s1.why"): Given(Fraction(2))}, ",6.5,6.5,,3,,9.5"),
        ({("student-001", "s1.why"): Given(Fraction(0))}, "0,6.5,6.5,0,3,6.5,9.5"),
        ({("student-001", "s1.why"): Given(Fraction(5, 2))}, "2.5,6.5,6.5,2.5,3,9,9.5"),
    ],
    ids=["nothing", "only a comment", "to somebody else", "no points", "points"],
)
def test_a_total_is_known_when_a_person_has_given_their_points(
    given: GivenPoints, cells: str
) -> None:
    text = gradebook([row("student-001", Outcome.PASSED)], ASKING, given=given)

    (line,) = csv.DictReader(text.splitlines())

    columns = ["s1.why", "automatic", "automatic_max", "by_a_person", "by_a_person_max"]
    assert ",".join(line[column] for column in [*columns, "total", "max"]) == cells


def test_who_could_not_be_read_has_no_total_though_a_person_gave_points() -> None:
    given = {("student-001", "s1.why"): Given(Fraction(2))}

    (line,) = csv.DictReader(
        gradebook([Row("student-001", problem="no file")], ASKING, given=given).splitlines()
    )

    assert (line["by_a_person"], line["automatic"], line["total"]) == ("2", "", "")


def test_only_the_named_exercises_have_columns() -> None:
    header, _ = gradebook([row("student-001", Outcome.PASSED)], RUBRIC, ["s2.mean"]).splitlines()

    assert header.startswith("\ufeffid,s2.mean,s2.mean/outputs,total,max,")


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "|calc", "%x", " =1", "\t=1", "'=1", '"=1', "\x1b[0m=1"],
)
def test_a_formula_becomes_text(text: str) -> None:
    assert safe_cell(text).startswith("'")


def test_a_hostile_id_stays_in_its_cell() -> None:
    hostile = '=HYPERLINK("x"),1\n2,3'

    _, line = csv.reader(gradebook([Row(hostile)], RUBRIC).splitlines())

    assert line[0] == '\'=HYPERLINK("x"),1 2,3'


def test_the_gradebook_says_what_was_ticked() -> None:
    item = replace(ASKING.written["s1.why"], scheme=(SchemeItem("root", Fraction(2)),))
    given = {
        ("student-001", "s1.why"): Given(
            Fraction(2), "", "", ("root",), ("=Names the root. (+2)", "\x1b[31mred (-1)")
        )
    }
    rows = [row("student-001", Outcome.PASSED), row("student-002", Outcome.PASSED)]
    text = gradebook(rows, replace(ASKING, written={"s1.why": item}), given=given)

    first, second = csv.DictReader(text.splitlines())

    assert (first["s1.why"], first["s1.why ticked"]) == ("2", "'=Names the root. (+2); red (-1)")
    assert (second["s1.why"], second["s1.why ticked"]) == ("", "")
    assert (first["total"], first["max"]) == ("8.5", "9.5")
