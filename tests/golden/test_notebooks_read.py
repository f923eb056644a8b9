"""Every notebook reads like a lecture: far more is told in it than stands in its code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.handouts.word_count import words_of

HANDED_OUT = Path(__file__).resolve().parents[2] / "assignments"
NOTEBOOKS = sorted(path.relative_to(HANDED_OUT).as_posix() for path in HANDED_OUT.rglob("*.ipynb"))
TOLD = 3
"""So many words in texts for each one in code; the rule of counting stands in `word_count`."""
LONGEST_DOCSTRING = 7


def cells_of(name: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads((HANDED_OUT / name).read_text("utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells]


@pytest.mark.parametrize("name", NOTEBOOKS)
class TestEveryNotebook:
    def test_three_words_are_told_for_each_word_of_code(self, name: str) -> None:
        count = words_of((HANDED_OUT / name).read_text("utf-8"))

        assert count.markdown >= TOLD * count.code > 0

    def test_it_begins_with_its_goal_and_ends_with_what_was_learned(self, name: str) -> None:
        cells = cells_of(name)
        ids = [cell["id"] for cell in cells]

        assert ids[:5] == ["title", "tell-goal", "about", "tell-start", "contents"]
        assert [*cells[1]["attachments"]] == [f"{Path(name).stem[:2]}_goal.png"]
        assert ids[-1] == "tell-end"
        assert cells[-1]["source"].count("\n## ") == 2

    def test_its_contents_lead_to_its_headings(self, name: str) -> None:
        cells = cells_of(name)
        headings = [
            f"[{line.removeprefix('## ').replace('`', '')}](#cell-id={cell['id']})"
            for cell in cells[5:]
            if cell["cell_type"] == "markdown"
            for line in cell["source"].split("\n")
            if line.startswith("## ")
        ]
        listed = [line for line in cells[4]["source"].split("\n") if line[:1].isdigit()]

        assert len(listed) == len(headings) > 8
        for line, heading in zip(listed, headings, strict=True):
            assert heading in line

    def test_no_docstring_in_it_is_long(self, name: str) -> None:
        code = [cell["source"] for cell in cells_of(name) if cell["cell_type"] == "code"]
        lengths = [len(text.split("\n")) for cell in code for text in cell.split('"""')[1::2]]

        assert max(lengths) <= LONGEST_DOCSTRING

    def test_there_are_equations_and_tables(self, name: str) -> None:
        texts = [cell["source"] for cell in cells_of(name) if cell["cell_type"] == "markdown"]

        assert sum(text.count("\n$$\n") for text in texts) >= 8
        assert sum(text.count("| :---") for text in texts) > 6


def test_a_notebook_of_code_would_be_seen() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["One two three.\n", "```\n", "a b c d\n", "```\n"]},
        {"cell_type": "code", "source": ["one = two\n", '"""three"""']},
    ]

    count = words_of(json.dumps({"cells": cells}))

    assert (count.markdown, count.code) == (3, 3)
