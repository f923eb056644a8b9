"""What a browser makes of a report: on a phone and a desk, in light and dark, by keyboard and on
paper. Nothing is asked of any other host."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.class_report.data.reading import read_class
from grader.class_report.html.page import rendered as class_page
from grader.class_report.report import class_report
from grader.grade.evidence import Weights
from grader.report.html.page import fragment, rendered
from grader.text.language import ENGLISH, LANGUAGES, use_language
from tests.support.browser import DESKTOP, PHONE, opened, page, problems
from tests.support.made_class import write_class
from tests.support.pages import HINTS, everything
from tests.unit.class_report.test_sections import MANY
from tests.unit.class_report.test_sections import report as report_on_a_class
from tests.unit.report.test_sinks import NASTY, hostile_report
from tests.unit.samples import RUBRIC

WIDTHS = pytest.mark.parametrize("width", [PHONE, DESKTOP], ids=["phone", "desktop"])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
RIGHT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title>
<style>html{color-scheme:light dark}</style></head>
<body><header><h1>One</h1></header><nav aria-label="n"><a href="#m">to it</a></nav>
<main id="m"><h2>Two</h2>BODY</main></body></html>"""
WRONG = {
    "wide": ("<div style='width:3000px'>x</div>", "the page scrolls sideways"),
    "clipped": (
        "<div style='overflow:clip'><div style='width:3000px'>x</div></div>",
        "out of sight: <div style=",
    ),
    "request": (
        "<img alt='x' src='http://127.0.0.1:9/x.png'>",
        "asks for http://127.0.0.1:9/x.png",
    ),
    "style": ("<style>@import url(http://127.0.0.1:9/a.css)</style>", "asks for http://127.0.0.1"),
    "console": ("<script>console.error('x')</script>", "error: x"),
    "warning": ("<script>console.warn('x')</script>", "warning: x"),
    "exception": ("<script>throw new Error('x')</script>", "error: x"),
    "two h1": ("<h1>x</h1>", "not one h1"),
    "level": ("<h4>x</h4>", "a level is left out before H4 x"),
    "empty heading": ("<h3></h3>", "an empty heading"),
    "caption": ("<table><tr><th scope='col'>x</th></tr></table>", "a table without a caption"),
    "scope": ("<table><caption>c</caption><tr><th>x</th></tr></table>", "without a scope"),
    "heads": ("<table><caption>c</caption><tr><td>x</td></tr></table>", "a table without heads"),
    "svg": ("<svg></svg>", "an svg that is no picture"),
    "label": ("<svg role='img'></svg>", "a picture without words"),
    "sign": ("<span role='img'>x</span>", "a sign without words"),
    "name": ("<section></section>", "no name: SECTION"),
    "ids": ("<p id='m'>x</p>", "an id twice"),
    "away": ("<a href='http://127.0.0.1:9/'>x</a>", "a link away: http://127.0.0.1:9/"),
    "nowhere": ("<a href='#x'>x</a>", "a link to nowhere: #x"),
    "contrast": ("<p style='color:#999;background:#fff'>x</p>", "hard to read, 2.85: <p style="),
    "folded": ("<details><summary>s</summary><h6>x</h6></details>", "before H6 x"),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("page"), rendered(everything()))


def written(folder: Path, text: str) -> Path:
    file = folder / "report.html"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", WRONG)
def test_what_is_looked_for_is_found(browser: Any, tmp_path: Path, name: str) -> None:
    """The positive control: a page that is right but for one thing."""
    body, problem = WRONG[name]
    found = problems(browser, written(tmp_path, RIGHT.replace("BODY", body)), PHONE, "light")

    assert [line for line in found if problem in line]


def test_a_right_page_has_no_problems(browser: Any, tmp_path: Path) -> None:
    assert problems(browser, written(tmp_path, RIGHT.replace("BODY", "x")), PHONE, "light") == []


@WIDTHS
@SCHEMES
def test_a_report_has_no_problems(browser: Any, report: Path, width: int, scheme: str) -> None:
    assert problems(browser, report, width, scheme) == []


def test_hints_unfold_by_keyboard_one_at_a_time(browser: Any, report: Path) -> None:
    with page(browser, report, DESKTOP, "light") as (open_, said):
        hints = [open_.locator(".first .hint > p").nth(number) for number in range(len(HINTS))]
        assert [hint.is_visible() for hint in hints] == [False, False, False]
        for number, hint in enumerate(hints, 1):
            for _ in range(60):
                open_.keyboard.press("Tab")
                if open_.evaluate("document.activeElement.textContent").startswith(
                    f"Hint {number}"
                ):
                    break
            open_.keyboard.press("Enter")
            assert hint.is_visible()
        assert open_.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert said == []


def test_the_skip_link_and_the_list_lead_to_an_exercise(browser: Any, report: Path) -> None:
    with page(browser, report, PHONE, "light") as (open_, _):
        open_.keyboard.press("Tab")
        open_.keyboard.press("Enter")
        assert open_.evaluate("document.activeElement.tagName") == "MAIN"
        open_.locator("nav a", has_text="s2.mean").click()
        assert open_.evaluate("document.activeElement.id") == "s2-mean"


def test_on_paper_hints_are_open_and_all_is_light(browser: Any, report: Path) -> None:
    seen = "document.querySelector('.first .hint .hint .hint > p').checkVisibility()"
    ink = "getComputedStyle(document.querySelector('.grader-report')).color"
    with page(browser, report, DESKTOP, "dark") as (open_, _):
        on_screen = open_.evaluate(seen), open_.evaluate(ink)
        open_.emulate_media(media="print", color_scheme="dark")
        on_paper = open_.evaluate(seen), open_.evaluate(ink)
        assert on_screen == (False, "rgb(230, 233, 239)")
        assert on_paper == (True, "rgb(27, 33, 48)")


@WIDTHS
def test_what_a_student_wrote_does_nothing(browser: Any, tmp_path: Path, width: int) -> None:
    """All of it at once, at every place where a student's text can stand."""
    file = written(tmp_path, rendered(hostile_report(" ".join(NASTY))))
    with page(browser, file, width, "light") as (open_, said):
        tags = open_.evaluate(
            "[...new Set([...document.querySelectorAll('*')].map(e => e.tagName))]"
        )
        assert said == []
        assert {"SCRIPT", "IMG", "TESTSUITES"} & set(tags) == set()
        assert open_.evaluate("document.body.innerText").count("<script>alert(1)</script>") > 3
    assert problems(browser, file, width, "light") == []


JUPYTER = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>t</title><style>
body {background: GROUND} header, nav, p, h2 {color: INK; font-size: 13px}</style></head>
<body data-jp-theme-light="LIGHT"><header><h1>x</h1></header><nav>n</nav><main>
<h2 id="own">theirs</h2><p id="theirs">theirs</p>FRAGMENTFRAGMENT</main></body></html>"""


@WIDTHS
@pytest.mark.parametrize("light", ["true", "false"])
def test_a_fragment_fits_into_a_notebook_twice(
    browser: Any, tmp_path: Path, width: int, light: str
) -> None:
    """In the notebook's theme, whatever the system's; and its style touches nothing outside."""
    ground, ink = ("#fff", "#111") if light == "true" else ("#111", "#fff")
    outside = JUPYTER.replace("LIGHT", light).replace("GROUND", ground).replace("INK", ink)
    file = written(tmp_path, outside.replace("FRAGMENT", fragment(everything())))
    bare = tmp_path / "bare.html"
    bare.write_text(outside.replace("FRAGMENT", ""), encoding="utf-8")
    system = "dark" if light == "true" else "light"
    styles = (
        "[document.body, ...document.querySelectorAll('#own, #theirs')].map(e => "
        "[...getComputedStyle(e)].filter(n => !/size|height|width|origin|inset/.test(n))"
        ".map(n => n + getComputedStyle(e).getPropertyValue(n)).join())"
    )
    with page(browser, file, width, system) as (open_, said):
        own = open_.evaluate("getComputedStyle(document.querySelector('.grader-report')).color")
        with_it = open_.evaluate(styles)
        assert said == []
    with page(browser, bare, width, system) as (open_, _):
        assert open_.evaluate(styles) == with_it
    assert own == ("rgb(27, 33, 48)" if light == "true" else "rgb(230, 233, 239)")
    assert problems(browser, file, width, system) == []


@SCHEMES
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_class_can_be_read_by_everybody(
    browser: Any, tmp_path: Path, scheme: str, language: str
) -> None:
    """With pictures on its cards, and everything in the language that it says it is in."""
    folder = write_class(tmp_path / "class", MANY, RUBRIC)
    drawn = {"add.minus": Weights(((0.25, 0.75),), ((0.5, 0.5),), ("query", "key"))}
    use_language(language)
    try:
        data = read_class(folder, RUBRIC)
        report = class_report(
            data, lambda _: ("why", "a + b"), data, earlier=[data], picture=lambda id, _: drawn[id]
        )
        file = written(tmp_path, class_page(report))
    finally:
        use_language(ENGLISH)
    assert problems(browser, file, PHONE, scheme) == []
    assert f'<html lang="{language}">' in file.read_text(encoding="utf-8")


def test_a_number_opens_the_list_of_its_students_without_a_script(
    browser: Any, tmp_path: Path
) -> None:
    file = written(tmp_path, class_page(report_on_a_class(tmp_path)))
    context = browser.new_context(java_script_enabled=False)
    opened_ = context.new_page()
    opened_.goto(file.resolve().as_uri())
    opened_.get_by_role("row", name="handed in nothing").get_by_role("link").click()
    assert opened_.locator(".people:target").inner_text().endswith("student-999")
    opened_.locator(".people:target .close").click()
    assert opened_.locator(".people:target").count() == 0
    context.close()
