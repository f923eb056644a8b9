"""Reasons why an edit of the reference is no mistake: read whole, or refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.equal_edits import EqualEdit, load_equal_edits
from grader.course.misconceptions import MisconceptionError
from grader.course.paths import CoursePaths

GOOD = """
[[edit]]
definition = "t1_toy.double"
edit = "another number: 2 -> *"
why = "any number will do"

[[edit]]
definition = "t1_toy.half"
edit = "inverted: -1 -> 1"
why = "it is squared"
"""


def load(folder: Path, text: str) -> tuple[EqualEdit, ...]:
    (folder / "reference").mkdir()
    (folder / "reference/equal_edits.toml").write_text(text, encoding="utf-8")
    return load_equal_edits(CoursePaths(folder))


def test_a_course_without_the_file_has_no_reasons(tmp_path: Path) -> None:
    assert load_equal_edits(CoursePaths(tmp_path)) == ()


def test_a_star_stands_for_any_text_and_all_else_for_itself(tmp_path: Path) -> None:
    first, second = load(tmp_path, GOOD)
    assert first.covers("t1_toy.double", "another number: 2 -> 3")
    assert not first.covers("t1_toy.half", "another number: 2 -> 3")
    assert not first.covers("t1_toy.double", "another number: 3 -> 2")
    assert second.covers("t1_toy.half", "inverted: -1 -> 1")
    assert not second.covers("t1_toy.half", "inverted: -1 -> 12")
    assert (first.line, second.line) == (2, 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[edit]", "equal_edits.toml:1: not valid TOML"),
        ('[edit]\nwhy = "x"\n', "equal_edits.toml:1: write each edit below"),
        ('edit = [{why = "x"}]\n', "equal_edits.toml:1: write each edit below"),
        (GOOD.replace('why = "it is squared"', ""), "equal_edits.toml:7: write `why`"),
        (GOOD.replace('"inverted: -1 -> 1"', "3"), "equal_edits.toml:7: write `edit`"),
        (GOOD + 'reason = "x"\n', "equal_edits.toml:7: there is no `reason`"),
    ],
)
def test_what_is_wrong_with_it_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(MisconceptionError, match="reference/") as caught:
        load(tmp_path, text)
    assert words in str(caught.value)
