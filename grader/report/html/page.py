"""The page itself: templates that escape everything, one style sheet, no script and no address.

What a student had a hand in is cleaned and escaped where it is put in, whichever way it came.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.language import _
from grader.report.cleaning import LIMIT_REFUSAL, printable, without_commands
from grader.report.content import Report
from grader.report.html.excerpt import INDENTS
from grader.report.html.palette import DARK, LIGHT, properties
from grader.report.html.view import summary, view

_TEMPLATES = Path(__file__).parent / "templates"


def rendered(report: Report) -> str:
    """The report as one HTML document: no script, no other file, no address."""
    return _made("page.html", report)


def fragment(report: Report) -> str:
    """The same as a single `<div class="grader-report">` with a style of its own, for a place in
    somebody else's page. Its headings begin at the third level, and it has no landmarks."""
    return _made("fragment.html", report)


def _made(template: str, report: Report) -> str:
    style = _style()
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
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )


def _cleaned(value: object) -> object:
    """Any text that is put in, at the last moment; what a template made of it is left as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value, LIMIT_REFUSAL)
    return value


@cache
def _style() -> str:
    """The style sheet, every rule of it for what is in a report and for nothing else."""
    loader = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=False)
    return loader.get_template("style.css").render(
        light=_declared(properties(LIGHT)),
        dark=_declared(properties(DARK)),
        page_light=LIGHT.named["page"],
        page_dark=DARK.named["page"],
        indents=INDENTS,
        shades=[name.removeprefix("--on-") for name in properties(LIGHT) if name[:5] == "--on-"],
    )


def _declared(properties: Mapping[str, str]) -> str:
    return ";".join(f"{name}:{value}" for name, value in properties.items())


def _labels() -> Mapping[str, str]:
    """The fixed words of a page."""
    return {
        "exercises": _("Exercises"),
        "next": _("Next"),
        "points": _("points"),
        "criterion": _("Criterion"),
        "points_head": _("Points"),
        "checks_head": _("Checks passed"),
        "criteria_of": _("Criteria of {slug}"),
        "mend_first": _("Mend this first"),
        "also_in": _("also in"),
        "other_checks": _("What else did not pass"),
        "why": _("Why is it a mistake?"),
        "why_exercise": _("What is this about?"),
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
