"""Name the causes that are due on this machine, which remembers what was tried on it."""

from __future__ import annotations

from pathlib import Path

from grader.course.feedback import CauseTiming, Feedback
from grader.files.counting import counted, state_folder
from grader.report.content import Report
from grader.report.disclosure import NOBODY_COUNTS, disclosed, failing_versions


def known_by_now(
    report: Report, feedback: Feedback, *, on_request: bool = False, folder: Path | None = None
) -> Report:
    """Return the report with the causes that may be named now; what fails counts as one more try.

    The same file graded again is no new try. `folder` is where tries are remembered, if not in the
    user's own place for this.
    """
    tries = NOBODY_COUNTS
    if feedback.causes is CauseTiming.AFTER_TRIES:
        place = f"{report.course}\n{report.submission.path}"
        tries = counted(folder or state_folder(), place, failing_versions(report))
    return disclosed(report, feedback, tries, on_request=on_request)
