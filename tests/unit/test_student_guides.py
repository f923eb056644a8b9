"""Students read the same in both languages: the same commands, sections and signs."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
ENGLISH = (DOCS / "guide-student.md").read_text(encoding="utf-8")
KOREAN = (DOCS / "guide-student.ko.md").read_text(encoding="utf-8")
IN_KOREAN = "in Korean"
"""Of the section in the English guide that leads to Korean."""


def commands(text: str) -> list[str]:
    """Return the lines of all code blocks without comments and what chooses the language."""
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    lines = (re.split(r"\s+#", line)[0].rstrip() for block in blocks for line in block.split("\n"))
    return [line.replace(" --lang ko", "") for line in lines if line]


def in_code(text: str) -> set[str]:
    """Return what stands in backticks outside of code blocks."""
    return {*re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))}


def test_the_commands_are_the_same() -> None:
    assert commands(KOREAN) == commands(ENGLISH)
    assert len(commands(KOREAN)) > 15


def test_there_are_as_many_sections_rows_and_points() -> None:
    for mark in (r"^## ", r"^\| ", r"^- "):
        count = [len(re.findall(mark, text, re.MULTILINE)) for text in (ENGLISH, KOREAN)]
        assert count[0] == count[1] > 0, mark


def test_options_files_and_keys_are_in_both() -> None:
    """All but the labels of a report, which are in its reader's language."""
    named = {one for one in in_code(ENGLISH) if re.search(r"[-./%!<_]|^\w$", one)}
    assert named - in_code(KOREAN) <= {
        "grader start work --lang ko",
        "grader check --lang ko",
        "--lang ko",
        "LANG=ko_KR.UTF-8",
    }
    assert len(named) > 40
