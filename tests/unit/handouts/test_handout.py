"""A stub becomes a file to run and a notebook to open, with the same code in both."""

from __future__ import annotations

import ast
import json
import runpy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import nbformat
import pytest

from grader.course.question_text import PLACEHOLDER
from grader.course.questions import WrittenItem
from grader.course.rubric import Exercise
from grader.handouts.handout import (
    handouts,
    notebook_handout,
    pieces,
    python_handout,
    written_handout,
)
from grader.handouts.lectures import Lecture, Telling
from grader.handouts.stubs import stub_source
from grader.submission.notebook import read_cells
from grader.worker.loading import definition_digest

ROOT = Path(__file__).resolve().parents[3]
REFERENCES = sorted((ROOT / "reference").glob("a[0-9]*_*.py"))

STUB = '''"""Assignment 0: numbers.

A first paragraph.
"""

import math

LIMIT = 3
# What is left over.
REST = 1

# A part of its own
#
# with two paragraphs.


# Belongs to the function.
@staticmethod
def double(x: int) -> int:
    """Return twice the number.

    More about it.

        >>> y = double(2)
        >>> y
        4
        >>> double("a")
        Traceback (most recent call last):
        TypeError: no number
    """
    raise NotImplementedError("double: replace this line with your solution")


"""A text *between* definitions."""


class Counter:
    raise NotImplementedError
'''

CELLS = [
    (
        "markdown",
        "title",
        "# Assignment 0: numbers\n\nA first paragraph.",
    ),
    ("code", "setup", "import math\n\nLIMIT = 3\n# What is left over.\nREST = 1"),
    ("markdown", "text", "A part of its own\n\nwith two paragraphs."),
    (
        "markdown",
        "about-double",
        "## `double`\n\nReturn twice the number.\n\nMore about it.\n\n```python\n>>> y =",
    ),
    (
        "code",
        "double",
        "# Belongs to the function.\n@staticmethod\ndef double(x: int) -> int:\n"
        '    """Return twice the number."""\n    raise',
    ),
    ("code", "demo-double", "# demo\n"),
    ("markdown", "text", "A text *between* definitions."),
    ("markdown", "about-Counter", "## `Counter`"),
    ("code", "Counter", "class Counter:\n    raise NotImplementedError"),
    ("code", "demo", "# demo\n"),
]


BOTH = Exercise("a0.both", "a0_numbers", ("Counter", "double"), {})
LECTURE = Lecture(
    {
        "goal": (Telling("![It](attachment:goal.png)", pictures={"goal.png": "QUJD"}),),
        "start": (Telling("Why."),),
        "before: a0.both": (Telling("## Twice a number"),),
        "after: a0.both": (Telling("print(double(3))", is_code=True), Telling("Six.")),
        "end": (Telling("## The end"),),
    }
)


def told_notebook() -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(notebook_handout(STUB, exercises=[BOTH], lecture=LECTURE))
    nbformat.validate(notebook)
    return notebook


def stub_of(path: Path) -> str:
    return stub_source(path.read_text("utf-8"), path.name)


def notebook_of(stub: str) -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(notebook_handout(stub))
    return notebook


def definitions(source: str) -> dict[str, str]:
    """Every definition by name, as the grader recognises it."""
    return {
        node.name: definition_digest(node)
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


def test_texts_and_definitions_become_cells_of_their_own() -> None:
    found = list(pieces(STUB))

    assert [(piece.kind, piece.name) for piece in found] == [cell[:2] for cell in CELLS]
    for piece, (_, _, source) in zip(found, CELLS, strict=True):
        assert piece.source.startswith(source)


def test_examples_become_a_demo_that_prints() -> None:
    (demo,) = [piece for piece in pieces(STUB) if piece.name == "demo-double"]

    assert demo.is_demo
    assert demo.source.split("\n") == [
        "# demo",
        "with grader.trying():",
        "    y = double(2)",
        "    print(y)",
        "    # 4",
    ]


def test_the_python_file_ends_with_the_same_examples_under_the_main_guard() -> None:
    handed_out = python_handout(STUB)

    assert handed_out.startswith(STUB)
    assert handed_out[len(STUB) :].split("\n") == [
        "",
        "",
        "# demo",
        "# Run this, change it, add to it: it is never graded.",
        'if __name__ == "__main__":',
        "    # double",
        "    y = double(2)",
        "    print(y)",
        "    # 4",
        "",
    ]


def test_a_stub_without_examples_gets_no_section() -> None:
    assert python_handout("def f():\n    pass\n") == "def f():\n    pass\n"


def test_a_notebook_without_examples_still_has_a_cell_to_try_things() -> None:
    last = notebook_of("def f():\n    pass\n")["cells"][-1]

    assert last["metadata"] == {"tags": ["demo"]}
    assert last["source"][0] == "# demo\n"


def test_questions_come_last_each_with_a_marked_place_to_answer() -> None:
    item = WrittenItem("a0.why", "a0_numbers", Fraction(2), "Why?")
    other = replace(item, slug="b0.why", assignment="b0_others")

    files = handouts(STUB, "a0_numbers", written=[item, other])

    *_, question, answer = json.loads(files["a0_numbers.ipynb"])["cells"]
    assert question["source"] == ["## Written answer: `a0.why` (2 points)\n", "\n", "Why?"]
    assert answer == {
        "cell_type": "markdown",
        "id": "answer-a0-why",
        "metadata": {"tags": ["answer:a0.why"]},
        "source": ["<!-- answer: a0.why -->\n", PLACEHOLDER],
    }
    assert files["a0_numbers.py"] == python_handout(STUB)


def test_each_exercise_ends_with_a_cell_that_checks_it() -> None:
    both = Exercise("a0.both", "a0_numbers", ("Counter", "double"), {})
    other = Exercise("b0.other", "b0_others", ("double",), {})

    files = handouts(STUB, "a0_numbers", exercises=[both, other])

    cells = json.loads(files["a0_numbers.ipynb"])["cells"]
    ids = [cell["id"] for cell in cells]
    assert ids[ids.index("Counter") + 1] == "check-a0-both"
    assert [one for one in ids if one.startswith("check-")] == ["check-a0-both"]
    check = cells[ids.index("check-a0-both")]
    assert check["metadata"] == {"tags": ["demo"]}
    assert "".join(check["source"]).endswith("\ngrader.check(Counter, double)")


def test_a_notebook_without_a_lecture_says_at_its_title_what_to_do() -> None:
    title, first, *_ = notebook_of(STUB)["cells"]

    assert "".join(title["source"]).startswith(
        "# Assignment 0: numbers\n\nA first paragraph.\n\nRep"
    )
    assert "".join(first["source"]).endswith("\nimport grader\n\ngrader.notebook()")


class TestALecture:
    def test_its_sections_stand_at_their_places(self) -> None:
        ids = [cell["id"] for cell in told_notebook()["cells"]]

        assert ids == [
            *("title", "tell-goal", "about", "tell-start", "contents", "how"),
            *("first", "setup", "text"),
            *("tell-before-a0-both", "about-double", "double", "demo-double"),
            *("text-2", "about-Counter", "Counter", "check-a0-both"),
            *("show-after-a0-both", "tell-after-a0-both", "demo", "tell-end"),
        ]

    def test_the_contents_list_its_headings_with_the_names_under_them(self) -> None:
        (contents,) = [cell for cell in told_notebook()["cells"] if cell["id"] == "contents"]

        assert "".join(contents["source"]).split("\n") == [
            "## Contents",
            "",
            "1. [Twice a number](#cell-id=tell-before-a0-both): `double`, `Counter`",
            "2. [The end](#cell-id=tell-end)",
        ]

    def test_a_picture_travels_in_its_cell(self) -> None:
        (goal,) = [cell for cell in told_notebook()["cells"] if cell["id"] == "tell-goal"]

        assert goal["attachments"] == {"goal.png": {"image/png": "QUJD"}}

    def test_the_python_file_knows_nothing_of_it(self) -> None:
        files = handouts(STUB, "a0_numbers", exercises=[BOTH], lecture=LECTURE)

        assert files["a0_numbers.py"] == python_handout(STUB)


def test_without_questions_there_is_no_file_for_answers() -> None:
    assert written_handout([]) == {}


def test_ids_are_unique_and_say_what_they_are_for() -> None:
    ids = [cell["id"] for cell in notebook_of(STUB)["cells"]]

    assert ids == [
        *("title", "first", "setup", "text", "about-double", "double", "demo-double"),
        *("text-2", "about-Counter", "Counter", "demo"),
    ]


@pytest.mark.parametrize(
    "name", ["함수", "f" * 200, "demo", "title"], ids=["korean", "long", "demo", "title"]
)
def test_any_name_gives_a_valid_notebook(name: str) -> None:
    stub = f'"""Title."""\n\n\ndef {name}():\n    pass\n\n\ndef {name}_2():\n    pass\n'
    notebook = notebook_of(stub)

    nbformat.validate(notebook)
    assert notebook_of(stub) == notebook


@pytest.mark.parametrize("path", REFERENCES, ids=lambda path: path.stem)
class TestEveryAssignment:
    def test_the_notebook_is_valid_and_as_jupyter_saves_it(self, path: Path) -> None:
        text = (ROOT / "assignments" / f"{path.stem}.ipynb").read_text("utf-8")
        notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]

        nbformat.validate(notebook)
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        assert nbformat.writes(notebook) + "\n" == text  # type: ignore[no-untyped-call]

    def test_there_are_no_outputs(self, path: Path) -> None:
        code = [c for c in notebook_of(stub_of(path))["cells"] if c["cell_type"] == "code"]

        assert [(c["outputs"], c["execution_count"]) for c in code] == [([], None)] * len(code)

    def test_both_kinds_hold_the_same_definitions(self, path: Path) -> None:
        stub = stub_of(path)
        cells = read_cells(notebook_handout(stub).encode())
        code = "\n\n".join(
            cell.source for cell in cells if cell.kind == "code" and "demo" not in cell.tags
        )

        assert definitions(code) == definitions(python_handout(stub)) == definitions(stub)

    def test_it_ends_with_something_to_try(self, path: Path) -> None:
        stub = stub_of(path)

        assert "demo" in notebook_of(stub)["cells"][-1]["metadata"]["tags"]
        assert "\n# demo\n" in python_handout(stub)

    def test_what_is_to_try_runs_on_the_reference(
        self, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        solved = tmp_path / path.name
        demo = python_handout(stub_of(path)).removeprefix(stub_of(path))
        solved.write_text(path.read_text("utf-8") + demo, "utf-8")

        runpy.run_path(str(solved), run_name="__main__")

        assert capsys.readouterr().out


def test_a_comment_behind_an_example_stays_behind_it() -> None:
    stub = 'def f():\n    """Two.\n\n    >>> f() * 2  # not three\n    4\n    """\n'

    assert "    print(f() * 2)  # not three\n    # 4\n" in python_handout(stub)
