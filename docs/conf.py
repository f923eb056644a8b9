"""Sphinx reads this file: the pages of this folder as a site in each language (`make docs`)."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

HERE = Path(__file__).absolute().parent
ENGLISH = "en"
LANGUAGES = (ENGLISH, "ko")
ONLY_ENGLISH = "decisions/"
"""Pages that are for who works on the grader: other sites link to the English one."""
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_FENCED = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
_logger = logging.getLogger(__name__)

project = "grader"
author = "the grader authors"
project_copyright = author
extensions = ["myst_parser", "sphinxcontrib.mermaid"]
# A page with a Korean text of its own: that stands in its place in the Korean site.
exclude_patterns = [*(f"*.{language}.md" for language in LANGUAGES), "locale"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["mermaid"]
gettext_compact = False
# What is translated is compiled to a folder of the build, which `tools/site.py` names.
gettext_auto_build = False
# Names and options stay as they are typed.
smartquotes = False
html_theme = "furo"
html_title = "grader"
html_copy_source = False
html_show_copyright = False
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "languages.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}


def setup(app: Sphinx) -> None:
    """Prepare each page as it is read, and leave out what is in English only."""
    app.connect("config-inited", _leave_out)
    app.connect("source-read", _prepare)


def _leave_out(_app: Sphinx, config: Config) -> None:
    if config.language != ENGLISH:
        config.exclude_patterns.append(f"{ONLY_ENGLISH}*")


def _prepare(app: Sphinx, page: str, source: list[str]) -> None:
    translated = HERE / f"{page}.{app.config.language}.md"
    if translated.is_file():
        app.env.note_dependency(str(translated))
        source[0] = translated.read_text(encoding="utf-8")
    parts = _FENCED.split(source[0])
    parts[::2] = [_LINK.sub(lambda link: _kept(app, page, link), part) for part in parts[::2]]
    source[0] = "".join(parts)


def _kept(app: Sphinx, page: str, link: re.Match[str]) -> str:
    """Return a link as it works in the site: to a page in another language as to a file.

    Of what is in the repository and not in the site the words stay, without the link.
    """
    words, path, _anchor = link.groups()
    target = ((HERE / page).parent / path).resolve()
    if not target.exists():
        _logger.warning("%s: there is no %s", page, path, type="site", subtype="link")
    if not target.is_relative_to(HERE):
        return words
    inside = target.relative_to(HERE).as_posix()
    if app.config.language != ENGLISH and inside.startswith(ONLY_ENGLISH):
        return f'<a href="../{ENGLISH}/{inside.removesuffix(".md")}.html">{words}</a>'
    for language in LANGUAGES:
        if path.endswith(f".{language}.md"):
            name = path.removesuffix(f".{language}.md")
            return f'<a href="../{language}/{name}.html">{words}</a>'
    return link[0]
