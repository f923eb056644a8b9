"""A worked notebook becomes the one that students start with, whoever's markers are in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from grader.cli import cli
from grader.handouts.foreign_markers import Removed
from grader.handouts.stub_notebook import notebook_stub
from grader.handouts.stubs import StubError


def cell(source: str, kind: str = "code", **metadata: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"cell_type": kind, "metadata": metadata, "source": source}
    if kind == "code":
        output = {"output_type": "stream", "name": "stdout", "text": "the answer is 42\n"}
        found |= {"execution_count": 3, "outputs": [output]}
    return found


def notebook(*cells: dict[str, Any]) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def sources(stub: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(stub)["cells"]]


OWN = "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n"


def test_our_fences_work_in_cells() -> None:
    stub = notebook_stub(notebook(cell("%time solution = 1"), cell(OWN)), "n.ipynb")

    assert sources(stub.text) == [
        "%time solution = 1",
        'def f():\n    raise NotImplementedError("f: replace this line with your solution")\n',
    ]


def test_nothing_of_the_run_is_left() -> None:
    stub = notebook_stub(notebook(cell(OWN)), "n.ipynb")

    assert "42" in notebook(cell(OWN))
    assert "42" not in stub.text
    assert json.loads(stub.text)["cells"][0]["execution_count"] is None


def test_cells_of_nbgrader() -> None:
    solution: dict[str, Any] = {"nbgrader": {"solution": True, "grade": False}}
    stub = notebook_stub(
        notebook(
            cell(
                "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION", **solution
            ),
            cell("x = 41 + 1", **solution),
            cell("Because of this.", "markdown", **solution),
            cell("f()\n### BEGIN HIDDEN TESTS\nassert f() == 1\n### END HIDDEN TESTS"),
            cell("Points\n### BEGIN MARK SCHEME\nOne.\n### END MARK SCHEME", "markdown"),
        ),
        "n.ipynb",
    )

    assert sources(stub.text) == [
        "def f():\n    # YOUR CODE HERE\n    raise NotImplementedError()",
        "# YOUR CODE HERE\nraise NotImplementedError()",
        "YOUR ANSWER HERE",
        "f()",
        "Points",
    ]
    assert stub.removed == (
        Removed("hidden tests", "n.ipynb:cell 4:2"),
        Removed("mark scheme", "n.ipynb:cell 5:2"),
    )


def test_cells_of_otter() -> None:
    stub = notebook_stub(
        notebook(
            cell("# ASSIGNMENT CONFIG\nname: hw1", "raw"),
            cell("# BEGIN QUESTION\nname: q1", "raw"),
            cell("**Question 1.** Square it.", "markdown"),
            cell("# BEGIN SOLUTION", "raw"),
            cell("def square(x):\n    return x * x # SOLUTION"),
            cell("# END SOLUTION", "raw"),
            cell("# BEGIN TESTS", "raw"),
            cell("square(3) == 9"),
            cell("# END TESTS", "raw"),
            cell("# END QUESTION", "raw"),
            cell("# BEGIN SOLUTION", "raw"),
            cell("It grows.", "markdown"),
            cell("# END SOLUTION", "raw"),
        ),
        "n.ipynb",
    )

    assert sources(stub.text) == [
        "**Question 1.** Square it.",
        "def square(x):\n    ...",
        "_Type your answer here, replacing this text._",
    ]
    assert stub.removed == (Removed("tests", "n.ipynb:cell 8:1"),)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([cell("x = 1")], r"n\.ipynb:1: no solution is marked"),
        (
            [cell("x = 1"), cell("### BEGIN SOLUTION\nx = 1")],
            r"n\.ipynb:cell 2:1: 'BEGIN SOLUTION' is never closed",
        ),
        (
            [cell("x = 1\n### END SOLUTION")],
            r"n\.ipynb:cell 1:2: 'END SOLUTION' without",
        ),
        (
            [cell("def f():\n    # BEGIN SOLUTION\n    return 1\n")],
            r"n\.ipynb:cell 1:2: '# BEGIN SOLUTION' is never closed",
        ),
        (
            [cell("x = 1  # SOLUTION"), cell("### BEGIN SOLUTION\n### END SOLUTION")],
            r"n\.ipynb:cell 2:1: markers of nbgrader and of otter in one notebook",
        ),
        (
            [cell("# BEGIN TESTS", "raw"), cell("x")],
            r"n\.ipynb:cell 1:1: 'BEGIN TESTS' is never closed",
        ),
        (
            [cell("# BEGIN TESTS", "raw"), cell("# BEGIN SOLUTION", "raw")],
            r"n\.ipynb:cell 2:1: 'BEGIN SOLUTION' inside 'BEGIN TESTS' of cell 1",
        ),
        (
            [cell("# END SOLUTION", "raw")],
            r"n\.ipynb:cell 1:1: 'END SOLUTION' without a 'BEGIN SOLUTION'",
        ),
        (
            [cell("# BEGIN SOLUTION", "raw"), cell("x = 1"), cell("# END SOLUTION", "raw")],
            r"n\.ipynb:cell 2:1: no line of this solution is marked",
        ),
        (
            [cell("<!-- BEGIN SOLUTION -->\nIt is 1.\n<!-- END SOLUTION -->", "markdown")],
            r"n\.ipynb:cell 1:1: '<!-- BEGIN SOLUTION' is almost a marker",
        ),
        (
            [cell("# BEGIN PROMPT", "raw")],
            r"n\.ipynb:cell 1:1: a prompt in cells of its own is not read",
        ),
    ],
)
def test_a_bad_marker_is_told_with_its_cell(cells: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(StubError, match=f"^{message}"):
        notebook_stub(notebook(*cells), "n.ipynb")


def test_what_is_no_notebook_is_told() -> None:
    with pytest.raises(StubError, match=r"n\.ipynb:1: no notebook of nbformat 4"):
        notebook_stub("[]", "n.ipynb")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "hw.ipynb"
    path.write_text(notebook(cell(OWN), cell("### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS")))
    return path


def test_a_stub_is_written_into_another_folder(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["stubs", "hw.ipynb", "--out", "release"]) == 0

    assert "return 1" not in (source.parent / "release/hw.ipynb").read_text()
    assert capsys.readouterr().out == (
        "wrote release/hw.ipynb\nleft out: hidden tests of hw.ipynb:cell 2:1\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["hw.ipynb", "--out", "."], "hw.ipynb:1: its stub would be hw.ipynb, too. Next: "),
        (["hw.ipynb"], "SOURCE and --out go together"),
        (["--out", "release"], "SOURCE and --out go together"),
        (["hw.txt", "--out", "release"], "hw.txt:1: neither .py nor .ipynb. Next: "),
        (["none.py", "--out", "release"], "none.py:1: cannot be read: "),
    ],
)
def test_what_cannot_be_written_is_told_and_nothing_is(
    source: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (source.parent / "hw.txt").write_text("x\n")
    before = source.read_bytes()

    assert cli.main(["stubs", *words]) == 2

    assert message in capsys.readouterr().err
    assert source.read_bytes() == before
    assert not (source.parent / "release").exists()
