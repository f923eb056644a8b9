"""Write one page a student, which needs no other file and is ready to be sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass
from grader.export.reports import reports, without_report
from grader.files.writing import Content
from grader.report.html.page import rendered


def pages(graded: GradedClass, choices: Choices) -> Exported:
    """Return the page of each student, under the name of the record."""
    return Exported(
        files=_pages(graded, choices),
        written=sum(one.is_graded for one in graded.students),
        left_out=without_report(graded),
        remarks=without_code(graded, choices),
    )


def without_code(graded: GradedClass, choices: Choices) -> tuple[str, ...]:
    """Return a remark if pages show no code, because the submissions are not known."""
    if not choices.sources:
        return ("the pages show no code; with --submissions DIR they do",)
    digests = [one.row.digest for one in graded.students if one.is_graded]
    missing = sum(digest not in choices.sources for digest in digests)
    if not missing:
        return ()
    return (f"{missing} pages show no code: what was graded is not in the folder any more",)


def _pages(graded: GradedClass, choices: Choices) -> Iterator[tuple[str, Content]]:
    for student, report in reports(graded, choices):
        yield f"{Path(student.record).stem}.html", rendered(report)
