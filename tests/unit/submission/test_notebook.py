"""A notebook is reduced to its code, whatever else is in it and whoever wrote it."""

from __future__ import annotations

import codecs
import json
import time
from collections.abc import Mapping
from typing import Any

import pytest

from grader.submission import notebook
from grader.submission.notebook import Cell, NotebookError, read_cells, reduced


def code(source: object = "x = 1", **more: object) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], **more}


def text(source: object = "# Title") -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def saved(*cells: Mapping[str, object], **more: object) -> bytes:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **more}, indent=1).encode()


def sources(data: bytes) -> list[tuple[int, str]]:
    return [(cell.number, cell.source) for cell in read_cells(data) if cell.kind == "code"]


def unreadable(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reduced(data))["metadata"]["unreadable"]
    return found


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("a = 1\nb = '어텐션'", id="string"),
        pytest.param(["a = 1\n", "b = '어텐션'"], id="lines"),
        pytest.param(["a = 1\nb = ", "'어텐션'"], id="pieces"),
    ],
)
def test_a_source_is_a_string_or_a_list_of_them(source: object) -> None:
    assert sources(saved(code(source))) == [(1, "a = 1\nb = '어텐션'")]


def test_cells_are_numbered_over_all_kinds_from_one() -> None:
    raw = {"cell_type": "raw", "metadata": {}, "source": "raw"}
    assert sources(saved(text(), code("a"), raw, code("b"))) == [(2, "a"), (4, "b")]


def test_nbformat_3_keeps_cells_in_worksheets() -> None:
    def old(source: object) -> dict[str, object]:
        return {"cell_type": "code", "language": "python", "input": source, "outputs": []}

    heading = {"cell_type": "heading", "level": 1, "source": "Title"}
    sheets = [{"cells": [heading, old("a")], "metadata": {}}, {"cells": [old(["b\n", "c"])]}]
    data = json.dumps({"metadata": {}, "nbformat": 3, "worksheets": sheets}).encode()

    assert sources(data) == [(2, "a"), (3, "b\nc")]


def test_tags_are_kept() -> None:
    tagged = code(metadata={"tags": ["demo", 5], "collapsed": True})
    assert read_cells(saved(tagged)) == (Cell(1, "code", "x = 1", ("demo",)),)


def test_only_code_and_tags_are_left() -> None:
    secretive = code(
        "x",
        outputs=[{"text": "OUTPUT"}],
        attachments={"a.png": "ATTACHMENT"},
        execution_count=7,
        metadata={"tags": ["t"], "colab": "METADATA"},
    )
    assert json.loads(reduced(saved(text("TEXT"), secretive, metadata={"author": "NAME"}))) == {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ""},
            {"cell_type": "code", "metadata": {"tags": ["t"]}, "source": "x"},
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 4,
    }


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(saved(text(), code("a\n", metadata={"tags": ["demo"]})), id="notebook"),
        pytest.param(saved(), id="without cells"),
    ],
)
def test_reducing_twice_changes_nothing(data: bytes) -> None:
    assert reduced(reduced(data)) == reduced(data)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(codecs.BOM_UTF8 + saved(code("a")), id="byte order mark"),
        pytest.param(saved(code("a")).replace(b"\n", b"\r\n"), id="windows line ends"),
        pytest.param(saved(code("a"), metadata={"language_info": {"name": "python"}}), id="python"),
        pytest.param(saved(code("a"), metadata={"kernelspec": {"name": "conda"}}), id="conda"),
        pytest.param(saved(code("a"), metadata=None), id="no metadata"),
        pytest.param(saved(code("a", metadata=[1], outputs="?")), id="odd metadata"),
    ],
)
def test_what_does_not_matter_is_no_hindrance(data: bytes) -> None:
    assert sources(data) == [(1, "a")]


@pytest.mark.parametrize("source", [5, None, ["a", 5], {"a": "b"}], ids=repr)
def test_a_source_that_is_no_text_costs_that_cell_only(source: object) -> None:
    cells = read_cells(saved(code(source), code("b")))

    assert [(cell.source, bool(cell.fault)) for cell in cells] == [("", True), ("b", False)]


def test_a_huge_cell_costs_that_cell_only() -> None:
    huge = "x = 1\n" * (notebook.LIMIT_CELL_BYTES // 6)
    cells = json.loads(reduced(saved(code(huge), code("b"))))["cells"]

    assert [cell["source"] for cell in cells] == ["", "b"]
    assert "more than 1 MiB of code" in cells[0]["metadata"]["unreadable"]


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        pytest.param(b"", None, "the file is empty", id="empty"),
        pytest.param(b"\n \n", None, "the file is empty", id="blank"),
        pytest.param(saved(code())[:120], 10, "the file ends: it was not copied in full", id="cut"),
        pytest.param(b"import torch\n", 1, "expected `{`", id="python"),
        pytest.param(b"[1, 2]", 1, "expected `{`", id="list"),
        pytest.param(b"{}", 1, "no list of cells", id="no cells"),
        pytest.param(b'{"cells": {}}', 1, r"expected `\[", id="cells of another shape"),
        pytest.param(b'{"cells": [\n1]}', 2, "expected `{`", id="cell of another shape"),
        pytest.param(saved().decode().encode("utf-16"), None, "not saved as UTF-8", id="utf-16"),
        pytest.param(
            saved(metadata={"language_info": {"name": "R"}}), None, "for R, not", id="language"
        ),
        pytest.param(
            saved(metadata={"kernelspec": {"language": "julia"}}), None, "for julia", id="kernel"
        ),
    ],
)
def test_what_cannot_be_read_is_told(data: bytes, line: int | None, words: str) -> None:
    with pytest.raises(NotebookError, match=words) as caught:
        read_cells(data)

    assert caught.value.line == line
    assert unreadable(data) == {"message": str(caught.value), "line": line}


def test_conflict_marks_of_git_are_recognised() -> None:
    lines = saved(code()).decode().split("\n")
    data = "\n".join([*lines[:4], "<<<<<<< HEAD", *lines[4:], ">>>>>>> main"]).encode()

    with pytest.raises(NotebookError, match="git left conflict marks") as caught:
        read_cells(data)
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(saved(*[code("")] * 10_001), "more than 10000 cells", id="cells"),
        pytest.param(saved(*[code("#" * 900_000)] * 10), "more than 8 MiB of code", id="code"),
    ],
)
def test_more_than_anyone_writes_is_refused(data: bytes, words: str) -> None:
    assert words in unreadable(data)["message"]


def test_a_lone_surrogate_does_not_stop_the_reducing() -> None:
    data = saved(code('a = "\ud800"'))
    assert json.loads(reduced(data))["cells"][0]["source"] == 'a = "?"'


def test_50_mb_of_outputs_are_left_behind_quickly() -> None:
    image = {"data": {"image/png": "iVBORw0KGgo" * 2_500_000}}
    lines = {"text": ["Epoch 1: loss 0.693147\n"] * 1_000_000}
    data = saved(code("a", outputs=[image, lines]), code("b"))
    assert len(data) > 50_000_000

    start = time.perf_counter()
    small = reduced(data)

    assert time.perf_counter() - start < 5
    assert len(small) < 1_000
    assert sources(small) == [(1, "a"), (2, "b")]
