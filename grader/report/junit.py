"""Render a report as JUnit XML, in the shape that pytest writes (xunit2).

An exercise is a suite, a check is a case. A wrong answer is a `failure`; a crash, a time-out or a
check that could not run is an `error`; a check that was not attempted or waits for a prerequisite
is `skipped`. Only the attributes `time` differ between runs.

CI systems show the name of every case to whoever pushes. The cases of a hidden criterion are
therefore numbered, and have a title only if they failed, as in every other format; unless the
author of the course lets them be named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from xml.etree import ElementTree

from grader.course.rubric import Scoring
from grader.grade.evidence import Observation, Outcome
from grader.grade.score import EARNS, CriterionGrade
from grader.report.check_names import CheckName, check_names
from grader.report.cleaning import one_line, printable, without_commands
from grader.report.content import ExerciseReport, Report
from grader.report.words import facts, noted
from grader.text.language import _
from grader.text.points import decimal

_CHILD = {
    Outcome.FAILED: "failure",
    Outcome.STUDENT_ERROR: "error",
    Outcome.TIMED_OUT: "error",
    Outcome.COULD_NOT_CHECK: "error",
    Outcome.NOT_ATTEMPTED: "skipped",
    Outcome.BLOCKED: "skipped",
}
# XML 1.0 has no place for these, escaped or not; `printable` leaves the last two in.
_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")


def rendered(report: Report) -> str:
    """Return the report as an XML document, with a line break at its end."""
    root = ElementTree.Element("testsuites", name=_attribute(report.course))
    for part in report.exercises:
        root.append(_suite(report, part))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{body}\n'


def _suite(report: Report, part: ExerciseReport) -> ElementTree.Element:
    slug = part.exercise.slug
    # A criterion of which nothing was seen would look like one without complaints.
    unseen = [
        Observation(
            f"{slug}/{criterion.criterion}/not_checked",
            _("The checks of {criterion} ran.", criterion=criterion.criterion),
            Outcome.COULD_NOT_CHECK,
            _("none of its checks ran"),
        )
        for criterion in part.grade.criteria
        if not criterion.checks
    ]
    cases = (*part.observations, *unseen)
    counts = Counter(_CHILD.get(seen.outcome) for seen in cases)
    suite = ElementTree.Element(
        "testsuite",
        name=_attribute(slug),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=_seconds(sum(seen.duration_ms for seen in cases)),
    )
    suite.append(_properties(_suite_properties(report, part)))
    grades = {grade.criterion: grade for grade in part.grade.criteria}
    for seen, named in zip(cases, check_names(report, part, cases), strict=True):
        suite.append(_case(seen, named, _share(part, grades[seen.criterion], seen)))
    if report.notes:
        ElementTree.SubElement(suite, "system-out").text = _text("\n".join(noted(report)))
    return suite


def _suite_properties(report: Report, part: ExerciseReport) -> Iterable[tuple[str, str]]:
    yield "submission", report.submission.id
    yield "digest", report.submission.digest
    yield "isolation", report.tier
    yield from _points(None if part.is_unknown else part.grade.points, part.grade.max_points)
    for grade in part.grade.criteria:
        yield from _points(grade.points, grade.max_points, f"{grade.criterion}.")


def _case(
    seen: Observation, named: CheckName, share: Iterable[tuple[str, str]]
) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=_attribute(f"{seen.exercise}.{seen.criterion}"),
        name=_attribute(named.name),
        time=_seconds(seen.duration_ms),
    )
    title = [("title", named.title)] if named.title else []
    case.append(_properties([*title, *share]))
    child = _CHILD.get(seen.outcome)
    if child is not None:
        words = "\n".join(f"{label}: {words}" for label, words in facts(seen))
        message = seen.observed or seen.outcome.in_words
        ElementTree.SubElement(
            case,
            child,
            type=seen.outcome.value,
            message=_attribute(f"{named.title} {message}".strip()),
        ).text = _text(words) or None
    if seen.notes:
        label = _("note:")
        out = "\n".join(f"{label} {printable(note)}" for note in seen.notes)
        ElementTree.SubElement(case, "system-out").text = _text(out)
    return case


def _share(
    part: ExerciseReport, grade: CriterionGrade, seen: Observation
) -> Iterable[tuple[str, str]]:
    """Return the points that a check adds to its criterion, and the most it could add."""
    if not grade.checks:
        return ()
    most, points = grade.max_points / grade.checks, grade.points
    if points is not None:
        if part.exercise.criteria[grade.criterion].scoring is Scoring.ALL_OR_NOTHING:
            points /= grade.checks
        else:
            points = most if seen.outcome in EARNS else Fraction(0)
    return _points(points, most)


def _points(points: Fraction | None, most: Fraction, prefix: str = "") -> Iterable[tuple[str, str]]:
    if points is not None:  # a property that is not there is not taken for a zero
        yield f"{prefix}points", decimal(points)
    yield f"{prefix}max_points", decimal(most)


def _properties(pairs: Iterable[tuple[str, str]]) -> ElementTree.Element:
    properties = ElementTree.Element("properties")
    for name, value in pairs:
        ElementTree.SubElement(
            properties, "property", name=_attribute(name), value=_attribute(value)
        )
    return properties


def _seconds(duration_ms: float) -> str:
    return f"{duration_ms / 1000:.3f}"


def _attribute(text: str) -> str:
    return _text(one_line(text))


def _text(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", without_commands(text))
