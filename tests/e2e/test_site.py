"""The pages of docs/ become a site in both languages: no warning, and no link to nowhere."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.text.language import ENGLISH, LANGUAGES
from tests.support.browser import DESKTOP, by_axe, opened
from tools import site
from tools.catalogues import template_of


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once. A warning of Sphinx or a broken link ends this."""
    folder = tmp_path_factory.mktemp("site")
    site.build(folder / "site", folder)
    return folder / "site"


def test_every_page_is_there_in_each_language(built: Path) -> None:
    pages = {path.stem for path in site.DOCS.glob("*.md") if "." not in path.stem}

    for language in LANGUAGES:
        assert pages <= {path.stem for path in (built / language).glob("*.html")}


def test_a_page_with_a_korean_text_shows_it(built: Path) -> None:
    assert "학생용 안내" in (built / "ko" / "guide-student.html").read_text(encoding="utf-8")
    assert "학생 안내" in (built / "ko" / "index.html").read_text(encoding="utf-8")
    assert "공개 검사" in (built / "ko" / "guide-ci.html").read_text(encoding="utf-8")
    assert "For students" in (built / "en" / "index.html").read_text(encoding="utf-8")


def test_no_link_leads_nowhere_and_one_that_does_is_seen(built: Path) -> None:
    """The positive control: a page that is gone, a place that is gone, and what is elsewhere."""
    assert list(site.links_to_nowhere(built)) == []
    page = built / "en" / "index.html"
    text = page.read_text(encoding="utf-8")
    links = ("gone.html", "sealed.html#gone", "https://example.org/gone")
    try:
        page.write_text(text + "".join(f'<a href="{one}">x</a>' for one in links), encoding="utf-8")
        assert list(site.links_to_nowhere(built)) == [
            "en/index.html: links to gone.html, which is not there",
            "en/index.html: links to sealed.html#gone, which is not there",
        ]
    finally:
        page.write_text(text, encoding="utf-8")


def by_axe_on(browser: Any, file: Path) -> list[str]:
    context = browser.new_context(viewport={"width": DESKTOP, "height": 800})
    open_ = context.new_page()
    open_.goto(file.as_uri())
    found = by_axe(open_)
    context.close()
    return found


def test_axe_finds_nothing_on_the_pages_of_the_site(built: Path, tmp_path: Path) -> None:
    """All pages in English; in Korean those that differ by more than words from them."""
    pages = [*sorted((built / "en").glob("*.html"))]
    pages += [built / "ko" / f"{name}.html" for name in ("index", "guide-student", "search")]
    with opened() as browser:
        found = {str(page.relative_to(built)): by_axe_on(browser, page) for page in pages}
        assert {page: own for page, own in found.items() if own} == {}

        # The positive control: the same page, with one thing as the theme writes it.
        text = (built / "en" / "guide-ta.html").read_text(encoding="utf-8")
        page = tmp_path / "page.html"
        shutil.copytree(built / "en" / "_static", tmp_path / "_static")  # it scrolls by its styles
        page.write_text(text.replace('<pre tabindex="0">', "<pre>"), "utf-8")
        assert any("scrollable" in one for one in by_axe_on(browser, page))
    assert len(pages) > 20


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[x](gone.md)", "there is no gone.md"),
        ("[x](index.md#gone)", "'gone'"),
        ("[x](../gone.txt)", "there is no ../gone.txt"),
    ],
    ids=["page", "place", "file"],
)
def test_a_link_to_nowhere_ends_the_build(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("conf.py", "templates"):
        (docs / name).symlink_to(site.DOCS / name)
    (docs / "index.md").write_text(f"# A page\n\n{line}\n", encoding="utf-8")
    monkeypatch.setattr(site, "DOCS", docs)

    with pytest.raises(site.CannotBuild, match=message):
        site._sphinx("html", tmp_path / "out", tmp_path / "trees", ENGLISH)


def test_catalogues_of_pages_are_fresh_and_whole(tmp_path: Path) -> None:
    every = site.domains(site.templates(tmp_path))

    assert [one.name for one in every] == [
        "guide-author", "guide-ci", "guide-migration", "guide-ta", "index", "sealed",
    ]  # fmt: skip
    assert site.stale_catalogues(tmp_path) == []
    for one in every:
        for language in LANGUAGES[1:]:
            text = one.po(language).read_text(encoding="utf-8")
            assert "#, fuzzy" not in text.splitlines()
            assert text.count('msgstr ""') == 1  # the header's
            assert len(template_of(one)) > 30
