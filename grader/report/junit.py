"""A report as JUnit XML, in the shape that pytest writes (xunit2).

An exercise is a suite, a check is a case. A wrong answer is a `failure`; a crash, a time-out and
what could not be checked is an `error`; what was not attempted or waits for a prerequisite is
`skipped`. Nothing but the attributes `time` differs between runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from xml.etree import ElementTree

from grader.evidence import Observation, Outcome
from grader.language import _
from grader.report.cleaning import one_line, printable, without_commands
from grader.report.content import ExerciseReport, Report
from grader.report.points import decimal
from grader.report.words import facts, noted
from grader.rubric import Scoring
from grader.score import EARNS, CriterionGrade

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
    """The report as an XML document, with a line break at its end."""
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
    for seen in cases:
        suite.append(_case(seen, _share(part, grades[seen.criterion], seen)))
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


def _case(seen: Observation, share: Iterable[tuple[str, str]]) -> ElementTree.Element:
    slug, criterion, name = seen.check.split("/", 2)
    case = ElementTree.Element(
        "testcase",
        classname=_attribute(f"{slug}.{criterion}"),
        name=_attribute(name),
        time=_seconds(seen.duration_ms),
    )
    case.append(_properties([("title", seen.title), *share]))
    child = _CHILD.get(seen.outcome)
    if child is not None:
        words = "\n".join(f"{label}: {words}" for label, words in facts(seen))
        message = seen.observed or seen.outcome.in_words
        ElementTree.SubElement(
            case,
            child,
            type=seen.outcome.value,
            message=_attribute(f"{seen.title} {message}"),
        ).text = _text(words) or None
    if seen.notes:
        label = _("note:")
        out = "\n".join(f"{label} {printable(note)}" for note in seen.notes)
        ElementTree.SubElement(case, "system-out").text = _text(out)
    return case


def _share(
    part: ExerciseReport, grade: CriterionGrade, seen: Observation
) -> Iterable[tuple[str, str]]:
    """What a check adds to its criterion's points, and what it could."""
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
