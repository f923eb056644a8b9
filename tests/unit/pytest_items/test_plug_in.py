"""The plug-in costs nothing without its option; lines of definitions are found in the text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.pytest_items.collection import ItemCollection
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


def collected(file: Path, config: Any) -> tuple[Any, ItemCollection]:
    """Return what becomes of a file that pytest itself takes for a module, and who decided."""
    items: Any = ItemCollection(config)
    hook = items.pytest_collect_file(file, None)
    next(hook)
    with pytest.raises(StopIteration) as end:
        hook.send(["a module"])
    return end.value.value, items


def test_a_file_above_the_folder_that_is_collected_is_left_alone(tmp_path: Path) -> None:
    """Pytest looks into every folder above; there may lie whatever does not concern us."""
    (tmp_path / "student-001").mkdir()
    (tmp_path / "notes.py").write_text("1 / 0\n", "utf-8")
    config = SimpleNamespace(args=[f"{tmp_path / 'student-001'}::some/check"])

    result, items = collected(tmp_path / "notes.py", config)

    assert result == ["a module"]
    assert items._folders == {}


def test_a_file_in_the_folder_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "notes.py").write_text("1 / 0\n", "utf-8")
    config = SimpleNamespace(args=[str(tmp_path)])

    result, items = collected(tmp_path / "notes.py", config)

    assert result == ["a module"]  # it is the file of no assignment
    assert set(items._folders) == {tmp_path}
