"""Render the page for a lecture: one sheet that names no student."""

from __future__ import annotations

from markupsafe import Markup

from grader.class_report.html.page import environment, policy_of, templates
from grader.class_report.lecture import LecturePage
from grader.report.cleaning import without_commands
from grader.text.language import _, language_in_use, ngettext

MADE_BY_PRINTING = ".pdf"


def rendered_lecture(lecture: LecturePage) -> str:
    """Return the page as one HTML document, which prints on one sheet: no script, no address."""
    style = (templates() / "lecture.css").read_text(encoding="utf-8")
    page = environment().get_template("lecture.html")
    return without_commands(
        page.render(
            lecture=lecture,
            language=language_in_use(),
            title=_("What to teach again: {course}", course=lecture.course),
            basis=ngettext(
                "Of {count} student with a result.",
                "Of {count} students with a result.",
                lecture.students,
            ),
            nothing=_("No known mistake was named in this class."),
            how_many=[
                _("{count} of {all}", count=one.students, all=lecture.students)
                for one in lecture.points
            ],
            style=Markup(style),
            policy=policy_of(style),
        )
    )
