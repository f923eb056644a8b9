"""Nothing that a student wrote does anything in any place where a report is read."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import cmarkgfm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from grader.batch.cells import BYTE_ORDER_MARK, safe_cell
from grader.batch.gradebook import Row, gradebook, row_of
from grader.batch.summary import Summary
from grader.cli.commands.batch import _print_overview, _print_summary
from grader.grade.evidence import Note, Observation, Outcome, Where
from grader.report import json as json_report
from grader.report import junit, markdown
from grader.report.cleaning import refusal
from grader.report.content import Report, report_on
from grader.report.html import page as html
from grader.report.terminal import render
from grader.wire.isolation_record import IsolationRecord
from tests.support.pages import everything
from tests.support.workflow import commands
from tests.unit.samples import CHECKS, FILES, RUBRIC, SampleResult, submission

NASTY = [
    "\x1b[2J", "\x1b]8;;http://evil\x07click\x1b]8;;\x07", "\x1b]52;c;eA==\x07", "\x1b]0;t\x1b\\",
    "\x9b31m", "\x90q\x9c", "\x07", "\x08\x08\x08", "\r", "\n", "\x0b", "\x0c", "\x85", "\u2028",
    "\u2029", "\u202e", "\u2066", "\u200b", "\ufeff", "\ud800", "\udfff", "\ufffe", "\uffff",
    "\x00", "\ue000", "::error::x", "\n::set-env name=A::x", "::add-mask::a", "##[error]x",
    "##vso[task.x]y", "::stop-commands::z", "]]>", "<![CDATA[", "<!--", "-->", "</testsuites>",
    "&amp;", "<script>alert(1)</script>", "<img src=x>", "```", "`", "~~~", "|", "\\",
    "[a](javascript:x)", "![a](http://evil/x)", "@everyone", "#1", "</details>", "=1+1", "+1",
    "-1", "@SUM(A1)", "\t=1", ";=1", '";=1', "\uff1d1", "'", '"', ",", "=cmd|' /C calc'!A0",
    "[red]", "[/]", ":smile:", "  ", "a", "x = 1", "가나다",
]  # fmt: skip
hostile = st.lists(st.sampled_from(NASTY) | st.text(max_size=3), min_size=1, max_size=6).map(
    "".join
)
CONTROL = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
"""What no sink may hold; a line feed is looked at apart."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
EXAMPLES = int(os.environ.get("GRADER_FUZZ_EXAMPLES", "40"))
fuzzed = settings(max_examples=EXAMPLES, deadline=None)


def hostile_report(text: str, outcome: Outcome = Outcome.FAILED) -> Report:
    """A report in which everything that a student can choose is `text`."""
    where = Where(text, 3, 2)
    seen = tuple(
        Observation(check, "Title.", outcome, text, text, where=where, notes=(text,))
        for check in CHECKS
    )
    notes = (Note("problem", text, where), Note("note", text, where))
    work = submission(text, FILES, path=f"class/{text}".replace("\0", ""))
    found = SampleResult(work, seen, notes, isolation=IsolationRecord("none", reason=text))
    return report_on(found, RUBRIC)


def screen(report: Report, *, colour: bool) -> str:
    page = io.StringIO()
    console = Console(
        file=page,
        width=70,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        highlight=False,
    )
    render(report, console, Path("/"))
    return page.getvalue()


def is_harmless(text: str) -> bool:
    return CONTROL.search(text) is None and commands(text) == []


def test_the_search_finds_what_it_looks_for() -> None:
    """The positive control: each of these, unclean, is found by one of the searches."""
    missed = [bad for bad in NASTY[:31] if is_harmless(f"{bad}")]
    # Harmless alone, or of another system than the one whose rules `commands` knows.
    others = ["##vso[task.x]y", "::stop-commands::z"]
    assert missed == ["\n", "\ufffe", "\uffff", "\ue000", *others]


@fuzzed
@given(text=hostile)
def test_a_terminal_shows_text(text: str) -> None:
    report = hostile_report(text)
    assert is_harmless(screen(report, colour=False))
    coloured = screen(report, colour=True)
    assert is_harmless(COLOUR.sub("", coloured))


@fuzzed
@given(text=hostile, outcome=st.sampled_from(list(Outcome)))
def test_junit_is_xml_of_a_known_shape(text: str, outcome: Outcome) -> None:
    found = junit.rendered(hostile_report(text, outcome))
    assert is_harmless(found)
    names = {element.tag for element in ElementTree.fromstring(found).iter()}
    assert names <= {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error",
        "skipped", "system-out",
    }  # fmt: skip
    assert "]]>" not in found


@fuzzed
@given(text=hostile)
def test_markdown_renders_to_our_own_elements(text: str) -> None:
    found = markdown.rendered(hostile_report(text))
    assert is_harmless(found)
    seen = Tags()
    # unsafe: what GitHub would strip is what must not be there in the first place
    seen.feed(
        cmarkgfm.github_flavored_markdown_to_html(found, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE)
    )
    assert seen.found <= {
        "h2", "h3", "p", "strong", "em", "code", "pre", "table", "thead", "tbody", "tr", "th", "td",
        "ul", "li", "details", "summary",
    }  # fmt: skip
    assert seen.found_details == markdown.rendered(hostile_report("a")).count("<details>")


@fuzzed
@given(text=hostile, outcome=st.sampled_from(list(Outcome)))
@pytest.mark.parametrize("draw", [html.rendered, html.fragment])
def test_a_page_has_our_own_elements(
    draw: Callable[[Report], str], text: str, outcome: Outcome
) -> None:
    """Tags and the names of attributes do not depend on what a student wrote."""
    found, ours = Tags(), Tags()
    page = draw(hostile_report(text, outcome))
    found.feed(page)
    ours.feed(draw(everything()))
    assert is_harmless(page)
    assert found.found <= ours.found
    assert found.attributes <= ours.attributes
    assert page.count("</div>") == page.count("<div")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.found_details = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}
        self.found_details += tag == "details"


@fuzzed
@given(text=hostile)
def test_json_holds_printable_text_only(text: str) -> None:
    found = json_report.rendered(hostile_report(text))
    assert is_harmless(found)
    for value in strings(json.loads(found)):
        assert CONTROL.search(value) is None


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


@fuzzed
@given(text=hostile, separator=st.sampled_from([",", ";", "\t"]))
def test_no_cell_of_a_gradebook_is_a_formula(text: str, separator: str) -> None:
    rows = [
        row_of(json_report.as_dict(hostile_report(text), for_staff=True)),
        Row(text, problem=text),
    ]
    found = gradebook(rows, RUBRIC)
    assert CONTROL.search(found.removeprefix(BYTE_ORDER_MARK)) is None
    assert found.count("\n") == 3
    for cells in csv.reader(found.splitlines()[1:], delimiter=separator, quoting=csv.QUOTE_MINIMAL):
        for cell in cells:
            assert not cell.lstrip(' "').startswith(tuple("=+-@|%＝＋－＠−")), cell


def test_a_number_stays_a_number() -> None:
    assert [safe_cell(text) for text in ("student-001", "a; b", "3.5")] == [
        "student-001", "a; b", "3.5",
    ]  # fmt: skip


@fuzzed
@given(text=hostile)
def test_an_error_on_the_command_line_is_text(text: str) -> None:
    assert is_harmless(refusal(f"{text}: no such file.\n  {text} is a link\n{text}"))


@pytest.mark.parametrize("text", NASTY)
def test_a_batch_prints_text(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    summary = Summary(
        (
            Row(text, problem=text),
            row_of(json_report.as_dict(hostile_report(text), for_staff=True)),
        ),
        0,
    )
    _print_overview(summary, RUBRIC, ())
    _print_summary(summary, "all points")
    assert is_harmless(COLOUR.sub("", capsys.readouterr().out))
