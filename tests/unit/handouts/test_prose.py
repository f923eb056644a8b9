"""A docstring becomes a text with tables, equations and examples; its words stay."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.handouts.lectures import read_equations
from grader.handouts.prose import markdown_of, plain

ROOT = Path(__file__).resolve().parents[3]
WITH_WORDS = re.compile(r"\S {4,}\S")
"""A column of words beside it, or the columns of a drawing: these stay as they are."""
REFERENCES = sorted((ROOT / "reference").glob("a[0-9]*_*.py"))


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        pytest.param("One\nparagraph.\n\nTwo.", "One\nparagraph.\n\nTwo.", id="prose"),
        pytest.param(
            "Shapes\n    a, b     (D,)\n    returns  (): a | b,\n             at last",
            "| Shapes | |\n| :--- | :--- |\n| `a, b` | (D,) |\n| returns | (): a \\| b, at last |",
            id="shapes",
        ),
        pytest.param(
            "Two kinds:\n    bool       True\n    the other  0",
            "Two kinds:\n\n| | |\n| :--- | :--- |\n| `bool` | True |\n| the other | 0 |",
            id="names under a sentence",
        ),
        pytest.param("    y  =  2 x\n", "$$\n2x\n$$", id="equation"),
        pytest.param("    y = 3 x\n", "    y = 3 x", id="equation that nobody typeset"),
        pytest.param(
            "    a 0   1   2\n    b ✓   ·   ✓", "    a 0   1   2\n    b ✓   ·   ✓", id="drawing"
        ),
        pytest.param("    >>> f(1)\n    2", "```python\n>>> f(1)\n2\n```", id="example"),
        pytest.param(
            "Raise\n    if one;\n    if two.\nThen.",
            "Raise\n\n- if one;\n- if two.\n\nThen.",
            id="list",
        ),
        pytest.param(
            "To write here: all\nof it.", "> To write here: all of it.", id="what is to be written"
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_becomes_of_a_docstring(docstring: str, shown: str) -> None:
    text = markdown_of(f"It.\n\n{docstring}", {"y = 2 x": "2x"})

    assert text == f"It.\n\n{shown}".strip()


def drawn_in(path: Path) -> Iterator[str]:
    """The blocks of a reference's docstrings that are all indented, and are no examples."""
    documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, documented):
            blocks = (ast.get_docstring(node) or "").split("\n\n")
            yield from (one for one in blocks if one.startswith("    ") and ">>>" not in one)


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
def test_every_equation_of_this_course_is_typeset(path: Path) -> None:
    typeset = read_equations(ROOT)
    plainly = [one for one in drawn_in(path) if plain(one.split("\n")) not in typeset]

    assert [one for one in plainly if " = " in one and not WITH_WORDS.search(one)] == []
    assert len(list(drawn_in(path))) > len(plainly)


def test_no_equation_is_typeset_for_nobody() -> None:
    used = {plain(one.split("\n")) for path in REFERENCES for one in drawn_in(path)}

    assert set(read_equations(ROOT)) - used == set()
