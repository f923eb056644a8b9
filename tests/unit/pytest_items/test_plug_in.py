"""The plug-in costs nothing without its option; lines of definitions are found in the text."""

from __future__ import annotations

import subprocess
import sys

from grader.pytest_items.definitions import line_of

WITHOUT = """
import sys
import pytest

before = set(sys.modules)
import grader.pytest_items.option
print(sorted(set(sys.modules) - before))
"""


def test_nothing_else_is_imported_without_the_option() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True
    )

    loaded = ["grader", "grader.pytest_items", "grader.pytest_items.option"]
    assert ran.stdout.strip() == str(loaded)


def test_a_definition_is_found_by_its_own_line() -> None:
    text = (
        "# def f(x)\nimport torch\n\n\ndef f_other():\n    def f(): ...\n\n\nclass f:\n    pass\n"
    )

    assert line_of(text, ["f"]) == 8
    assert line_of(text, ["absent", "f_other"]) == 4
    assert line_of(text, ["absent"]) == 0
