"""Every file that a system reads: to the letter, valid, and never a zero for what is ours."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema
import pytest
import xmlschema

from grader.export.ci import outputs
from grader.export.ci.outputs import Surroundings, names, not_checked, of_report, unreadable
from grader.export.ci.systems import System
from grader.export.prairielearn import results
from grader.grade.evidence import Outcome
from grader.report.content import Report
from tests.support.ci_reports import SECRET_TITLE, all_, half

GOLDEN = Path(__file__).parent / "golden"
SCHEMAS = Path(__file__).parents[3] / "schema"
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
CLASSROOM = {
    "CLASSROOM": "class",
    "ASSIGNMENT": "week1",
    "SUBMISSION_TAG": "submission-1",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
    "REVIEW_URL": "review",
}
WITH_SCHEMA = (System.GRADESCOPE, System.PRAIRIELEARN, System.CLASSROOM50)


def files(report: Report, system: System) -> dict[str, str]:
    return of_report(report, Surroundings(system, NOW, CLASSROOM, PurePosixPath("week1")))


def valid(system: System, text: str) -> Any:
    schema = json.loads((SCHEMAS / f"{system}.schema.json").read_text(encoding="utf-8"))
    values = json.loads(text)
    jsonschema.Draft202012Validator(schema).validate(values)
    return values


@pytest.mark.parametrize("system", System, ids=str)
def test_each_system_gets_the_files_that_are_removed_before(system: System) -> None:
    assert tuple(files(half(), system)) == names(system)


@pytest.mark.parametrize(
    ("system", "name"),
    [
        (System.GRADESCOPE, "results.json"),
        (System.PRAIRIELEARN, "results.json"),
        (System.CLASSROOM50, "result.json"),
        (System.GITLAB, "gl-code-quality-report.json"),
    ],
    ids=str,
)
def test_a_file_is_valid_and_the_golden_one(system: System, name: str) -> None:
    text = files(half(), system)[name]

    valid(system, text)
    assert text == (GOLDEN / f"{system}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("system", [System.GITHUB, System.GITLAB, System.NONE], ids=str)
def test_the_junit_file_is_valid(system: System) -> None:
    xmlschema.XMLSchema(SCHEMAS / "junit.xsd").validate(files(half(), system)["junit.xml"])


@pytest.mark.parametrize("system", System, ids=str)
def test_no_file_names_a_hidden_check_that_passed(system: System) -> None:
    text = "".join(files(half(), system).values())

    assert "outputs" in text or system is System.CODIO
    assert SECRET_TITLE not in text


def test_gradescope_shows_hidden_criteria_once_grades_are_published() -> None:
    values = json.loads(files(half(), System.GRADESCOPE)["results.json"])

    assert {one["name"]: one["visibility"] for one in values["tests"]} == {
        "s1.add: shapes": "visible",
        "s1.add: outputs": "after_published",
        "s2.mean: outputs": "visible",
    }


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.FAILED, Outcome.NOT_ATTEMPTED])
@pytest.mark.parametrize("system", WITH_SCHEMA, ids=str)
def test_every_grade_is_valid(system: System, outcome: Outcome) -> None:
    name = names(system)[0]

    valid(system, files(all_(outcome), system)[name])


@pytest.mark.parametrize("system", [System.GRADESCOPE, System.PRAIRIELEARN], ids=str)
def test_what_could_not_be_checked_is_no_zero(system: System) -> None:
    made = files(all_(Outcome.COULD_NOT_CHECK), system)

    assert made == not_checked(system)
    values = valid(system, made["results.json"])
    assert '"score"' not in made["results.json"]
    assert "This could not be checked: that is not your mistake." in str(values)


def test_the_words_for_could_not_check_are_those() -> None:
    text = not_checked(System.GRADESCOPE)["results.json"]

    assert text == (GOLDEN / "gradescope-not-checked.json").read_text(encoding="utf-8")


def test_classroom50_and_codio_get_no_mark_for_what_could_not_be_checked() -> None:
    report = all_(Outcome.COULD_NOT_CHECK)

    assert files(report, System.CLASSROOM50) == {}
    assert "percent.txt" not in files(report, System.CODIO)
    assert files(half(), System.CODIO)["percent.txt"] == "80.77\n"


@pytest.mark.parametrize("system", [System.GRADESCOPE, System.PRAIRIELEARN], ids=str)
def test_what_cannot_be_read_says_why(system: System) -> None:
    values = valid(system, unreadable(system, "x: no .py\x1b[2J file")["results.json"])

    assert "x: no .py file" in str(values)
    assert values.get("score", 0) == 0
    assert values.get("gradable") is (False if system is System.PRAIRIELEARN else None)


def test_prairielearn_gets_no_more_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "LIMIT_PRAIRIELEARN_BYTES", 500)
    values = valid(System.PRAIRIELEARN, files(half(), System.PRAIRIELEARN)["results.json"])

    assert [sorted(one) for one in values["tests"]] == [["max_points", "name", "points"]] * 3
    assert values["score"] == results(half(), half().points, half().grade.max_points, [])["score"]


def test_a_schema_refuses_what_the_system_would() -> None:
    """The positive control."""
    for system, text in [
        (System.GRADESCOPE, '{"score": "ten"}'),
        (System.PRAIRIELEARN, '{"gradable": true}'),
        (System.CLASSROOM50, '{"score": 1.5}'),
        (System.GITLAB, '[{"severity": "bad"}]'),
    ]:
        with pytest.raises(jsonschema.ValidationError):
            valid(system, text)
