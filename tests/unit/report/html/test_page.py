"""A report as one file: what stands in it, and that it needs and carries out nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

from grader.grade.evidence import Outcome
from grader.report.content import report_on
from grader.report.html.page import fragment, rendered
from grader.report.html.style import marked_up
from grader.text.language import use_language
from tests.support.pages import HINTS, everything
from tests.unit.samples import RUBRIC, SampleResult, observations

VOID = {"meta", "rect", "circle", "path"}


class Page(HTMLParser):
    """Tags in order, what stands in each, and whether all are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.attributes: list[tuple[str, str, str | None]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def words(self, tag: str) -> list[str]:
        return [" ".join(text.split()) for text in self.texts.get(tag, [])]


def test_what_stands_in_it_in_order() -> None:
    page = Page(rendered(everything()))

    assert page.open == []
    assert page.words("h1") == ["sums student-001"]
    assert page.words("h2") == ["Problems", "s1.add 1 / 3.5", "s2.mean 0 / 3", "Notes"]
    assert page.words("h3")[:2] == [
        "✗ The sum of a and b is right for a < 2. (outputs)",
        "Your code",
    ]
    assert page.words("mark") == ["def add(a, b):", "return a - b", "value = <b>1</b>"]
    assert [line for line in page.words("summary") if line.startswith("Hint")] == [
        "Hint 1 of 3: a nudge",
        "Hint 2 of 3: the idea",
        "Hint 3 of 3: nearly the answer",
    ] * 2
    for hint in ("Look at add.", "It adds.", HINTS[2]):
        assert hint in page.words("p")


def test_nothing_is_loaded_linked_or_run() -> None:
    text = rendered(everything())
    page = Page(text)

    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(page.tags)
    assert re.findall(r"https?:|//|url\(|@import|@font-face|javascript:", text) == []
    names = {name for _, name, _ in page.attributes}
    assert [name for name in names if name.startswith("on") or name == "style"] == []
    links = {value for _, name, value in page.attributes if name == "href"}
    assert links == {"#exercises", "#s1-add", "#s2-mean"}


def test_the_policy_allows_this_style_and_nothing_else() -> None:
    page = Page(rendered(everything()))
    (style,) = page.texts["style"]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    (policy,) = [v for t, n, v in page.attributes if t == "meta" and v and "default-src" in v]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_the_style_is_for_a_report_and_for_nothing_around_it() -> None:
    (style,) = Page(fragment(everything())).texts["style"]
    rules = re.sub(r"/\*.*?\*/|@media[^{]*", "", style, flags=re.DOTALL)
    selectors = [found.strip() for found in re.findall(r"([^{}]+)\{", rules) if found.strip()]

    assert len(selectors) > 100
    assert [one for one in selectors if ".grader-report" not in one] == []


def test_a_fragment_is_one_element_without_landmarks() -> None:
    text = fragment(everything())
    page = Page(text)

    assert text.startswith('<div class="grader-report">')
    assert text.rstrip().endswith("</div>")
    assert not {"html", "body", "h1", "h2", "header", "main", "nav", "footer"} & set(page.tags)
    assert [value for _, name, value in page.attributes if name in ("id", "href")] == []
    assert page.words("h3") == ["sums student-001"]


def test_the_same_report_gives_the_same_page() -> None:
    report = everything()
    again = replace(report, duration_ms=99.0)

    assert rendered(report) == rendered(again)
    assert fragment(report) == fragment(again)


def test_signs_say_in_words_what_they_mean() -> None:
    page = Page(rendered(everything()))
    said = {value for tag, name, value in page.attributes if (tag, name) == ("span", "aria-label")}

    assert said == {"passed", "failed", "waits"}


def test_the_page_says_its_language() -> None:
    use_language("ko")
    try:
        korean = rendered(everything())
    finally:
        use_language("en")

    assert '<html lang="ko">' in korean
    assert '<html lang="en">' in rendered(everything())


def test_without_hints_there_are_none() -> None:
    page = Page(rendered(replace(everything(), explanations=None)))

    assert [line for line in page.words("summary") if line.startswith("Hint")] == []


def test_a_right_submission_has_a_short_page() -> None:
    page = Page(rendered(report_on(SampleResult(), RUBRIC)))

    assert page.words("h2") == []
    assert "Next nothing to do here: every check passed." in page.words("p")


def test_what_was_not_attempted_stands_in_the_list_only() -> None:
    found = SampleResult(observations=observations(Outcome.NOT_ATTEMPTED))
    page = Page(rendered(report_on(found, RUBRIC)))

    assert page.words("h2") == []
    assert page.words("li") == ["s1.add 0 / 3.5 not attempted", "s2.mean 0 / 3 not attempted"]


def test_what_could_not_be_checked_is_nobodys_mistake() -> None:
    found = SampleResult(observations=observations(Outcome.COULD_NOT_CHECK, "broken"))
    page = Page(rendered(report_on(found, RUBRIC)))

    assert "6.5 points could not be checked: that is not your mistake." in page.words("p")
    assert [words for words in page.words("p") if words == "Mend this first"] == []


def test_emphasis_may_be_several_words_and_a_product_is_none() -> None:
    assert marked_up("True means *may attend* here.") == "True means <em>may attend</em> here."
    assert marked_up("*one* and *two*") == "<em>one</em> and <em>two</em>"
    assert marked_up("a * b * c, 2*x*y, *args") == "a * b * c, 2*x*y, *args"
