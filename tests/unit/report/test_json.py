"""The report for programs is complete and byte-identical, timings apart."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grader.grade.evidence import Cause, Note, Observation, Outcome, Picture, Weights, Where
from grader.report.content import report_on
from grader.report.json import as_dict, rendered
from grader.wire.isolation_record import IsolationRecord
from tests.unit.samples import RUBRIC, SampleResult, observations, submission


def test_a_report_in_full() -> None:
    failed = Observation(
        "s2.mean/outputs/test_mean",
        "The mean.",
        Outcome.FAILED,
        "3",
        "2\x1b[0m",
        Cause("mean.sum", "Not divided.", 2, 3),
        Where("s2_means.py", 7),
        ("computes in float32",),
        "float64",
        1.25,
    )
    graded = SampleResult(
        observations=(failed,),
        loading=(Note("problem", "SyntaxError", Where("s2_means.py", 9)),),
        isolation=IsolationRecord("none", ("rlimits",), reason="x"),
    )

    assert as_dict(report_on(graded, RUBRIC, only=("s2.mean",))) == {
        "format": "grader.report/1",
        "course": "sums",
        "submission": {
            "id": "student-001",
            "digest": submission().digest,
            "entries": {"s2_means": "s2_means.py"},
        },
        "points": "0",
        "max_points": "3",
        "unchecked_points": "0",
        "total": "0",
        "complete": False,
        "isolation": {"enforced": ["rlimits"], "reason": "x", "tier": "partial", "weak": []},
        "notes": [
            {
                "kind": "problem",
                "text": "SyntaxError",
                "where": {"file": "s2_means.py", "line": 9, "cell": None},
            }
        ],
        "exercises": [
            {
                "slug": "s2.mean",
                "assignment": "s2_means",
                "points": "0",
                "max_points": "3",
                "criteria": [
                    {
                        "name": "outputs",
                        "visibility": "public",
                        "points": "0",
                        "max_points": "3",
                        "passed": 0,
                        "checks": 1,
                    }
                ],
                "checks": [
                    {
                        "check": "s2.mean/outputs/test_mean",
                        "title": "The mean.",
                        "outcome": "failed",
                        "observed": "3",
                        "expected": "2",
                        "cause": {
                            "id": "mean.sum",
                            "text": "Not divided.",
                            "fits": 2,
                            "of": 3,
                        },
                        "also": [],
                        "picture": None,
                        "weights": None,
                        "where": {"file": "s2_means.py", "line": 7, "cell": None},
                        "notes": ["computes in float32"],
                        "precision": "float64",
                    }
                ],
            }
        ],
        "timings": {"duration_ms": 12.5, "checks_ms": {"s2.mean/outputs/test_mean": 1.25}},
    }


def test_causes_that_fit_as_well_and_pictures_are_told() -> None:
    beside = Cause("mean.off", "Off by one.", 2, 2, is_beside=True)
    also = (Cause("mean.twice", "Counted twice.", 2, 2), beside)
    picture = Picture("row_sums", "row sums", ((1.0, 0.5),))
    failed = Observation(
        "s2.mean/outputs/test_mean", "The mean.", Outcome.FAILED, also=also, picture=picture
    )
    told = as_dict(report_on(SampleResult(observations=(failed,)), RUBRIC))
    (check,) = told["exercises"][1]["checks"]  # type: ignore[index]
    assert check["also"] == [
        {"id": "mean.twice", "text": "Counted twice.", "fits": 2, "of": 2},
        {"id": "mean.off", "text": "Off by one.", "fits": 2, "of": 2, "beside": True},
    ]
    assert check["picture"] == {
        "kind": "row_sums",
        "title": "row sums",
        "rows": [[1.0, 0.5]],
    }


def test_weights_are_told_with_null_for_what_is_not_finite() -> None:
    weights = Weights(((0.5, None),), ((0.25, 0.75),), ("queries", "keys"))
    failed = Observation("s2.mean/outputs/test_mean", "The mean.", Outcome.FAILED, weights=weights)
    told = json.loads(rendered(report_on(SampleResult(observations=(failed,)), RUBRIC)))

    assert told["exercises"][1]["checks"][0]["weights"] == {
        "axes": ["queries", "keys"],
        "cut": False,
        "returned": [[0.5, None]],
        "expected": [[0.25, 0.75]],
    }


def test_only_the_timings_differ_between_runs() -> None:
    first = SampleResult(duration_ms=1.0)
    again = replace(
        first,
        duration_ms=2.0,
        observations=tuple(replace(seen, duration_ms=9.0) for seen in first.observations[::-1]),
    )
    texts = []
    for graded in (first, again):
        report = as_dict(report_on(graded, RUBRIC))
        del report["timings"]
        texts.append(json.dumps(report))

    assert texts[0] == texts[1]


def test_unknown_points_are_null() -> None:
    report = json.loads(
        rendered(
            report_on(SampleResult(observations=observations(Outcome.COULD_NOT_CHECK)), RUBRIC)
        )
    )

    assert report["exercises"][0]["points"] is None
    assert report["exercises"][0]["criteria"][0]["points"] is None
    assert report["unchecked_points"] == "6.5"


HIDDEN = (
    Observation("s1.add/shapes/test_shape[small]", "The shape.", Outcome.PASSED),
    Observation("s1.add/outputs/test_secret[zero]", "Secret one.", Outcome.PASSED),
    Observation("s1.add/outputs/test_secret[odd]", "Secret two.", Outcome.FAILED),
)


@pytest.mark.parametrize(
    ("allowed", "for_staff", "told"),
    [
        pytest.param(
            False,
            False,
            {
                "s1.add/shapes/test_shape[small]": "The shape.",
                "s1.add/outputs/hidden_1": "",
                "s1.add/outputs/hidden_2": "Secret two.",
            },
            id="numbered for students",
        ),
        pytest.param(True, False, {seen.check: seen.title for seen in HIDDEN}, id="allowed"),
        pytest.param(False, True, {seen.check: seen.title for seen in HIDDEN}, id="for staff"),
    ],
)
def test_hidden_checks_are_named_to_staff_or_where_the_author_allows_it(
    allowed: bool, for_staff: bool, told: dict[str, str]
) -> None:
    report = report_on(SampleResult(observations=HIDDEN), RUBRIC, only=("s1.add",))
    found: Any = as_dict(replace(report, name_hidden_checks=allowed), for_staff=for_staff)

    rows = found["exercises"][0]["checks"]
    assert {row["check"]: row["title"] for row in rows} == told
    assert list(found["timings"]["checks_ms"]) == list(told)


def test_the_text_is_json_with_a_line_break_at_its_end() -> None:
    text = rendered(report_on(SampleResult(), RUBRIC))

    assert text.endswith("}\n")
    assert json.loads(text)["points"] == "6.5"


def test_fingerprints_are_for_staff_alone() -> None:
    """They tell a little of hidden answers."""
    seen = tuple(replace(one, fingerprint=f"secret {one.check}") for one in HIDDEN)
    report = report_on(SampleResult(observations=seen), RUBRIC)

    assert "secret" not in rendered(report)
    staff: Any = as_dict(report, for_staff=True)
    checks = [check for part in staff["exercises"] for check in part["checks"]]
    kept = {check["check"]: check.get("fingerprint") for check in checks}
    assert {one.check: kept[one.check] for one in seen} == {
        one.check: one.fingerprint for one in seen
    }
