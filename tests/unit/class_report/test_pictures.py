"""The picture of a known mistake: out of the record of somebody who made it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.class_report.data.pictures import pictures_in
from grader.class_report.data.reading import read_class
from grader.class_report.html.page import rendered
from grader.class_report.report import class_report
from grader.grade.evidence import Cause, Observation, Outcome, Picture, Weights
from grader.report.content import report_from
from grader.report.json import as_dict
from grader.store.conditions import Conditions
from grader.store.store import STORE_FILE, open_store
from tests.support.made_class import Made, write_class
from tests.unit.samples import RUBRIC, SampleResult, submission

MINUS = Cause("add.minus", "It subtracts.", 1, 1)
SUMS = Picture("row_sums", "the sum of each row", ((0.5, 1.0),))
WEIGHTS = Weights(((0.25, 0.75),), ((0.5, 0.5),), ("query", "key"))


def observed(check: str, cause: Cause | None, **drawn: object) -> Observation:
    seen = Observation(check, "Title.", Outcome.FAILED, "differs", "the sum", cause)
    return replace(seen, **drawn)  # type: ignore[arg-type]


SUMMED = observed("s1.add/outputs/one", MINUS, picture=SUMS)
WEIGHED = observed("s1.add/outputs/two", MINUS, weights=WEIGHTS)
OTHER = observed("s1.add/shapes/one", Cause("add.other", "Else.", 1, 1), picture=SUMS)


def kept(folder: Path, student: str, *seen: Observation) -> None:
    """Keep a result as `grader batch` does, newer than what the store has."""
    result = SampleResult(submission(student), seen)
    record = as_dict(report_from(result, seen, RUBRIC), for_staff=True)
    with open_store(folder / STORE_FILE) as store:
        store.keep(student, "new", Conditions(*["made up"] * 8), record, final=True)


@pytest.mark.parametrize(
    ("seen", "drawing"),
    [
        pytest.param((SUMMED,), SUMS, id="sums of rows"),
        pytest.param((SUMMED, WEIGHED), WEIGHTS, id="weights come first"),
        pytest.param((OTHER,), None, id="of another mistake"),
        pytest.param((), None, id="nothing failed"),
    ],
)
def test_a_picture_is_of_a_check_that_fails_by_the_mistake(
    tmp_path: Path, seen: tuple[Observation, ...], drawing: object
) -> None:
    folder = write_class(tmp_path, (), RUBRIC)
    kept(folder, "student-001", *seen)
    assert pictures_in(folder)("add.minus", ["student-001"]) == drawing


def test_the_next_student_is_asked_if_the_first_has_no_picture(tmp_path: Path) -> None:
    folder = write_class(tmp_path, (), RUBRIC)
    kept(folder, "student-001", OTHER)
    kept(folder, "student-002", WEIGHED)
    picture = pictures_in(folder)
    assert picture("add.minus", ["student-001", "student-002", "student-gone"]) == WEIGHTS
    assert picture("add.minus", ["student-gone"]) is None


def test_a_record_of_another_form_has_no_picture(tmp_path: Path) -> None:
    folder = write_class(tmp_path, (Made("student-001", "pfpp", {1: "add.minus"}),), RUBRIC)
    assert pictures_in(folder)("add.minus", ["student-001"]) is None


def test_a_card_has_the_picture_in_words_for_who_did_not_write_the_code(tmp_path: Path) -> None:
    wrong = tuple(Made(f"student-00{n}", "pfpp", {1: "add.minus"}) for n in range(2))
    data = read_class(write_class(tmp_path, wrong, RUBRIC), RUBRIC)
    page = rendered(class_report(data, lambda _: ("", ""), picture=lambda *_: WEIGHTS))
    assert 'aria-label="with this mistake: 1 rows and 2 columns of numbers."' in page
    assert 'aria-label="right: 1 rows and 2 columns of numbers."' in page
    assert "yours" not in page
    assert '<figure class="figure heat">' not in rendered(class_report(data, lambda _: ("", "")))
