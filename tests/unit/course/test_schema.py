"""Forms: what each reads, what stands in for what is wrong, and that reading goes on after it."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import pytest

from grader.course.schema import (
    Form,
    choice,
    flag,
    listing,
    number,
    optional,
    record,
    required,
    table,
    text,
)
from grader.course.yaml_source import read_source

T = TypeVar("T")


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "dark_blue"


WORD = text("a word", "[a-z]+")
WORDS = listing(WORD, at_least_one="one word")
COLOUR = choice(Colour)
TABLE = table("a word as the key", "[a-z]+", number(), at_least_one="one number")


def point(name: str, x: Fraction, y: Fraction) -> tuple[str, Fraction, Fraction]:
    return name, x, y


POINT = record(point, x=required(number()), y=optional(number(), Fraction(7)))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(form: Form[T], content: str) -> tuple[T, list[str]]:
    """Return what a form makes of the value of `at`, and the problems."""
    path = Path("a.yaml")
    path.write_text(f"at: {content}\n", encoding="utf-8")
    source = read_source(path)
    assert source.root is not None
    entries = source.root.entries()
    assert entries is not None
    value = form(entries["at"])
    return value, [str(problem) for problem in source.problems]


@pytest.mark.parametrize(
    ("form", "content", "value"),
    [
        pytest.param(WORD, "abc", "abc", id="text"),
        pytest.param(WORD, "'abc'", "abc", id="quoted text"),
        pytest.param(text("text"), '"a\\nb"', "a\nb", id="text of two lines"),
        pytest.param(number(), "1.5", Fraction(3, 2), id="number"),
        pytest.param(number(), "'1/3'", Fraction(1, 3), id="quoted number"),
        pytest.param(flag(), "true", True, id="true"),
        pytest.param(flag(), "false", False, id="false"),
        pytest.param(COLOUR, "dark_blue", Colour.DARK_BLUE, id="choice"),
        pytest.param(COLOUR, "'red'", Colour.RED, id="quoted choice"),
        pytest.param(WORDS, "[b, a]", ("b", "a"), id="list"),
        pytest.param(listing(WORD), "[]", (), id="empty list"),
        pytest.param(TABLE, "{b: 1, a: 2}", {"b": 1, "a": 2}, id="table"),
        pytest.param(POINT, "{y: 2, x: 1}", ("at", 1, 2), id="record"),
        pytest.param(POINT, "{x: 1}", ("at", 1, 7), id="default"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_right_is_read(form: Form[Any], content: str, value: object) -> None:
    assert read(form, content) == (value, [])


@pytest.mark.parametrize(
    ("form", "content", "value", "problem"),
    [
        pytest.param(
            WORD, "ABC", "", "a.yaml:1:5  at: expected a word, got 'ABC'", id="another text"
        ),
        pytest.param(
            WORD,
            "12",
            "",
            "a.yaml:1:5  at: expected a word, got the number '12' - put it in quotes: \"12\"",
            id="no text",
        ),
        pytest.param(
            number(),
            "-1",
            Fraction(0),
            "a.yaml:1:5  at: expected a number >= 0, got '-1'",
            id="negative",
        ),
        pytest.param(
            number(),
            "{}",
            Fraction(0),
            "a.yaml:1:5  at: expected a number >= 0, got a mapping",
            id="no number",
        ),
        pytest.param(
            flag(),
            "'true'",
            True,
            "a.yaml:1:5  at: expected true or false, got 'true' - did you mean true?",
            id="a quoted flag",
        ),
        pytest.param(
            flag(), "[]", False, "a.yaml:1:5  at: expected true or false, got a list", id="no flag"
        ),
        pytest.param(
            COLOUR,
            "green",
            Colour.RED,
            "a.yaml:1:5  at: expected one of 'red', 'dark_blue', got 'green'",
            id="no such choice",
        ),
        pytest.param(
            COLOUR,
            "dark blue",
            Colour.RED,
            "a.yaml:1:5  at: expected one of 'red', 'dark_blue', got 'dark blue' "
            "- did you mean 'dark_blue'?",
            id="a misspelt choice",
        ),
        pytest.param(
            COLOUR,
            "[]",
            Colour.RED,
            "a.yaml:1:5  at: expected one of 'red', 'dark_blue', got a list",
            id="a list for a choice",
        ),
        pytest.param(
            WORDS,
            "[a, B, c]",
            ("a", "", "c"),
            "a.yaml:1:9  at[1]: expected a word, got 'B'",
            id="an element",
        ),
        pytest.param(
            WORDS, "{}", (), "a.yaml:1:5  at: expected a list, got a mapping", id="no list"
        ),
        pytest.param(
            WORDS, "[]", (), "a.yaml:1:5  at: expected one word, got an empty list", id="none"
        ),
        pytest.param(
            TABLE,
            "{a: x, b: 1}",
            {"a": 0, "b": 1},
            "a.yaml:1:9  at.a: expected a number >= 0, got 'x'",
            id="a value",
        ),
        pytest.param(
            TABLE,
            "{A: 1}",
            {"A": 1},
            "a.yaml:1:6  at.A: expected a word as the key, got 'A'",
            id="a key",
        ),
        pytest.param(TABLE, "[]", {}, "a.yaml:1:5  at: expected a mapping, got a list", id="list"),
        pytest.param(
            TABLE,
            "{[a]: 1}",
            {},
            "a.yaml:1:6  at: expected a plain word as the key",
            id="only a key that is no word",
        ),
        pytest.param(
            POINT,
            "1",
            ("at", 0, 7),
            "a.yaml:1:5  at: expected a mapping with the keys x, y, got the number '1'",
            id="no record",
        ),
        pytest.param(
            POINT, "{y: 2}", ("at", 0, 2), "a.yaml:1:1  at: missing key 'x'", id="left out"
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_wrong_is_told_once_and_something_stands_in(
    form: Form[Any], content: str, value: object, problem: str
) -> None:
    assert read(form, content) == (value, [problem])


@pytest.mark.usefixtures("folder")
def test_two_elements_with_problems_are_not_twice_the_same() -> None:
    assert read(WORDS, "[A, B]") == (
        ("", ""),
        [
            "a.yaml:1:6  at[0]: expected a word, got 'A'",
            "a.yaml:1:9  at[1]: expected a word, got 'B'",
        ],
    )


@pytest.mark.usefixtures("folder")
def test_a_misspelt_key_is_not_missing_as_well() -> None:
    width = record(lambda name, **keys: keys, width=required(number()), height=required(number()))
    assert read(width, "{widht: 1}") == (
        {"width": 0, "height": 0},
        [
            "a.yaml:1:6  at.widht: unknown key 'widht' - did you mean 'width'?",
            "a.yaml:1:1  at: missing key 'height'",
        ],
    )


@pytest.mark.parametrize(
    ("form", "value"),
    [
        pytest.param(WORD, "", id="text"),
        pytest.param(number(), Fraction(0), id="number"),
        pytest.param(flag(), False, id="flag"),
        pytest.param(COLOUR, Colour.RED, id="choice"),
        pytest.param(WORDS, (), id="list"),
        pytest.param(TABLE, {}, id="table"),
        pytest.param(POINT, ("", 0, 0), id="record"),
    ],
)
def test_what_is_not_there_has_a_stand_in(form: Form[Any], value: object) -> None:
    assert form(None) == value


def test_a_key_is_required_unless_it_has_a_default() -> None:
    assert (required(WORD).required, required(WORD).default) == (True, None)
    assert (optional(WORD, "x").required, optional(WORD, "x").default) == (False, "x")
