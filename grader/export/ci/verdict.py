"""Say in a sentence how grading one submission ended, for whoever looks at a list of runs."""

from __future__ import annotations

from grader.export.ci.annotations import Annotation, Level
from grader.report.content import Report
from grader.report.words import next_in_submission, total
from grader.text.language import _

EXIT_ALL_POINTS = 0
EXIT_POINTS_MISSING = 1
EXIT_NOT_GRADED = 2


def verdict(code: int, report: Report | None, reason: str = "") -> Annotation:
    """Return the sentence for an exit code, at the level that it deserves.

    `reason` says why there is no report.
    """
    if code == EXIT_ALL_POINTS:
        return Annotation(Level.NOTICE, _("All points"), _("Every check passed."))
    if code == EXIT_POINTS_MISSING and report is not None:
        step = _("Next: {step}", step=next_in_submission(report))
        return Annotation(Level.ERROR, _("Points are missing"), f"{total(report)}\n{step}")
    if code == EXIT_NOT_GRADED:
        return Annotation(Level.ERROR, _("Not graded"), reason)
    words = _(
        "Something could not be checked. That is not a mistake in the submission: run this again, "
        "and tell the course staff if it stays."
    )
    return Annotation(Level.ERROR, _("Could not check"), words)
