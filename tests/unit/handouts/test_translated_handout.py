"""A hand-out in another language is the same program with other texts."""

from __future__ import annotations

import ast
import json

import pytest

from grader.handouts.handout import notebook_handout, python_handout
from grader.handouts.translated_handout import paragraphs, translated

STUB = '''"""Assignment 0: numbers.

A first paragraph.
"""

import math

REST = 1  # what is left

# A part of its own
# on two lines.


def double(x: int) -> int:
    """Return twice the number."""
    # demo
    # B H T T
    text = "these words stay"
    raise NotImplementedError("double: replace this line with your solution")


class Counter:
    """Counts.

    Shapes
        x  any number

        >>> Counter().count  # not three
        2
    """

    def count(self) -> int:
        r"""Return \\d numbers."""
        return 2
'''
KOREAN = '''"""번역

번역
"""

import math

REST = 1  # 번역

# 번역


def double(x: int) -> int:
    """번역"""
    # demo
    # B H T T
    text = "these words stay"
    raise NotImplementedError("double: replace this line with your solution")


class Counter:
    """번역

    번역
        x  번역

        >>> Counter().count  # not three
        2
    """

    def count(self) -> int:
        r"""번역"""
        return 2
'''


def korean(text: str) -> str:
    return "번역"


def test_docstrings_and_comments_change_and_nothing_else() -> None:
    assert translated("a0.py", STUB, korean) == KOREAN
    assert translated("a0.py", STUB, lambda text: text) == STUB


def test_what_there_is_to_translate_is_told_once() -> None:
    assert paragraphs("a0.py", STUB + "\n# A part of its own\n# on two lines.\n") == [
        "Assignment 0: numbers.",
        "A first paragraph.",
        "Return twice the number.",
        "Counts.",
        "Shapes",
        "any number",
        "Return \\d numbers.",
        "what is left",
        "A part of its own on two lines.",
    ]


def test_text_that_is_translated_word_for_word_is_the_same_in_both_kinds() -> None:
    source = python_handout(STUB)

    both = paragraphs("a0.ipynb", notebook_handout(STUB))

    assert set(paragraphs("a0.py", source)) - set(both) == {
        "Assignment 0: numbers.",
        "Run this, change it, add to it: it is never graded.",
    }


def test_a_notebook_keeps_its_cells() -> None:
    english = notebook_handout(STUB)

    new = json.loads(translated("a0.ipynb", english, korean))

    old = json.loads(english)
    assert [cell["id"] for cell in new["cells"]] == [cell["id"] for cell in old["cells"]]
    assert {**new, "cells": []} == {**old, "cells": []}
    assert new["cells"][0]["source"][0] == "# 번역\n"
    assert translated("a0.ipynb", english, lambda text: text) == english


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("x = 'no text of its own'  # 가 나\n", id="hangul before"),
        pytest.param("가 = '나'\n'''A text.'''  # and a comment\n", id="after a text"),
        pytest.param("def f(): 'A text.'; return 1  # and this\n", id="on one line"),
        pytest.param("if 1:\n    # one comment\n# and another\n    x = 1\n", id="two columns"),
        pytest.param(
            "x = [\n    1,  # the first one\n    # the second one\n    2,\n]\n", id="inside"
        ),
        pytest.param('"""A text\n\n  with less room\n  """\n', id="other indentation"),
        pytest.param("'A ' 'text'\n", id="in two parts"),
    ],
)
def test_any_source_stays_the_same_program(source: str) -> None:
    before, after = source, translated("x.py", source, lambda text: text.upper())

    assert after.upper() == before.upper()
    assert ast.dump(_bare(before)) == ast.dump(_bare(after))


def _bare(source: str) -> ast.Module:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
    return tree
