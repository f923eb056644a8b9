"""Write the hand-out of one assignment: its stub as a `.py` file and as a notebook.

Both come from the same text, so that a solution can be pasted from one into the other. Pure: text
in, text out.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from grader.course.question_text import ANSWERS_FILE, TAG, answer_text, answers_file, question_text
from grader.course.questions import WrittenItem
from grader.course.rubric import Exercise
from grader.handouts import contents
from grader.handouts.demos import check_cell, first_cell, scenes, try_cell, try_section
from grader.handouts.examples import examples_of
from grader.handouts.handout_piece import HandoutPiece
from grader.handouts.lectures import Lecture
from grader.handouts.prose import Equations, markdown_of
from grader.handouts.short_docstrings import Definition, with_short_docstrings
from grader.handouts.told_pieces import TITLE, closing, opening, with_lecture

_HOW = (
    "Replace each line that raises `NotImplementedError` by your solution, and keep the names. "
    "Only the code is graded: outputs may stay. Cells that begin with `# demo` are never graded: "
    "run them, change them, add to them. `grader.check` in them is practice, and hands in nothing."
)
_NO_LECTURE = Lecture()
_NOT_IN_AN_ID = re.compile(r"[^a-zA-Z0-9_-]+")
_ID_LENGTH = 64
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def python_handout(stub: str) -> str:
    """Return the stub with its examples at the end, ready to run."""
    nodes = [node for node in ast.parse(stub).body if isinstance(node, _DEFINITIONS)]
    return stub + try_section([(node.name, examples_of(node)) for node in nodes])


def handouts(
    stub: str,
    stem: str,
    *,
    demos: str = "",
    written: Iterable[WrittenItem] = (),
    exercises: Iterable[Exercise] = (),
    lecture: Lecture = _NO_LECTURE,
) -> dict[str, str]:
    """Return file name and content of an assignment's hand-outs.

    They hold the assignment's own questions among `written`, and a cell to check each of its own
    among `exercises`. Questions are asked in the notebook; for a `.py` file they stand in a file of
    their own.
    """
    own = [item for item in written if item.assignment == stem]
    own_exercises = [exercise for exercise in exercises if exercise.assignment == stem]
    return {
        f"{stem}.py": python_handout(stub),
        f"{stem}.ipynb": notebook_handout(
            stub, demos, written=own, exercises=own_exercises, lecture=lecture
        ),
    }


def written_handout(written: Iterable[WrittenItem]) -> dict[str, str]:
    """Return the file in which all questions of a course are answered, if there are any."""
    items = tuple(written)
    return {ANSWERS_FILE: answers_file(items)} if items else {}


def notebook_handout(
    stub: str,
    demos: str = "",
    *,
    written: Iterable[WrittenItem] = (),
    exercises: Iterable[Exercise] = (),
    lecture: Lecture = _NO_LECTURE,
) -> str:
    """Return the stub as a notebook of nbformat 4.5: a text and a code cell for each definition.

    The docstrings are the text; in the code stand their first paragraphs, and the shapes. Each
    exercise ends with a cell that checks it. The demos and the questions come last, each question
    with a cell for the answer. Before the first code stands a cell with what demos, and imports of
    other assignments, need. What the lecture tells stands around all that. The text is byte for
    byte what Jupyter would write, with ids that only depend on the names in the stub, the headings
    of the demos, the places in the lecture and the slugs of exercises and questions.
    """
    used: set[str] = set()
    own = list(exercises)
    groups = [(exercise.slug, exercise.targets) for exercise in own]
    cells = _with_checks(list(pieces(stub, lecture.equations)), own)
    cells = with_lecture(_opened(cells, lecture), lecture, groups)
    before = next((n for n, piece in enumerate(cells) if piece.kind == "code"), len(cells))
    cells.insert(before, HandoutPiece("code", first_cell(), "first", is_demo=True))
    cells += [*_demos(demos), *_questions(written), *closing(lecture)]
    made = [_cell(piece, used) for piece in cells]
    contents.fill(made)
    notebook = {
        "cells": made,
        "metadata": _METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def pieces(stub: str, equations: Equations | None = None) -> Iterator[HandoutPiece]:
    """Yield the cells of a stub in order."""
    last = None
    for last in _pieces(stub, equations or {}):
        yield last
    if last is None or not last.is_demo:
        yield HandoutPiece("code", try_cell(""), "demo", is_demo=True)


def _opened(cells: list[HandoutPiece], lecture: Lecture) -> list[HandoutPiece]:
    """Return the cells with all that stands before the first exercise."""
    title = cells[0] if cells[0].name == TITLE else HandoutPiece("markdown", "", TITLE)
    if title is not cells[0]:
        return [*(opening(title, lecture, _HOW) if lecture.sections else ()), *cells]
    return [*opening(title, lecture, _HOW), *cells[1:]]


def _with_checks(cells: list[HandoutPiece], exercises: Iterable[Exercise]) -> list[HandoutPiece]:
    """Insert, for each exercise, a cell that checks it behind the last cell about its targets."""
    for exercise in exercises:
        own = {name for target in exercise.targets for name in (target, f"demo-{target}")}
        last = max((n for n, piece in enumerate(cells) if piece.name in own), default=None)
        if last is not None:
            check = check_cell(exercise.targets)
            cells.insert(
                last + 1, HandoutPiece("code", check, f"check-{exercise.slug}", is_demo=True)
            )
    return cells


def _demos(demos: str) -> Iterator[HandoutPiece]:
    for scene in scenes(demos):
        name = f"see-{scene.title.lower()}"
        yield HandoutPiece("markdown", scene.text, f"about-{name}")
        if scene.code:
            yield HandoutPiece("code", scene.code, name, is_demo=True)


def _questions(written: Iterable[WrittenItem]) -> Iterator[HandoutPiece]:
    for item in written:
        yield HandoutPiece("markdown", question_text(item), f"question-{item.slug}")
        yield HandoutPiece(
            "markdown", answer_text(item), f"answer-{item.slug}", tag=f"{TAG}{item.slug}"
        )


def _pieces(stub: str, equations: Equations) -> Iterator[HandoutPiece]:
    lines = stub.split("\n")
    waiting: list[str] = []
    """Code that is no definition: imports, constants."""
    at = 0
    for position, node in enumerate(ast.parse(stub).body):
        first = _first_line(node)
        comment = _attached_comment(lines, at, first)
        texts = _paragraphs(lines[at:comment])
        end = node.end_lineno or first
        if waiting and (texts or isinstance(node, _DEFINITIONS) or _text_of(node) is not None):
            yield _code(waiting)
            waiting = []
        yield from (HandoutPiece("markdown", text, "text") for text in texts)
        source = lines[comment:end]
        text = _text_of(node)
        if text is not None:
            yield _text(text, equations, is_title=position == 0)
        elif isinstance(node, _DEFINITIONS):
            short = with_short_docstrings(node, source, comment)
            yield from _definition(node, short, equations)
        else:
            waiting += [*([""] * (comment - at) if waiting else []), *source]
        at = end
    if waiting:
        yield _code(waiting)
    yield from (HandoutPiece("markdown", text, "text") for text in _paragraphs(lines[at:]))


def _definition(
    node: Definition, source: list[str], equations: Equations
) -> Iterator[HandoutPiece]:
    about = "\n\n".join(_texts_of(node, equations))
    yield HandoutPiece("markdown", about, f"about-{node.name}")
    yield HandoutPiece("code", "\n".join(source), node.name)
    examples = examples_of(node)
    if examples:
        yield HandoutPiece("code", try_cell(examples), f"demo-{node.name}", is_demo=True)


def _texts_of(node: Definition, equations: Equations) -> Iterator[str]:
    """Yield the heading and the text of a definition, and of the methods of a class."""
    yield f"## `{node.name}`"
    methods = node.body if isinstance(node, ast.ClassDef) else []
    for one in (node, *methods):
        docstring = ast.get_docstring(one) if isinstance(one, _DEFINITIONS) else None
        if docstring is None:
            continue
        if one is not node and isinstance(one, _DEFINITIONS):
            yield f"#### `{node.name}.{one.name}`"
        yield markdown_of(docstring, equations)


def _code(lines: list[str]) -> HandoutPiece:
    return HandoutPiece("code", "\n".join(lines), "setup")


def _text(value: str, equations: Equations, *, is_title: bool) -> HandoutPiece:
    text = inspect.cleandoc(value)
    if not is_title:
        return HandoutPiece("markdown", text, "text")
    title, _, rest = text.partition("\n")
    body = markdown_of(rest.strip("\n"), equations)
    parts = (f"# {title.rstrip('.')}", body)
    return HandoutPiece("markdown", "\n\n".join(part for part in parts if part), TITLE)


def _text_of(node: ast.stmt) -> str | None:
    """Return the text of a bare string; None for any other statement."""
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text
    return None


def _first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, _DEFINITIONS) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1


def _attached_comment(lines: list[str], at: int, first: int) -> int:
    """Return the first line of the comment that stands directly above a statement."""
    while first > at and lines[first - 1].startswith("#"):
        first -= 1
    return first


def _paragraphs(lines: list[str]) -> list[str]:
    """Return the text of comments that stand by themselves, without their marks."""
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines).strip("\n")
    return [text] if text.strip() else []


def _cell(piece: HandoutPiece, used: set[str]) -> dict[str, Any]:
    tags = ["demo"] * piece.is_demo + [piece.tag] * bool(piece.tag)
    cell: dict[str, Any] = {
        "cell_type": piece.kind,
        "id": _id(piece.name, used),
        "metadata": {"tags": tags} if tags else {},
        "source": piece.source.splitlines(keepends=True),
    }
    if piece.pictures:
        cell["attachments"] = {name: {"image/png": png} for name, png in piece.pictures.items()}
    return {**cell, "execution_count": None, "outputs": []} if piece.kind == "code" else cell


def _id(name: str, used: set[str]) -> str:
    """Return a cell id that is unique in the notebook, and the same every time."""
    base = _NOT_IN_AN_ID.sub("-", name)[: _ID_LENGTH - 4]
    unique = next(one for one in (base, *(f"{base}-{n}" for n in range(2, 999))) if one not in used)
    used.add(unique)
    return unique
