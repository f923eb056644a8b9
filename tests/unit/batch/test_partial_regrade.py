"""After a change of suites only that runs which it can have an effect on; the rest stays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from grader.batch.partial_regrade import PartialRun, can_be_joined, joined, partial_run
from grader.course.follow_through import FollowThrough
from grader.course.rubric import Rubric
from grader.grade.evidence import FLAG, Note, Observation, Outcome, Tried
from grader.report.content import report_on
from grader.report.json import as_dict
from tests.unit.samples import RUBRIC, SampleResult, observations

CALLS: Mapping[str, tuple[str, ...]] = {
    "t.one": (),
    "t.two": ("t.one",),
    "t.three": ("t.two", "t.alone"),
    "t.four": ("t.two",),
    "t.alone": (),
    "t.apart": (),
}


def with_calls() -> Rubric:
    sample = RUBRIC.exercises["s1.add"]
    return replace(
        RUBRIC,
        exercises={
            slug: replace(sample, slug=slug, follow_through=FollowThrough({s: s for s in calls}))
            for slug, calls in CALLS.items()
        },
    )


@pytest.mark.parametrize(
    ("changed", "again", "run"),
    [
        (["t.apart"], ["t.apart"], ["t.apart"]),
        (["t.three"], ["t.three"], ["t.one", "t.two", "t.three", "t.alone"]),
        (["t.four"], ["t.four"], ["t.one", "t.two", "t.four"]),
        (["t.alone"], ["t.three", "t.alone"], ["t.one", "t.two", "t.three", "t.alone"]),
        (
            ["t.one"],
            ["t.one", "t.two", "t.three", "t.four"],
            ["t.one", "t.two", "t.three", "t.four", "t.alone"],
        ),
        (["t.four", "t.apart"], ["t.four", "t.apart"], ["t.one", "t.two", "t.four", "t.apart"]),
    ],
    ids=lambda one: " ".join(one),
)
def test_what_calls_a_changed_exercise_runs_with_all_that_it_calls(
    changed: list[str], again: list[str], run: list[str]
) -> None:
    assert partial_run(changed, with_calls(), CALLS) == PartialRun(frozenset(again), tuple(run))


def test_what_is_not_graded_does_not_run() -> None:
    part = partial_run(["t.three"], with_calls(), ["t.three", "t.apart"])
    assert part == PartialRun(frozenset({"t.three"}), ("t.three",))


ONLY_ADD = PartialRun(frozenset({"s1.add"}), ("s1.add",))
BOTH = PartialRun(frozenset({"s1.add"}), ("s1.add", "s2.mean"))
PASSED, FAILED = observations(Outcome.PASSED), observations(Outcome.FAILED, "seen", "wanted")


def record(
    seen: tuple[Observation, ...], only: tuple[str, ...] = (), *notes: Note, tier: str = "full"
) -> Any:
    """The record for staff, as it is when it comes out of a store."""
    result = replace(SampleResult(loading=notes), observations=seen, tier=tier)
    report = report_on(result, RUBRIC, only, for_staff=True)
    return json.loads(json.dumps(as_dict(report, for_staff=True)))


def without_times(one: Any) -> Any:
    return {**one, "timings": sorted(one["timings"]["checks_ms"])}


@pytest.mark.parametrize("part", [ONLY_ADD, BOTH], ids=["one", "both run"])
def test_what_ran_is_new_and_the_rest_is_kept(part: PartialRun) -> None:
    now = (*FAILED[:2], PASSED[2])
    result = joined(record(PASSED), record(now, part.run), part, RUBRIC)

    assert without_times(result) == without_times(record(now))
    assert without_times(result) != without_times(record(PASSED))


def test_a_requirement_of_what_did_not_run_is_held_to() -> None:
    exercises = {
        "s1.add": replace(RUBRIC.exercises["s1.add"], requires=("s2.mean",)),
        "s2.mean": RUBRIC.exercises["s2.mean"],
    }
    rubric = replace(RUBRIC, exercises=exercises)
    kept = joined(record(FAILED), record(FAILED, ONLY_ADD.run), ONLY_ADD, rubric)
    result = SampleResult(observations=FAILED, tier="full")
    whole = as_dict(report_on(result, rubric, for_staff=True), for_staff=True)

    assert without_times(kept) == without_times(json.loads(json.dumps(whole)))
    assert kept is not None
    assert kept["exercises"][0]["checks"][0]["outcome"] == "blocked"


NOTE, A_FLAG = Note("note", "A remark."), Note(FLAG, "A flag.")
REFUSED = tuple(replace(one, tried=Tried.NETWORK) for one in PASSED)
UNCHECKED, SLOW = observations(Outcome.COULD_NOT_CHECK), observations(Outcome.TIMED_OUT)


@pytest.mark.parametrize(
    "other",
    [
        lambda only: record(PASSED, only, NOTE),
        lambda only: record(PASSED, only, A_FLAG),
        lambda only: record(REFUSED, only),
        lambda only: record(UNCHECKED, only),
        lambda only: record(SLOW, only),
    ],
    ids=["note", "flag", "refused", "not checked", "timed out"],
)
def test_of_whom_more_is_known_than_by_exercise_everything_runs(
    other: Callable[[tuple[str, ...]], Any],
) -> None:
    assert not can_be_joined(other(()))
    assert joined(other(()), record(PASSED, ONLY_ADD.run), ONLY_ADD, RUBRIC) is None
    assert joined(record(PASSED), other(ONLY_ADD.run), ONLY_ADD, RUBRIC) is None


def with_entry(one: Any, file: str) -> Any:
    about = {**one["submission"], "entries": {"s1_sums": file}}
    return {**one, "submission": about}


@pytest.mark.parametrize(
    "fresh",
    [
        record(FAILED, BOTH.run),
        record(PASSED, BOTH.run, tier="none"),
        record(PASSED, ONLY_ADD.run),
        with_entry(record(PASSED, BOTH.run), "other.py"),
    ],
    ids=["not changed and seen otherwise", "another tier", "too few ran", "another file"],
)
def test_what_does_not_fit_is_not_joined(fresh: Any) -> None:
    assert can_be_joined(fresh)
    assert joined(record(PASSED), fresh, BOTH, RUBRIC) is None
