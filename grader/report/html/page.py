"""Render the page: templates that escape everything, one style sheet, no script and no address.

Text that a student had a hand in is cleaned and escaped where it enters a template, whichever
way it came.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.report.cleaning import LIMIT_REFUSAL, printable, without_commands
from grader.report.content import Report
from grader.report.html.style import marked_up, style_sheet, templates
from grader.report.html.view import summary, view
from grader.text.language import _


def rendered(report: Report) -> str:
    """Return the report as one HTML document: no script, no other file, no address."""
    return _made("page.html", report)


def fragment(report: Report) -> str:
    """Return the report as one `<div class="grader-report">`, for a place in somebody else's page.

    It brings its own style. Its headings begin at the third level, and it has no landmarks.
    """
    return _made("fragment.html", report)


def _made(template: str, report: Report) -> str:
    style = style_sheet()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    text = (
        _environment()
        .get_template(template)
        .render(
            title=summary(report),
            page=view(report),
            say=_labels(),
            style=Markup(style),
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; "
            "form-action 'none'",
        )
    )
    return without_commands(text)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )
    environment.filters["marked_up"] = marked_up
    return environment


def _cleaned(value: object) -> object:
    """Clean a text as it enters a template; leave markup that a template made as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value, LIMIT_REFUSAL)
    return value


def _labels() -> Mapping[str, str]:
    """Return the fixed words of a page."""
    return {
        "exercises": _("Exercises"),
        "next": _("Next"),
        "points": _("points"),
        "criterion": _("Criterion"),
        "points_head": _("Points"),
        "checks_head": _("Checks passed"),
        "mend_first": _("Mend this first"),
        "also_in": _("also in"),
        "other_checks": _("What else did not pass"),
        "why": _("Why is it a mistake?"),
        "why_exercise": _("What is this about?"),
        "kept": _("The likely cause, when you have looked for it"),
        "numbers": _("The same as a table"),
        "row": _("row"),
        "code": _("Your code"),
        "notes": _("Notes"),
        "problems": _("Problems"),
        "written": _("Written answers, graded by a person"),
        "question": _("Question"),
        "found": _("Found"),
        "to_exercises": _("Skip to the exercises"),
        "show": _("show it here"),
    }
