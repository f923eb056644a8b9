"""Render a class report as one HTML document."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.class_report.html.drawing import figure_of, histogram, placed_scatter
from grader.class_report.html.people_lists import PeopleLists
from grader.class_report.html.rows import RowWriter
from grader.class_report.outline import ClassReport
from grader.report.cleaning import printable, without_commands
from grader.report.html.style import marked_up, style_sheet
from grader.report.html.style import templates as report_templates
from grader.text.language import _, language_in_use

_TEMPLATES = Path(__file__).parent / "templates"


def rendered(report: ClassReport) -> str:
    """Return the report as one HTML document: no other file, no address.

    Its only script sorts tables and filters students; nothing needs it to be read.
    """
    style = style_sheet() + (_TEMPLATES / "class.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "class.js").read_text(encoding="utf-8")
    page = environment().get_template("page.html")
    return without_commands(
        page.render(
            report=report,
            language=language_in_use(),
            lists=PeopleLists(report.people, report.mails),
            say=_labels(),
            style=Markup(style),
            script=Markup(script),
            policy=policy_of(style, script),
        )
    )


def templates() -> Path:
    """Return the folder with templates, styles and the script."""
    return _TEMPLATES


def policy_of(style: str, script: str = "") -> str:
    """Return the content security policy of a page with this style, and this script or none."""
    scripts = f"script-src {_digest(script)}; " if script else ""
    return (
        f"default-src 'none'; style-src {_digest(style)}; {scripts}"
        "base-uri 'none'; form-action 'none'"
    )


@cache
def environment() -> Environment:
    """Return the environment of the templates, which cleans every text that enters a page."""
    environment = Environment(
        loader=FileSystemLoader((_TEMPLATES, report_templates())),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )
    environment.filters["marked_up"] = marked_up
    environment.globals.update(left_out=_left_out, rows_left_out=_rows_left_out)
    environment.globals["rows_of"] = RowWriter(_cleaned).written
    environment.globals.update(histogram=histogram, placed_scatter=placed_scatter)
    environment.globals["figure_of"] = figure_of
    return environment


def _cleaned(value: object) -> object:
    """Clean a text as it enters the page; leave markup that a template made as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        # Most texts of a page are short plain words: the long way is for the rest.
        return value if value.isascii() and value.isprintable() else printable(value)
    return value


def _left_out(count: int) -> str:
    return _("and {count} more: the CSV file of the table has all", count=count)


def _rows_left_out(count: int, file: str) -> str:
    return _("{count} more rows stand in {file}.", count=count, file=file)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _labels() -> Mapping[str, str]:
    """Return the fixed words of the page."""
    return {
        "skip": _("Skip to the report"),
        "first": _("Look at first"),
        "sections": _("Sections"),
        "staff": _(
            "For staff only: it names students and hidden checks, and tells a little of hidden "
            "answers."
        ),
        "reading": _("How to read it"),
        "students": _("Students behind the numbers"),
        "close": _("Close"),
        "files": _("grader report --csv DIR writes every table as a file."),
        "numbers": _("The same as a table"),
        "row": _("row"),
        "search": _("Find a student"),
        "fifths": _("Who has it, by fifths of the class from the lowest marks to the highest"),
    }
