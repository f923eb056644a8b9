"""Name the causes that a report keeps back, as soon as the author of the course wants that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.course.feedback import CauseTiming, Feedback
from grader.report.content import LOST, ExerciseReport, Report
from grader.report.keeping_back import marked_causes

NOBODY_COUNTS: Mapping[str, int] = {}
"""Stands for the tries where nobody remembers earlier ones: on a page, or in a CI system."""


def disclosed(
    report: Report,
    feedback: Feedback,
    tries: Mapping[str, int] = NOBODY_COUNTS,
    *,
    on_request: bool = False,
) -> Report:
    """Return the report with those causes named that may be.

    `tries` maps an exercise to how often it was tried without success, this time included.
    """

    def is_due(slug: str) -> bool:
        is_counted = feedback.causes is CauseTiming.AFTER_TRIES
        return on_request or (is_counted and tries.get(slug, 0) >= feedback.tries)

    parts = tuple(_named(part) if is_due(part.exercise.slug) else part for part in report.exercises)
    return replace(report, exercises=parts)


def named(report: Report) -> Report:
    """Return the report with all its causes named."""
    return replace(report, exercises=tuple(map(_named, report.exercises)))


def failing_versions(report: Report) -> dict[str, bytes]:
    """Return the exercises in which something failed, each with the file that was graded for it."""
    versions = {}
    for part in report.exercises:
        if part.with_outcome(*LOST):
            file = report.entries.get(part.exercise.assignment, "")
            data = report.submission.files.get(file, report.submission.digest.encode())
            versions[part.exercise.slug] = data
    return versions


def _named(part: ExerciseReport) -> ExerciseReport:
    seen = tuple(marked_causes(one, is_kept=False) for one in part.observations)
    return replace(part, observations=seen)
