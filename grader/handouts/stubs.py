"""Turn a worked solution into the file a student starts with.

The lines between `# BEGIN SOLUTION` and `# END SOLUTION` are replaced by one line that raises
NotImplementedError; everything else, docstrings first of all, is the hand-out. The markers of
nbgrader and otter are read too, as they mean them. Pure: text in, text out.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from grader.handouts.foreign_markers import Dialect, MarkerError, Stub, dialect_of, taken_out
from grader.submission.file_choice import PLACEHOLDER

BEGIN = "# BEGIN SOLUTION"
END = "# END SOLUTION"
MAX_LINE = 100
_ALMOST_A_FENCE = re.compile(r"#+\s*(begin|end)[\s_-]*solutions?\b", re.IGNORECASE)


class StubError(Exception):
    """A reference from which no stub can be made. The message starts with file:line."""


@dataclass(frozen=True)
class Region:
    """A fenced solution: the lines of its fences, counted from 1, and the function around it."""

    begin: int
    end: int
    indent: str
    owner: str
    """The function whose solution it is, `CausalAttention.forward` for instance."""


def stub_source(reference: str, file: str) -> str:
    """Return the student's version of a reference. `file` is only used in messages.

    >>> print(stub_source(
    ...     "def one():\\n    # BEGIN SOLUTION\\n    return 1\\n    # END SOLUTION\\n", "one.py"
    ... ))
    def one():
        raise NotImplementedError("one: replace this line with your solution")
    <BLANKLINE>

    Raises StubError for a fence that is unbalanced, misspelt, empty or outside any function, and
    for a file without fences.
    """
    return stub_of(reference, file).text


def stub_of(reference: str, file: str) -> Stub:
    """Return the student's version of a reference, and what else they do not get.

    Raises StubError.
    """
    try:
        dialect = dialect_of(reference, file)
        if dialect is Dialect.OWN:
            return Stub(_own_stub(reference, file))
        stub = taken_out(reference, dialect, file)
    except MarkerError as error:
        raise StubError(str(error)) from error
    _parse(stub.text, f"{file} (its stub)")
    return stub


def _own_stub(reference: str, file: str) -> str:
    regions = solution_regions(reference, file)
    if not regions:
        raise StubError(f"{file}:1: no solution is fenced; write {BEGIN!r} and {END!r} around it")
    lines = reference.splitlines(keepends=True)
    kept: list[str] = []
    done = 0
    for region in regions:
        kept += lines[done : region.begin - 1]
        kept.append(_placeholder(region))
        done = region.end
    source = "".join(kept + lines[done:])
    _parse(source, f"{file} (its stub)")
    return source


def _placeholder(region: Region) -> str:
    indent, message = region.indent, f'"{region.owner}: {PLACEHOLDER} with your solution"'
    line = f"{indent}raise NotImplementedError({message})\n"
    if len(line) <= MAX_LINE + 1:
        return line
    return f"{indent}raise NotImplementedError(\n{indent}    {message}\n{indent})\n"


def solution_regions(reference: str, file: str) -> tuple[Region, ...]:
    """Return the fenced regions of a reference, in order."""
    tree = _parse(reference, file)
    owners = tuple(_functions(tree, ""))
    regions: list[Region] = []
    opened: tuple[int, str] | None = None
    for line, text, indent in _fences(reference, file):
        if text == BEGIN:
            if opened is not None:
                raise StubError(f"{file}:{line}: {BEGIN!r} inside the one of line {opened[0]}")
            opened = (line, indent)
        elif opened is None:
            raise StubError(f"{file}:{line}: {END!r} without a {BEGIN!r} before it")
        else:
            _require_code(reference, opened[0], line, file)
            regions.append(_region(opened, line, indent, owners, file))
            opened = None
    if opened is not None:
        raise StubError(f"{file}:{opened[0]}: {BEGIN!r} is never closed by {END!r}")
    return tuple(regions)


def _region(
    opened: tuple[int, str],
    end: int,
    end_indent: str,
    owners: tuple[tuple[int, int, str], ...],
    file: str,
) -> Region:
    begin, indent = opened
    if indent != end_indent:
        raise StubError(f"{file}:{end}: {END!r} is indented differently from line {begin}")
    around = [owner for owner in owners if owner[0] < begin]
    if not around or not indent or begin > around[-1][1]:
        raise StubError(f"{file}:{begin}: a solution must stand inside a function")
    return Region(begin, end, indent, around[-1][2])


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[int, int, str]]:
    """Yield first line, last line and qualified name of every top-level function and method."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child.lineno, child.end_lineno or child.lineno, prefix + child.name
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def _fences(source: str, file: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, text and indentation of every fence, which are comments and never strings."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not _ALMOST_A_FENCE.match(token.string):
            continue
        line, column = token.start
        indent = token.line[:column]
        if token.string.rstrip() not in (BEGIN, END) or indent.strip():
            raise StubError(
                f"{file}:{line}: {token.string!r} is not a fence; write {BEGIN!r} or {END!r},"
                " alone on its line"
            )
        yield line, token.string.rstrip(), indent


def _require_code(reference: str, begin: int, end: int, file: str) -> None:
    body = (text.strip() for text in reference.splitlines()[begin : end - 1])
    if all(not text or text.startswith("#") for text in body):
        raise StubError(f"{file}:{begin}: there is no code between the fences")


def _parse(source: str, file: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise StubError(f"{file}:{error.lineno or 1}: not valid Python: {error.msg}") from error
