"""Find the format of an export by its name; it is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.export.exported import Choices, Exported
from grader.export.graded_class import GradedClass

Maker = Callable[[GradedClass, Choices], Exported]


@dataclass(frozen=True)
class ExportFormat:
    """A format by its name, and what it takes and gives."""

    name: str
    out: str
    """The name of the file or folder that it becomes if nobody names another one."""
    is_folder: bool = False
    takes_file: bool = False
    """True if `--fill` names the file of the other system that it fills."""
    needs_file: bool = False
    has_pages: bool = False
    """True if it shows pages, and so hints and the code of students."""
    gives: str = "points"
    """A word for the part of a student in it."""


FORMATS = {
    one.name: one
    for one in (
        ExportFormat("canvas", "canvas.csv", takes_file=True, needs_file=True),
        ExportFormat("moodle", "moodle.csv", takes_file=True, needs_file=True),
        ExportFormat(
            "moodle-feedback",
            "moodle-feedback.zip",
            takes_file=True,
            has_pages=True,
            gives="a page",
        ),
        ExportFormat("csv", "grades.csv"),
        ExportFormat("xlsx", "grades.xlsx"),
        ExportFormat("json", "class.json"),
        ExportFormat("nbgrader", "nbgrader.csv"),
        ExportFormat("gradescope", "gradescope", is_folder=True),
        ExportFormat("prairielearn", "prairielearn", is_folder=True),
        ExportFormat("pages", "pages", is_folder=True, has_pages=True, gives="a page"),
        ExportFormat("mail-merge", "mail-merge.csv", gives="a row"),
    )
}


def maker(name: str) -> Maker:
    """Return the function that makes an export. Raises LookupError if there is no such format."""
    match name:
        case "canvas":
            from grader.export.canvas import canvas as make
        case "moodle":
            from grader.export.moodle import moodle as make
        case "moodle-feedback":
            from grader.export.moodle_feedback import moodle_feedback as make
        case "csv":
            from grader.export.grades_csv import grades_csv as make
        case "xlsx":
            from grader.export.xlsx import xlsx as make
        case "json":
            from grader.export.class_json import class_json as make
        case "nbgrader":
            from grader.export.nbgrader import nbgrader as make
        case "gradescope":
            from grader.export.gradescope import gradescope as make
        case "prairielearn":
            from grader.export.prairielearn import prairielearn as make
        case "pages":
            from grader.export.pages import pages as make
        case "mail-merge":
            from grader.export.mail_merge import mail_merge as make
        case _:
            raise LookupError(name)
    return make
