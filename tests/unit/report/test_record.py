"""A report made again from its record reads as the one that the record was made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.questions import WrittenItem
from grader.grade.evidence import FLAG, Note, Observation, Outcome, Where
from grader.report import json as json_report
from grader.report import junit, markdown
from grader.report.content import PersonMark, Report, report_on
from grader.report.html import page as html
from grader.report.next_step import next_step
from grader.report.record import Additions, report_of
from tests.support.pages import everything
from tests.unit.samples import CHECKS, RUBRIC, SampleResult, observations, submission

FORMATS = [html.rendered, markdown.rendered, junit.rendered]
names = pytest.mark.parametrize("rendered", FORMATS, ids=["html", "markdown", "junit"])


def recorded(report: Report) -> dict[str, object]:
    values: dict[str, object] = json.loads(
        json.dumps(json_report.as_dict(report, for_staff=True), allow_nan=False)
    )
    return values


def again(report: Report) -> Report:
    more = Additions(report.submission.files, report.explanations)
    return report_of(recorded(report), RUBRIC, (), more)


@names
def test_a_report_with_everything_in_it(rendered: Callable[[Report], str]) -> None:
    report = replace(everything(), submission=replace(everything().submission, path=""))

    assert rendered(again(report)) == rendered(report)


@names
@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome(rendered: Callable[[Report], str], outcome: Outcome) -> None:
    seen = observations(outcome, "3", "4", ("s2.mean",) if outcome is Outcome.BLOCKED else ())
    report = report_on(SampleResult(submission(path=""), seen), RUBRIC)

    assert rendered(again(report)) == rendered(report)


def test_a_record_made_again_is_the_same_record() -> None:
    values = recorded(everything())

    found = recorded(again(everything()))

    assert {**found, "flags": None} == {**values, "flags": None}


def test_what_is_for_staff_is_not_in_it() -> None:
    secret = replace(observations(Outcome.COULD_NOT_CHECK)[0], staff="a secret place")
    result = SampleResult(observations=(secret,), loading=(Note(FLAG, "a secret flag"),))
    report = report_on(result, RUBRIC, for_staff=True)
    assert "secret" in json.dumps(recorded(report))

    found = again(report)

    assert found.flags is None
    assert "secret" not in json.dumps(json_report.as_dict(found)) + html.rendered(found)


def test_a_failure_that_waited_for_nothing_is_not_blocked_by_the_record() -> None:
    """Looking for prerequisites once more would find the blocked ones missing."""
    first, second, other = observations(Outcome.FAILED)
    seen = (first.blocked_by(["s2.mean"]), second, other)
    exercise = RUBRIC.exercises["s1.add"]
    criteria = {
        name: replace(one, requires=("shapes",)) if name == "outputs" else one
        for name, one in exercise.criteria.items()
    }
    rubric = replace(
        RUBRIC, exercises={**RUBRIC.exercises, "s1.add": replace(exercise, criteria=criteria)}
    )
    values = recorded(report_on(SampleResult(observations=seen), RUBRIC))

    found = report_of(values, rubric)

    assert [one.outcome.value for one in found.observations] == ["blocked", "failed", "failed"]


def test_without_the_files_it_shows_no_code_and_still_says_what_is_next() -> None:
    seen = [Observation(CHECKS[0], "Title.", Outcome.FAILED, "3", "4")]
    seen.append(replace(seen[0], check=CHECKS[1], where=Where("s1_sums.py", 5)))
    report = report_on(SampleResult(submission(path=""), tuple(seen)), RUBRIC)
    assert "raise NotImplementedError" in html.rendered(report)

    found = report_of(recorded(report), RUBRIC)

    assert "raise NotImplementedError" not in html.rendered(found)
    assert next_step(found, Path("/")) == "open s1_sums.py:5 (s1.add, outputs)"


def test_points_by_a_person_stand_on_the_page_with_their_comment() -> None:
    item = WrittenItem("s1.why", "s1_sums", Fraction(3), "Why?")
    asking = replace(RUBRIC, written={"s1.why": item})
    report = report_on(SampleResult(), asking)
    marks = {"s1.why": PersonMark(Fraction(2), "Good <b>.")}
    before = html.rendered(report)
    assert "up to 3 more by a person" in before

    found = html.rendered(report_of(recorded(report), asking, (), Additions({}, None, marks)))

    assert "automatic, and 2 of 3 by a person" in found
    assert "Good &lt;b&gt;." in found
    assert "more by a person" not in found.partition("<body")[2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: record.pop("timings"),
        lambda record: record["exercises"][0]["checks"][0].update(outcome="blocked"),
        lambda record: record["exercises"][0]["checks"][0].update(title=3),
        lambda record: record["exercises"][0]["checks"][0].update(check="s1.sub/x/y"),
        lambda record: record["exercises"][0]["checks"][0].update(where={"file": "a"}),
        lambda record: record["submission"].update(entries=[]),
        lambda record: record.update(exercises=3),
    ],
    ids=["no times", "nothing is waited for", "a number", "another exercise", "half a place",
         "no entries", "no exercises"],
)  # fmt: skip
def test_what_is_no_record_is_refused(spoil: Callable[[dict[str, object]], object]) -> None:
    values = recorded(report_on(SampleResult(), RUBRIC))
    spoil(values)

    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        report_of(values, RUBRIC)
