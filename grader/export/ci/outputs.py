"""Choose the files that a system reads, for each way in which grading can end.

Where a system takes a mark from a file, that file is there before grading begins, and says that
nothing could be checked. Whatever ends the grader leaves it in place, and never a zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from grader.export import gradescope, prairielearn
from grader.export.ci import classroom50, gitlab
from grader.export.ci.annotations import to_mend
from grader.export.ci.systems import System
from grader.export.words import clean
from grader.report.content import Report
from grader.report.formats import renderer
from grader.report.words import state
from grader.text.language import _
from grader.text.points import shown

JUNIT = "junit.xml"
SUMMARY = "summary.md"
PERCENT = "percent.txt"
_KNOWN = {
    System.GITHUB: (JUNIT, SUMMARY),
    System.GITLAB: (JUNIT, gitlab.FILE),
    System.GRADESCOPE: (gradescope.RESULTS_FILE,),
    System.PRAIRIELEARN: (gradescope.RESULTS_FILE,),
    System.CLASSROOM50: (classroom50.FILE, classroom50.BODY),
    System.CODIO: (SUMMARY, PERCENT),
    System.NONE: (JUNIT, SUMMARY),
}
"""The names of the files that each system gets."""
LIMIT_PRAIRIELEARN_BYTES = 1_000_000
HOLDS_THE_MARK = (System.GRADESCOPE, System.PRAIRIELEARN, System.CLASSROOM50)
"""The systems that read a mark from a file, and take an exit code for an error of the grader."""


@dataclass(frozen=True)
class Surroundings:
    """Facts that a file may state beside the grade: of the run, and of the repository."""

    system: System
    now: datetime
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: PurePosixPath | None = None
    """The place of the submission in its repository, if it is in one."""


def names(system: System) -> tuple[str, ...]:
    """Return the names of the files that a system may get."""
    return _KNOWN[system]


def is_known(report: Report) -> bool:
    """Tell whether all was checked whose checks are in this copy of the course."""
    return report.grade.unchecked_points == report.grade.later_points


def of_report(report: Report, around: Surroundings) -> dict[str, str]:
    """Return the content of each file on a graded submission."""
    files: dict[str, str] = {}
    if around.system in HOLDS_THE_MARK and not is_known(report):
        return not_checked(around.system)
    match around.system:
        case System.GRADESCOPE:
            files[gradescope.RESULTS_FILE] = _for_gradescope(report)
        case System.PRAIRIELEARN:
            files[gradescope.RESULTS_FILE] = _for_prairielearn(report)
        case System.CLASSROOM50:
            files[classroom50.FILE] = classroom50.result(report, around.environment, around.now)
            files[classroom50.BODY] = renderer("markdown")(report)
        case System.GITLAB:
            files[JUNIT] = renderer("junit")(report)
            files[gitlab.FILE] = gitlab.code_quality(to_mend(report, around.folder))
        case System.CODIO:
            files[SUMMARY] = renderer("markdown")(report)
            if is_known(report):
                files[PERCENT] = _percent(report)
        case _:
            files[JUNIT] = renderer("junit")(report)
            files[SUMMARY] = renderer("markdown")(report)
    return files


def not_checked(system: System) -> dict[str, str]:
    """Return the content of a file that says that nothing could be checked, where one is read.

    No system but PrairieLearn has a word for it. A Gradescope file of this kind has no score
    anywhere, so that nobody is given one.
    """
    words = _("This could not be checked: that is not your mistake.")
    then = _("Hand it in again, or wait until the staff runs it.")
    match system:
        case System.GRADESCOPE:
            values: dict[str, object] = {
                "output": f"{words}\n{then}",
                **gradescope.SETTINGS,
                "extra_data": {"could_not_check": True},
                "tests": [{"name": _("could not check"), "output": words, "visibility": "visible"}],
            }
        case System.PRAIRIELEARN:
            values = {"gradable": False, "message": words, "format_errors": [words]}
        case _:
            return {}  # it reads nothing: the exit code says so
    return {gradescope.RESULTS_FILE: gradescope.as_text(values)}


def unreadable(system: System, reason: str) -> dict[str, str]:
    """Return the content of a file that says why a submission cannot be read, where one is read.

    That is the student's to mend: Gradescope is given a zero, which the next submission replaces.
    """
    match system:
        case System.GRADESCOPE:
            values: dict[str, object] = {
                "score": 0,
                "output": clean(reason),
                **gradescope.SETTINGS,
                "tests": [],
            }
        case System.PRAIRIELEARN:
            values = {"gradable": False, "message": clean(reason), "format_errors": [clean(reason)]}
        case _:
            return {}
    return {gradescope.RESULTS_FILE: gradescope.as_text(values)}


def _for_gradescope(report: Report) -> str:
    tests = [*gradescope.criteria(report), *_for_a_person(report)]
    return gradescope.as_text(gradescope.results(report, report.points, tests))


def _for_a_person(report: Report) -> Iterator[dict[str, object]]:
    """Yield a test without points for each written answer: a person gives these there."""
    for answer in report.written:
        yield {
            "name": answer.item.slug,
            "output": gradescope.by_person(state(answer), ""),
            "visibility": "visible",
        }


def _for_prairielearn(report: Report) -> str:
    most = report.grade.max_points - report.grade.later_points
    tests = list(prairielearn.criteria(report))
    text = gradescope.as_text(prairielearn.results(report, report.points, most, tests))
    if len(text.encode()) < LIMIT_PRAIRIELEARN_BYTES:
        return text
    short = ({key: one[key] for key in one if key != "output"} for one in tests)
    return gradescope.as_text(prairielearn.results(report, report.points, most, short))


def _percent(report: Report) -> str:
    most = report.grade.max_points - report.grade.later_points
    return f"{shown(100 * report.points / most if most else report.points)}\n"
