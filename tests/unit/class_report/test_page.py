"""What anybody who reads the page with a keyboard, a screen reader or without scripts relies on."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from grader.class_report.html.page import rendered
from grader.text.language import ENGLISH, use_language
from tests.support.made_class import Made
from tests.unit.class_report.test_sections import MANY, report

HOSTILE = tuple(
    Made(f"student-</script><b>{n}", "pffp", {}, {1: "x", 2: "y"}, observed="<script>alert(1)")
    for n in range(2)
)
VOID = ("meta", "line", "rect", "path", "circle", "br", "input")


class Outline(HTMLParser):
    """The parts of a page that its structure is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.levels: list[int] = []
        self.tables: Counter[str] = Counter()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.addresses: list[str] = []
        self.pictures_without_words = 0
        self.heads_without_scope = 0
        self.scripts = 0
        self.language = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        self.tables[tag] += tag in ("table", "caption")
        link = values.get("href") or ""
        self.ids += [values["id"] or ""] if "id" in values else []
        self.targets += [link[1:]] if link.startswith("#") else []
        self.addresses += [str(v) for k, v in attrs if k in ("src", "href") and str(v)[:1] != "#"]
        self.pictures_without_words += tag == "svg" and not (
            values.get("aria-label") or values.get("aria-hidden") == "true"
        )
        self.heads_without_scope += tag == "th" and "scope" not in values
        self.scripts += tag == "script"
        self.language = values.get("lang", "") or "" if tag == "html" else self.language

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("class")
    tries = [Made("student-001", "pfpp", inputs=f"{n}" * 64) for n in range(4)]
    return rendered(report(folder, (*MANY, *HOSTILE, *tries), MANY))


def test_headings_leave_out_no_level(page: str) -> None:
    levels = Outline(page).levels
    assert levels.count(1) == 1
    assert all(later <= one + 1 for one, later in pairwise(levels))


def test_every_element_is_closed_where_it_was_opened(page: str) -> None:
    assert Outline(page).open == []


def test_tables_have_captions_and_heads_with_scope(page: str) -> None:
    outline = Outline(page)
    assert outline.tables["table"] == outline.tables["caption"] > 15
    assert outline.heads_without_scope == 0


def test_pictures_have_words(page: str) -> None:
    assert "<svg" in page
    assert Outline(page).pictures_without_words == 0


def test_every_link_leads_to_a_place_on_the_page(page: str) -> None:
    outline = Outline(page)
    assert len(set(outline.ids)) == len(outline.ids)
    assert {*outline.targets} <= {*outline.ids}
    assert outline.addresses == []


def test_its_one_script_is_the_one_that_the_policy_allows(page: str) -> None:
    script = page.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in page
    assert Outline(page).scripts == 1


def test_what_students_wrote_is_only_text(page: str) -> None:
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "student-&lt;/script&gt;" in page


def test_it_is_in_the_language_of_the_reader(tmp_path: Path) -> None:
    use_language("ko")
    try:
        page = rendered(report(tmp_path))
    finally:
        use_language(ENGLISH)
    assert Outline(page).language == "ko"
    assert "이 학급이 이해하지 못한 것" in page


def test_the_same_class_gives_the_same_page(tmp_path: Path) -> None:
    # Times of grading are only shown as hours between tries.
    assert rendered(report(tmp_path / "a")) == rendered(report(tmp_path / "b"))


def test_a_long_list_of_students_is_cut_and_says_so(tmp_path: Path) -> None:
    page = rendered(report(tmp_path, tuple(Made(f"student-{n}", "pppp") for n in range(70))))
    assert "and 10 more: the CSV file of the table has all" in page
