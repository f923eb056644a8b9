"""A report is about the exercises that were asked for, in the rubric's order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from grader.grade.evidence import Note, Observation, Outcome
from grader.report.content import report_on
from tests.unit.samples import CHECKS, RUBRIC, SampleResult, submission


def test_exercises_and_checks_come_in_the_rubrics_order() -> None:
    graded = SampleResult()
    report = report_on(replace(graded, observations=graded.observations[::-1]), RUBRIC)

    assert [exercise.exercise.slug for exercise in report.exercises] == ["s1.add", "s2.mean"]
    assert tuple(seen.check for seen in report.observations) == CHECKS


def test_only_the_named_exercises_are_reported_and_counted() -> None:
    report = report_on(SampleResult(), RUBRIC, only=("s2.mean",))

    assert [exercise.exercise.slug for exercise in report.exercises] == ["s2.mean"]
    assert (report.grade.points, report.grade.max_points) == (Fraction(3), Fraction(3))
    assert report.entries == {"s2_means": "s2_means.py"}


def test_a_failure_behind_a_failed_prerequisite_is_blocked() -> None:
    mean = replace(RUBRIC.exercises["s2.mean"], requires=("s1.add",))
    rubric = replace(RUBRIC, exercises={**RUBRIC.exercises, "s2.mean": mean})
    failed = tuple(Observation(check, "", Outcome.FAILED) for check in CHECKS)

    report = report_on(SampleResult(observations=failed), rubric)

    assert [seen.outcome for seen in report.observations] == ["failed", "failed", "blocked"]


def test_files_that_were_not_read_are_problems() -> None:
    one = replace(submission(), skipped=("x.py is a symbolic link: not read.",))
    loading = (Note("note", "Defined twice."),)

    report = report_on(SampleResult(one, loading=loading), RUBRIC)

    assert report.notes == (Note("problem", "x.py is a symbolic link: not read."), *loading)
