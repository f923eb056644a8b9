"""The Markdown report renders on GitHub as it was meant, whatever a student wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from grader.grade.evidence import Cause, Note, Observation, Outcome, Where
from grader.report.content import Graded, report_on
from grader.report.markdown import LIMIT_BYTES, rendered
from tests.unit.samples import RUBRIC, SampleResult, observations, submission

FENCE = "````"
HOSTILE = (
    "<script>alert(1)</script></details><img src=x onerror=y>\n"
    f"{FENCE}\n# Full points\n```\n~~~\n| a | b |\n| --- | --- |\n::error::x\n##[group]x @someone"
)


class Page(HTMLParser):
    """The HTML that GitHub's own parser makes of a report, with raw HTML let through."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        html = cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE)
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append(tag)
        self.texts.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts[tag][-1] += data

    @property
    def is_closed(self) -> bool:
        return not self._open


def markdown(graded: Graded) -> str:
    return rendered(report_on(graded, RUBRIC))


MIXED = SampleResult(
    observations=(
        Observation("s1.add/shapes/test_shape", "The shape is kept.", Outcome.PASSED),
        Observation(
            "s1.add/outputs/test_sum",
            "The sum of `a` and *b* is right for a < 2.",
            Outcome.FAILED,
            "differs by up to 0.31\nat [0, 2, 5]",
            "the reference's values",
            Cause("add.minus", "The second number is subtracted.", 2, 2),
            Where("s1_sums.py", 41),
        ),
        Observation("s1.add/outputs/test_long", "Long sums end.", Outcome.TIMED_OUT, "2 s"),
        Observation("s2.mean/outputs/test_mean", "The mean.", Outcome.NOT_ATTEMPTED),
    ),
    loading=(Note("note", "Defined twice; the last one counts.", Where("s1_sums.py", 60)),),
)


def test_a_report_in_full() -> None:
    assert markdown(MIXED) == (
        "## sums: 1 / 6.5 points\n"
        "\n"
        "**Next:** `open s1_sums.py:41 (s1.add, outputs)`\n"
        "\n"
        "| Exercise | Points | To mend |\n"
        "| --- | --: | --- |\n"
        "| `s1.add` | 1 / 3.5 | outputs |\n"
        "| `s2.mean` | 0 / 3 | not attempted |\n"
        "\n"
        "### `s1.add`: 1 / 3.5 points\n"
        "\n"
        "| Criterion | Points | Checks passed |\n"
        "| --- | --: | --- |\n"
        "| ✓ shapes | 1 / 1 | 1 of 1 |\n"
        "| ✗ outputs | 0 / 2.5 | 0 of 2 |\n"
        "\n"
        "**First:** ✗ The sum of \\`a\\` and \\*b\\* is right for a &lt; 2. *(outputs)*\n"
        "\n"
        "<pre>\n"
        "observed      differs by up to 0.31\n"
        "              at [0, 2, 5]\n"
        "expected      the reference's values\n"
        "likely cause  The second number is subtracted. (gives your numbers on 2 of 2 probes)\n"
        "where         s1_sums.py:41\n"
        "</pre>\n"
        "\n"
        "<details>\n"
        "<summary>1 more check in outputs</summary>\n"
        "\n"
        "- ✗ Long sums end. *(outputs, took too long)*\n"
        "\n"
        "  <pre>\n"
        "  observed  2 s\n"
        "  </pre>\n"
        "\n"
        "</details>\n"
        "\n"
        "### Notes\n"
        "\n"
        "<pre>\n"
        "note: s1_sums.py:60 Defined twice; the last one counts.\n"
        "</pre>\n"
        "\n"
        f"Submission `student-001`, digest `{submission().digest[:12]}`, isolation `partial`.\n"
    )


def test_github_makes_tables_headings_and_a_fold_of_it() -> None:
    page = Page(markdown(MIXED))

    assert page.tags.count("table") == 2
    assert page.texts["td"][:3] == ["s1.add", "1 / 3.5", "outputs"]
    assert [page.texts[tag] for tag in ("h2", "h3")] == [
        ["sums: 1 / 6.5 points"],
        ["s1.add: 1 / 3.5 points", "Notes"],
    ]
    assert page.texts["summary"] == ["1 more check in outputs"]
    assert "Long sums end." in page.texts["details"][0]
    assert page.texts["pre"][1] == "\nobserved  2 s\n"
    assert any("The sum of `a` and *b* is right for a < 2." in text for text in page.texts["p"])
    assert page.is_closed


def hostile(text: str = HOSTILE) -> SampleResult:
    checks = (
        *observations(Outcome.FAILED),
        *(Observation(f"s1.add/outputs/test_{n}", "", Outcome.FAILED) for n in range(2)),
    )
    return SampleResult(
        submission=submission(id=text),
        observations=tuple(
            Observation(
                seen.check,
                "Title.",
                Outcome.FAILED,
                f"{n}{text}",
                text,
                Cause("x", text, 1, 1),
                Where(text, 3),
                (text,),
            )
            for n, seen in enumerate(checks)
        ),
        loading=(Note("problem", text, Where(text, 4)), Note("note", text)),
        tier=text,
    )


def test_nothing_of_a_students_text_becomes_html_or_markdown() -> None:
    text = markdown(hostile())
    page, tame = Page(text), Page(markdown(hostile("tame")))

    assert page.tags == tame.tags
    assert {"script", "img"}.isdisjoint(page.tags)
    assert page.is_closed
    assert "# Full points" in page.texts["pre"][1]
    assert "<script>alert(1)</script></details>" in page.texts["pre"][1]
    assert re.search(r"^\s*::|##\[", text, re.MULTILINE) is None


def test_raw_html_would_be_seen() -> None:
    """The positive control of the test above."""
    assert "img" in Page("<img src=x>").tags


@pytest.mark.parametrize("text", ["`", "``", "a`b``c", "` `", "a|b", "\\", ""], ids=repr)
def test_a_code_span_holds_any_text(text: str) -> None:
    page = Page(markdown(SampleResult(submission=submission(id=text))))

    assert page.texts["code"][-3].strip() == text.strip()


WORDS = "a\n```\n~~~\n<b>bold</b> & <img src=x onerror=y>\n[x](javascript:y) ![y](http://z)\n</pre>"


def test_a_block_shows_any_text_as_it_is() -> None:
    failed = observations(Outcome.FAILED, observed=WORDS)

    page = Page(markdown(SampleResult(observations=failed)))

    shown = WORDS.replace("\n", "\n          ")
    assert page.texts["pre"][0] == f"\nobserved  {shown}\n"
    assert {"b", "img", "a"}.isdisjoint(page.tags)


def test_the_text_itself_holds_no_markup_for_other_readers() -> None:
    """Of Markdown there are many, and what is in `<details>` some hand on as it is."""
    text = markdown(SampleResult(observations=observations(Outcome.FAILED, observed=WORDS)))

    assert {tag for tag, _ in re.findall(r"</?(\w+)([^>]*)>", text)} <= {
        "pre",
        "details",
        "summary",
    }
    assert not [mark for mark in ("](", "```", "~~~", "<img", "<b>") if mark in text]


def test_too_much_is_left_out_before_it_is_too_large() -> None:
    many = tuple(
        Observation(
            f"s1.add/outputs/test_{n}",
            f"Check {n}.",
            Outcome.FAILED,
            f"{n}" + "각" * 3000,
            "각" * 3000,
        )
        for n in range(1000)
    )
    notes = tuple(Note("note", f"{n}" + "각" * 3000) for n in range(1000))
    graded = SampleResult(observations=many, loading=notes)

    text = markdown(graded)

    assert len(text.encode()) < LIMIT_BYTES
    assert "**First:** ✗ Check 0." in text
    assert "<details>" not in text
    assert "and 950 more" in text
    few = markdown(replace(graded, observations=many[:50]))
    assert "<details>" in few


def test_what_could_not_be_checked_is_said_and_is_no_zero() -> None:
    text = markdown(SampleResult(observations=observations(Outcome.COULD_NOT_CHECK)))

    assert "6.5 points could not be checked: not your mistake." in text
    assert "| `s1.add` | ? / 3.5 | shapes, outputs |" in text


def test_full_points_are_short() -> None:
    assert markdown(SampleResult()).split("\n\n")[:3] == [
        "## sums: 6.5 / 6.5 points",
        "Every check passed.",
        "| Exercise | Points | To mend |\n"
        "| --- | --: | --- |\n"
        "| `s1.add` | 3.5 / 3.5 |  |\n"
        "| `s2.mean` | 3 / 3 |  |",
    ]
