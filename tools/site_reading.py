"""Mends what axe-core finds in the pages that Sphinx and its theme write.

A heading without a level, landmarks without a name, code that cannot be scrolled by keyboard, heads
of tables without a word, and a search page without a title.
"""

from __future__ import annotations

from pathlib import Path

LABELS = {
    "en": {"sidebar-drawer": "All pages", "toc-drawer": "On this page", "search": "Search"},
    "ko": {"sidebar-drawer": "모든 문서", "toc-drawer": "이 문서의 목차", "search": "검색"},
}
"""The names of a page's landmarks, and the title of the search page, in each language."""
_EMPTY_HEAD = '<th class="head"><p></p></th>'
_ARTICLE = '<article role="main" id="furo-main-content">'


def mended(page: str, language: str) -> str:
    """The text of a page with all of it mended; what is right already stays as it is."""
    labels = LABELS[language]
    page = page.replace('class="caption" role="heading">', 'class="caption">')
    for name in ("sidebar-drawer", "toc-drawer"):
        page = page.replace(
            f'<aside class="{name}">', f'<aside class="{name}" aria-label="{labels[name]}">'
        )
    page = page.replace("<pre>", '<pre tabindex="0">')
    page = page.replace(_EMPTY_HEAD, '<td class="head"></td>')
    if "<h1" not in page:
        page = page.replace(_ARTICLE, f"{_ARTICLE}\n<h1>{labels['search']}</h1>")
    return page


def mend(folder: Path, language: str) -> None:
    """Mends every page of the site in one language."""
    for path in sorted(folder.rglob("*.html")):
        path.write_text(mended(path.read_text(encoding="utf-8"), language), encoding="utf-8")
