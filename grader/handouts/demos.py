"""Write the cells of a notebook in which students see what their own code does.

They are not graded. An exercise that is not written yet costs one line and no traceback, so that a
fresh hand-out runs from top to bottom. Text in, text out, except for `read_demos`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.course.paths import CoursePaths
from grader.handouts.stubs import StubError

SHARED = "shared.py"
"""The file that every notebook's demos begin with."""

_MARK = "# demo"
_TRY = "# Run this, change it, add to it: it is never graded."
_FIRST = """\
# demo
# Run this first. Is there no module `grader`? Install the course's package, once, by
# `%pip install FOLDER-OF-THE-COURSE` (in Colab upload that folder before, or clone it with git).
import grader

grader.notebook()"""
_HEADING = re.compile(r"#+\s+(?P<title>.+)")


@dataclass(frozen=True)
class Scene:
    """A text and the code under it; either may be empty."""

    text: str
    code: str
    title: str
    """The title of the text, or of the last text before it that has one."""


def first_cell() -> str:
    """Return the source of a notebook's first cell, which provides what the demos need."""
    return _FIRST


def try_cell(code: str) -> str:
    """Return the source of a cell in which to try what the code does.

    >>> print(try_cell("print(double(2))"))
    # demo
    with grader.trying():
        print(double(2))
    """
    return f"{_MARK}\nwith grader.trying():\n{indented(code)}" if code else f"{_MARK}\n{_TRY}"


def check_cell(targets: Iterable[str]) -> str:
    """Return the source of a cell that checks an exercise's targets live.

    >>> print(check_cell(["double", "Counter"]))
    # demo
    grader.check(double, Counter)
    """
    return f"{_MARK}\ngrader.check({', '.join(targets)})"


def try_section(titled: list[tuple[str, str]]) -> str:
    """Return the end of a `.py` file, in which to try the code of the (title, code) pairs.

    It runs only when the file is started by itself.
    """
    parts = [f"# {title}\n{code}" for title, code in titled if code]
    if not parts:
        return ""
    inner = indented("\n".join(parts))
    return f'\n\n{_MARK}\n{_TRY}\nif __name__ == "__main__":\n{inner}\n'


def indented(code: str) -> str:
    lines = code.rstrip().split("\n")
    return "\n".join(f"    {line}" if line else "" for line in lines)


def scenes(demos: str) -> list[Scene]:
    """Cut demos at their texts, which are the strings that stand by themselves.

    >>> scenes("'''# Three'''\\nprint(3)\\n\\n'''Why not 4?'''\\n")[0]
    Scene(text='# Three', code='# demo\\nprint(3)', title='Three')
    """
    lines = demos.split("\n")
    texts = [node for node in ast.parse(demos).body if _text_of(node)]
    made: list[Scene] = []
    for number, node in enumerate(texts, start=1):
        end = texts[number].lineno - 1 if number < len(texts) else len(lines)
        text = _text_of(node)
        heading = _HEADING.match(text)
        title = heading["title"] if heading else (made[-1].title if made else "demo")
        code = "\n".join(lines[node.end_lineno : end]).strip("\n")
        made.append(Scene(text, f"{_MARK}\n{code}" if code else "", title))
    return made


def read_demos(root: Path, stem: str) -> str:
    """Return the demos at the end of an assignment's notebook; empty if there are none.

    Raises StubError for demos that are not Python, or that do not begin with a text.
    """
    paths = CoursePaths(root)
    own = paths.demos / f"{stem}.py"
    if not own.is_file():
        return ""
    files = (paths.demos / SHARED, own)
    return "\n".join(_checked(path, paths.shown(path)) for path in files if path.is_file())


def _checked(path: Path, shown: str) -> str:
    source = path.read_text(encoding="utf-8")
    try:
        body = ast.parse(source).body
    except SyntaxError as error:
        raise StubError(f"{shown}:{error.lineno or 1}: not valid Python: {error.msg}") from error
    if not body or not _text_of(body[0]):
        raise StubError(f"{shown}:1: no text at the top. Next: say in a string what can be seen")
    return source


def _text_of(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return text.strip("\n")
    return ""
