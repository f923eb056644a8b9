"""Notebooks load cell by cell, and every place in them has its cell."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Mapping
from typing import Any

import pytest

from grader.submission.notebook import reduced
from grader.worker.loading import Loaded
from tests.unit.worker.loading.samples import NOTEBOOK, STEM, Load, called, notebook, target


@pytest.fixture
def opened(load: Load) -> Any:
    """Loads a notebook as the first assignment, with the names that are wanted from it."""

    def opened(
        *cells: str | Mapping[str, object],
        wanted: tuple[str, ...] = ("f",),
        files: Mapping[str, str | bytes] | None = None,
    ) -> Loaded:
        named = {NOTEBOOK: notebook(*cells), **(files or {})}
        return load(named, *wanted, entries={STEM: NOTEBOOK})

    return opened


def said(loaded: Loaded, kind: str) -> list[tuple[int | None, int | None, str]]:
    """Cell, line and text of what was noted."""
    notes = loaded.report.notes
    return [(n.cell, n.line, n.text) for n in notes if n.kind == kind]


def test_cells_share_one_namespace(opened: Any) -> None:
    loaded = opened("#md Title", "a = 1", "#md More", "def f():\n    return a + 1")

    assert called(loaded) == 2
    assert target(loaded, "f") == {
        "kind": "function",
        "line": 1,
        "cell": 4,
        "stub": False,
        "close": (),
        "why": "",
    }
    assert loaded.report.notes == ()


def test_a_broken_cell_leaves_the_others(opened: Any) -> None:
    loaded = opened("a = 1", "def g(:\n    pass", "def f():\n    return a")

    assert called(loaded) == 1
    ((cell, line, text),) = said(loaded, "problem")
    assert (cell, line) == (2, 1)
    assert text.startswith("SyntaxError: ")


def test_an_unfinished_cell_does_not_swallow_the_next(opened: Any) -> None:
    loaded = opened('text = """never closed', "x = (1,", "def f():\n    return 5")

    assert called(loaded) == 5
    assert [cell for cell, _, _ in said(loaded, "problem")] == [1, 2]


def test_a_target_that_cannot_be_read_is_traced_to_its_cell(opened: Any) -> None:
    loaded = opened("a = 1", "\n\ndef f(:\n    return 1")

    with pytest.raises(LookupError, match=rf"`f` could not be read: see {NOTEBOOK} cell 2:3"):
        loaded.lookup(STEM, "f")
    assert (target(loaded, "f")["cell"], target(loaded, "f")["line"]) == (2, 3)


def test_a_cell_that_raises_is_told_with_its_line_and_the_rest_runs(opened: Any) -> None:
    loaded = opened("a = 1\nb = {}['missing']\na = 2", "def f():\n    return a, b", "b = 3")

    assert called(loaded) == (2, 3)
    ((cell, line, text),) = said(loaded, "problem")
    assert (cell, line) == (1, 2)
    assert "KeyError: 'missing'" in text


def test_an_error_inside_a_function_of_another_cell_names_both_places(opened: Any) -> None:
    loaded = opened("def g():\n    return 1 / 0", "\na = g()", "def f():\n    return a")

    ((cell, line, text),) = said(loaded, "problem")
    assert (cell, line) == (1, 2)
    assert f"({NOTEBOOK} cell 2:2)" in text


def test_the_same_line_of_two_cells_is_two_places(opened: Any) -> None:
    loaded = opened(
        "try:\n    import torchvision\nexcept ImportError:\n    torchvision = None",
        "x = 1\nimport torchvision as tv",
        "def f():\n    return torchvision, tv",
    )

    assert called(loaded)[0] is None
    ((cell, line, text),) = said(loaded, "note")
    assert (cell, line) == (2, 2)
    assert "`torchvision` is not available" in text


def test_tracebacks_know_file_cell_and_line(opened: Any) -> None:
    loaded = opened("#md", "%matplotlib inline\ndef f():\n    return 1 / 0")

    with pytest.raises(ZeroDivisionError) as caught:
        called(loaded)

    last = traceback.extract_tb(caught.tb)[-1]
    assert loaded.place(last.filename) == (NOTEBOOK, 2)
    assert (last.lineno, last.line) == (3, "return 1 / 0")
    assert linecache.getline(last.filename, 1) == "%matplotlib inline\n"


def test_a_place_that_is_not_the_students_is_none(opened: Any) -> None:
    assert opened("def f(): ...").place(__file__) is None


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("# demo\ndef f():\n    return 2\nraise ValueError", id="first line"),
        pytest.param("\n#demo:\ndef f():\n    return 2", id="after a blank line"),
        pytest.param(
            {"cell_type": "code", "metadata": {"tags": ["demo"]}, "source": "def f():\n  return 2"},
            id="tag",
        ),
        pytest.param({"cell_type": "raw", "metadata": {}, "source": "f = None"}, id="raw"),
        pytest.param({"cell_type": "markdown", "metadata": {}, "source": "f = 0"}, id="markdown"),
        pytest.param("%%bash\nf = 0", id="shell"),
        pytest.param("%%html\n<b>f = 0</b>", id="html"),
    ],
)
def test_what_is_no_code_to_grade_is_not_run(opened: Any, cell: Any) -> None:
    loaded = opened("def f():\n    return 1", cell)

    assert called(loaded) == 1
    assert loaded.report.notes == ()


def test_magics_do_nothing(opened: Any) -> None:
    loaded = opened(
        "%matplotlib inline\n!pip install einops\n%load_ext autoreload",
        "%%time\nfiles = !ls\nshell = get_ipython()\nshell.system('ls')\na = 1\na?",
        "if a:\n    %time b = a + 1\n    !ls\ndef f():\n    return a, b",
        "display(f())",
    )

    assert called(loaded) == (1, 2)
    assert said(loaded, "problem") == []


def test_a_cell_may_await(opened: Any) -> None:
    loaded = opened(
        "import asyncio\nasync def fetch(x):\n    await asyncio.sleep(0)\n    return x",
        "a = await fetch(1)\nb = [await fetch(i) for i in range(2)]",
        "async def later():\n    yield 5\nc = []\nasync for x in later():\n    c.append(x)",
        "def f():\n    return a, b, c",
    )

    assert called(loaded) == (1, [0, 1], [5])
    loaded.reset()
    assert called(loaded) == (1, [0, 1], [5])
    assert said(loaded, "problem") == []


def test_a_py_file_may_not_await(load: Load) -> None:
    loaded = load("a = await x\ndef f():\n    return 1", "f")

    assert "'await' outside function" in loaded.report.notes[0].text


def test_a_future_import_holds_in_later_cells(opened: Any) -> None:
    loaded = opened("from __future__ import annotations", "def f(x: Missing = 1):\n    return x")
    assert called(loaded) == 1


def test_windows_line_ends_in_sources_are_line_ends(opened: Any) -> None:
    loaded = opened("a = 1\r\nb = 2\r\n", "def f():\r\n    return a + b\r\n")

    assert called(loaded) == 3
    assert loaded.report.notes == ()


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        pytest.param(("def f(): ...", "def f(): ..."), "cells 1 and 2", id="two cells"),
        pytest.param(
            ("def f(): ...\ndef f(): ...",), "lines 1 and 2 of cell 1", id="one cell"
        ),
    ],
)  # fmt: skip
def test_duplicates_are_told_by_cell(opened: Any, cells: tuple[str, ...], words: str) -> None:
    ((cell, _, text),) = said(opened(*cells), "note")

    assert cell == len(cells)
    assert text == f"`f` is defined in {words}: the last one counts"


def test_what_depends_on_a_demo_cell_is_told_by_cell(opened: Any) -> None:
    loaded = opened("a = 1\nfor i in range(3):\n    print(i)", "def f():\n    return a")
    assert said(loaded, "note") == [
        (
            1,
            2,
            "1 statement was not run (first: `for i in range(3):`): no exercise needs the result",
        )
    ]


def test_a_reset_runs_the_cells_again(opened: Any) -> None:
    loaded = opened("seen = []", "def f():\n    seen.append(1)\n    return len(seen)")
    assert [called(loaded), called(loaded)] == [1, 2]
    loaded.reset()
    assert called(loaded) == 1


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        pytest.param(b"", None, "the file is empty", id="empty"),
        pytest.param(b'{\n"cells": [', 2, "not copied in full", id="cut"),
        pytest.param(b"import torch", 1, "expected `{`", id="python"),
    ],
)
def test_a_notebook_that_cannot_be_read_is_one_problem(
    load: Load, data: bytes, line: int | None, words: str
) -> None:
    loaded = load({NOTEBOOK: reduced(data)}, "f", entries={STEM: NOTEBOOK})

    ((cell, at, text),) = said(loaded, "problem")
    assert (cell, at) == (None, line)
    assert words in text
    assert text.endswith("Nothing of it is loaded.")
    assert target(loaded, "f")["kind"] == "missing"


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"cells": 5}', b'{"cells": [5]}', b'{"cells": [{}]}', b"{" * 100_000, b"\xff"],
    ids=repr,
)
def test_bytes_that_are_no_reduced_notebook_are_a_problem_too(load: Load, data: bytes) -> None:
    loaded = load({NOTEBOOK: data}, "f", entries={STEM: NOTEBOOK})
    assert [text for _, _, text in said(loaded, "problem")] == [
        "the notebook cannot be read: save it again from Jupyter. Nothing of it is loaded."
    ]


def test_a_cell_without_text_is_told_by_number(opened: Any) -> None:
    loaded = opened({"cell_type": "code", "metadata": {}, "source": 5}, "def f():\n    return 1")

    assert called(loaded) == 1
    ((cell, _, text),) = said(loaded, "problem")
    assert cell == 1
    assert "code that is not text" in text
