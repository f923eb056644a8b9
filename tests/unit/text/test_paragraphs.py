"""A text is translated paragraph by paragraph; formulas, examples and the look of it stay."""

from __future__ import annotations

import pytest

from grader.text.paragraphs import translated_text
from grader.text.text_width import MAX_COLUMNS, columns, wrapped

LONG = " ".join(["가나다라"] * 30)


def heard(text: str, *, strict: bool = False) -> list[str]:
    """The paragraphs that somebody is asked to translate."""
    found: list[str] = []

    def note(paragraph: str) -> str:
        found.append(paragraph)
        return paragraph

    assert translated_text(text, note, strict=strict) == text
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("One line.\n", ["One line."], id="line"),
        pytest.param("Two\nlines.\n\nAnd more.", ["Two lines.", "And more."], id="paragraphs"),
        pytest.param("## A `b` heading\nText.", ["A `b` heading", "Text."], id="heading"),
        pytest.param("1. One\n   thing.\n2. Two.", ["One thing.", "Two."], id="items"),
        pytest.param("Text.\n- One.\n- Two.", ["Text.", "One.", "Two."], id="list"),
        pytest.param(
            "Shapes\n    x    (B, T), any\n         numbers\n    y_2  (T,)\n",
            ["Shapes", "(B, T), any numbers"],
            id="table",
        ),
        pytest.param(
            "    the words  (B, T)       first of all\n    x          (T, T)\n",
            ["the words", "first of all"],
            id="table of three columns",
        ),
        pytest.param(
            "    1. rows  Of it,\n             all.\n", ["Of it, all."], id="item with name"
        ),
        pytest.param("    y = softmax(x) / √Dh\n", [], id="formula"),
        pytest.param("    y = softmax(x, over all keys)\n", ["y = softmax(x, over all keys)"]),
        pytest.param(
            "It is:\n\n    >>> f(x)\n    all of it\n\nAnd so.", ["It is:", "And so."], id="example"
        ),
        pytest.param("```\nall of it\n```\nAnd so.", ["And so."], id="fence"),
        pytest.param("<!-- answer: a.b -->\nWrite here.", ["Write here."], id="mark"),
        pytest.param("See:\n| a | row |\n| of it | 3 |", ["See:", "row", "of it"], id="rows"),
        pytest.param(
            "| Shapes | |\n| :--- | :--- |\n| `x` | (B, T), any |",
            ["Shapes", "(B, T), any"],
            id="table with a head",
        ),
        pytest.param("$$\n\\mathrm{all of it}\n$$\nAnd so.", ["And so."], id="equation"),
        pytest.param("| $a \\cdot b$ | `x` |", [], id="cells without words"),
        pytest.param("> To write here: all.", ["To write here: all."], id="quote"),
        pytest.param("`only code`", [], id="code"),
        pytest.param("(B, Dh) W_q x", [], id="symbols"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_what_is_prose(text: str, wanted: list[str]) -> None:
    assert heard(text) == wanted


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [
        ("B H T T", []),
        ("tensor([[True, False]])", []),
        ("True", []),
        ("dot_product_loop", []),
        ("Take this away.", ["Take this away."]),
    ],
)
def test_a_comment_is_prose_where_two_words_stand_side_by_side(
    comment: str, wanted: list[str]
) -> None:
    assert heard(comment, strict=True) == wanted


def test_a_translation_stands_where_the_paragraph_stood() -> None:
    english = "1. One thing.\n\n    x  a number\n\n    y = 2 x\n"

    assert translated_text(english, lambda text: LONG[:19]) == (
        "1. 가나다라 가나다라 가나다라 가나다라\n\n"
        "    x  가나다라 가나다라 가나다라 가나다라\n\n    y = 2 x\n"
    )


def test_the_columns_of_a_table_stay_below_each_other() -> None:
    words = {"the heads": "헤드들", "in front": "앞에", "as before": "앞과 같음"}
    english = "    the heads  (B, H)    in front\n    x          (B, T)    as before\n"

    assert translated_text(english, lambda text: words[text]) == (
        "    헤드들     (B, H)    앞에\n    x          (B, T)    앞과 같음\n"
    )


def test_a_name_that_grew_keeps_a_gap() -> None:
    assert translated_text("    a b  (T, T)  of it", lambda text: "가나다라마") == (
        "    a b  (T, T)  가나다라마"
    )
    assert translated_text("    it is  (T, T)", lambda text: "가나다라마") == (
        "    가나다라마  (T, T)"
    )


def test_lines_are_wrapped_by_their_width_on_a_screen() -> None:
    lines = list(wrapped(LONG, "    x  ", margin=4))

    assert len(lines) == 3
    assert all(columns(line) <= MAX_COLUMNS - 4 for line in lines)
    assert [len(line) - len(line.lstrip()) for line in lines] == [4, 7, 7]
    assert " ".join(line.split("x  ")[-1].strip() for line in lines) == LONG


@pytest.mark.parametrize("kept", ["`one two three`", "(B, T, Dh)", "`a b`는"])
def test_code_and_shapes_are_not_cut_at_the_end_of_a_line(kept: str) -> None:
    lines = list(wrapped(f"{'가' * 47} {kept} 나", ""))

    assert lines == ["가" * 47, f"{kept} 나"]
