"""Which namespaces of a process are a student's, and which of them stands for an assignment."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.live.spaces import Spaces


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A file of the student's that was imported."""
    path = tmp_path / "t1_sums.py"
    path.write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")
    found = ModuleType("t1_sums")
    found.__file__ = str(path)
    exec(compile(path.read_bytes(), str(path), "exec"), found.__dict__)
    monkeypatch.setitem(sys.modules, "t1_sums", found)
    return found


def console(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "somewhere"}
    exec(source, space)
    return space


def test_a_name_that_was_imported_belongs_to_its_module(module: ModuleType, tmp_path: Path) -> None:
    here = console("from t1_sums import add")

    entry = Spaces(here, tmp_path, {}).entry("t1_sums", ("add",))

    assert entry is not None
    assert (entry.path, entry.module, entry.data[:7]) == ("t1_sums.py", module, b"def add")


def test_a_definition_of_ones_own_counts_here(module: ModuleType, tmp_path: Path) -> None:
    here = console("def add(a, b): return b + a")

    entry = Spaces(here, tmp_path, {}).entry("t1_sums", ("add",))

    assert entry is not None
    assert entry.values is here


def test_a_module_that_was_imported_whole_is_found(module: ModuleType, tmp_path: Path) -> None:
    entry = Spaces(console("import t1_sums"), tmp_path, {}).entry("t1_sums", ("add",))

    assert entry is not None
    assert entry.module is module


def test_what_is_nowhere_is_nobodys(tmp_path: Path) -> None:
    assert Spaces(console(""), tmp_path, {}).entry("t1_sums", ("add",)) is None


def test_installed_modules_and_ours_are_no_students(module: ModuleType) -> None:
    paths = [space.path for space in Spaces(console(""), Path("/"), {}).all]

    assert any(path.endswith("t1_sums.py") for path in paths)
    assert not any("site-packages" in path or "/grader/" in path for path in paths)
    assert not any(path.endswith(("/json/__init__.py", "/pathlib.py")) for path in paths)
