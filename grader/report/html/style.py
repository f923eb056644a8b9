"""Style and mark up every page that the grader writes: one sheet, and marks in its words.

It stands apart from the page of a report, so that other pages need nothing of that one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup, escape

from grader.report.cleaning import LIMIT_REFUSAL, printable
from grader.report.html.palette import DARK, LIGHT, properties

INDENTS = tuple(range(0, 33, 4))
"""The indents, in blanks, that a page tells apart."""

_CODE = re.compile(r"`([^`]+)`")
# Not beside a word or a blank on the wrong side: `a * b` and `2*x*y` are products.
_EMPHASIS = re.compile(r"(?<![\w*])\*([^\s*`<>](?:[^*`<>\n]*[^\s*`<>])?)\*(?![A-Za-z0-9_*])")
_TEMPLATES = Path(__file__).parent / "templates"


def marked_up(text: str) -> Markup:
    """Turn `code` and *emphasis* in the course's words into markup."""
    safe = str(escape(printable(text, LIMIT_REFUSAL)))
    safe = _CODE.sub(r'<code class="word">\1</code>', safe)
    return Markup(_EMPHASIS.sub(r"<em>\1</em>", safe))


@cache
def templates() -> Path:
    """Return the folder with templates and styles; `figures.html` draws matrices for any page."""
    return _TEMPLATES


def style_sheet() -> str:
    """Render the style sheet; each of its rules applies to reports and to nothing else.

    Every page for which the grader writes HTML has it, so that all look alike.
    """
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
