"""The check that is shown in full is the one that teaches most."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from grader.course.rubric import Criterion, Visibility
from grader.grade.evidence import Cause, Observation, Outcome, Where
from grader.report.content import report_on
from grader.report.findings import findings
from tests.unit.samples import RUBRIC, SampleResult

KNOWN = Cause("add.minus", "Subtracted.", 2, 2)
SEEN = Cause("shape.axes_swapped", "Rows and columns changed places.", 2, 2)


def failed(criterion: str, cause: Cause | None = None) -> Observation:
    return Observation(f"s1.add/{criterion}/test_it", "", Outcome.FAILED, cause=cause)


def passed(criterion: str, number: int) -> Observation:
    return Observation(f"s1.add/{criterion}/test_other[{number}]", "", Outcome.PASSED)


@pytest.mark.parametrize(
    ("seen", "criterion"),
    [
        pytest.param([failed("shapes"), failed("outputs")], "outputs", id="the dearest"),
        pytest.param(
            [failed("shapes"), failed("outputs"), *(passed("outputs", n) for n in range(4))],
            "shapes",
            id="what is lost counts, and not what a criterion could cost",
        ),
        pytest.param([failed("shapes", KNOWN), failed("outputs")], "shapes", id="a known mistake"),
        pytest.param(
            [failed("shapes", SEEN), failed("outputs")], "outputs", id="a pattern is no mistake"
        ),
        pytest.param(
            [failed("shapes", KNOWN), failed("outputs", KNOWN)], "outputs", id="two known ones"
        ),
        pytest.param(
            [failed("policy"), failed("outputs", KNOWN)], "policy", id="a broken rule before all"
        ),
        pytest.param([failed("state"), failed("shapes")], "shapes", id="equal: as in the rubric"),
    ],
)
def test_shown_in_full_is(seen: list[Observation], criterion: str) -> None:
    cheap = {name: Criterion(name, Fraction(1), Visibility.PUBLIC) for name in ("policy", "state")}
    add = RUBRIC.exercises["s1.add"]
    exercise = replace(add, criteria={**add.criteria, **cheap})
    rubric = replace(RUBRIC, exercises={**RUBRIC.exercises, "s1.add": exercise})
    part = report_on(SampleResult(observations=tuple(seen)), rubric).exercises[0]

    first = findings(part).first

    assert first is not None and first.criterion == criterion


def test_checks_that_stay_in_the_same_loop_are_told_together() -> None:
    where = Where("a1.py", 12)
    hung = [
        replace(failed(criterion), outcome=Outcome.TIMED_OUT, observed=words, where=where)
        for criterion, words in (("outputs", "no answer within 2 s"), ("shapes", "as before"))
    ]
    part = report_on(SampleResult(observations=tuple(hung)), RUBRIC).exercises[0]

    found = findings(part)

    assert [one.seen.where for one in found.echoes] == [where]
    assert found.others == ()
