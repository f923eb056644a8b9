"""`.py` files and notebooks of one submission import each other in every form."""

from __future__ import annotations

import pytest

from grader.wire.load_plan import LoadPlan
from grader.worker.loading import load
from tests.unit.worker.loading.samples import NOTEBOOK, STEM, Load, called, notebook

IMPORTS = [
    "from helper import g",
    "from helper import *",
    "import helper\ng = helper.g",
    "import helper as h\ng = h.g",
    "from .helper import g",
    "from . import helper\ng = helper.g",
    "from assignments.helper import g",
    "import assignments.helper\ng = assignments.helper.g",
    "import importlib\ng = importlib.import_module('helper').g",
    "from ipynb.fs.full.helper import g",
    "from ipynb.fs.defs.helper import g",
    "import import_ipynb\nimport helper\ng = helper.g",
]


@pytest.mark.parametrize("line", IMPORTS)
@pytest.mark.parametrize("entry", [NOTEBOOK, f"{STEM}.py"], ids=["notebook", "py"])
@pytest.mark.parametrize("helper", ["helper.ipynb", "helper.py"])
def test_files_of_both_kinds_import_each_other(
    load: Load, entry: str, helper: str, line: str
) -> None:
    texts = {entry: f"{line}\ndef f():\n    return g()", helper: "def g():\n    return 7"}
    files = {
        path: notebook(text) if path.endswith(".ipynb") else text for path, text in texts.items()
    }
    loaded = load(files, "f", entries={STEM: entry})

    assert called(loaded) == 7
    assert [n for n in loaded.report.notes if n.kind == "problem"] == []


@pytest.mark.parametrize("line", IMPORTS)
def test_an_assignment_is_imported_whatever_its_file_is_called(load: Load, line: str) -> None:
    files = {
        NOTEBOOK: notebook(f"{line}\ndef f():\n    return g()"),
        "helper (1).ipynb": notebook("def g():\n    return 8"),
    }
    loaded = load(files, "f", entries={STEM: NOTEBOOK, "helper": "helper (1).ipynb"})
    assert called(loaded) == 8


def test_an_error_in_an_imported_notebook_is_told_there(load: Load) -> None:
    files = {
        NOTEBOOK: notebook("from helper import g", "def f():\n    return g()"),
        "helper.ipynb": notebook("#md", "x = undefined_name\ndef g():\n    return x"),
    }
    loaded = load(files, "f", entries={STEM: NOTEBOOK})

    problems = [n for n in loaded.report.notes if n.kind == "problem"]
    assert [(n.file, n.cell, n.line) for n in problems] == [("helper.ipynb", 2, 1)]


def test_an_assignment_that_is_not_graded_runs_only_if_imported() -> None:
    files = {
        NOTEBOOK: notebook("def f():\n    return 1"),
        "other.py": b"raise SystemExit('it ran')",
    }
    entries = {STEM: NOTEBOOK, "other": "other.py"}
    loaded = load(LoadPlan(files, entries, {STEM: ("f",)}, {}), lambda path, index: None)
    try:
        assert loaded.report.notes == ()
        assert list(loaded.report.modules) == [STEM]
    finally:
        loaded.close()
