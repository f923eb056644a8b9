"""Cut what a student's text has in place of the reference's into pieces.

Each piece replaces some lines of the reference, and can be put in alone or with others. Nothing of
a text is run. But a text that nobody has read may be too deep for a parser or too large, so that
`pieces_of` reads it in a process of its own, with limits.
"""

from __future__ import annotations

import ast
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher

from .plain_code import unusual
from .statement_lines import StatementLine, definitions, lines_of, start_of
from .variables import renamed_like

MOST_BYTES = 200_000
"""A longer text is nobody's assignment."""
_MEMORY, _CPU_S = 2 << 30, 20


@dataclass(frozen=True)
class TextPiece:
    """Lines of a reference, and what the student has there."""

    definition: str
    """The function or class at the top of the file in which it is."""
    first: int
    """The first line that it replaces, from 1."""
    last: int
    """The last one; before the first where it only adds something."""
    text: tuple[str, ...]
    unusual: str
    """A name in it that no exercise needs, such as `open`, for whoever lets it run; or ""."""


@dataclass(frozen=True)
class Helper:
    """A definition or import of the student's that their text uses."""

    name: str
    text: str
    unusual: str


@dataclass(frozen=True)
class OwnPieces:
    """All in which a student's definitions differ from the reference's."""

    pieces: tuple[TextPiece, ...]
    helpers: tuple[Helper, ...]
    before: int
    """The line of the reference before which helpers stand."""


def own_pieces(reference: str, student: str, names: Sequence[str]) -> OwnPieces:
    """Return the pieces of the definitions called `names` that both texts have.

    Names of variables are the reference's, as far as it is clear which is which. Raises
    SyntaxError, RecursionError and MemoryError for a text that cannot be read.
    """
    right, theirs = ast.parse(reference), ast.parse(student)
    old, new = definitions(right), definitions(theirs)
    shared = [name for name in names if name in old and name in new]
    pieces = tuple(
        piece
        for name in shared
        for piece in _pieces(name, old[name], renamed_like(new[name], old[name]), reference)
    )
    taken = {name for node in right.body for name in _bound(node)}
    lines = [start_of(old[name]) for name in shared]
    return OwnPieces(pieces, tuple(_helpers(theirs, taken)), min(lines, default=1))


def _pieces(name: str, old: ast.stmt, new: ast.stmt, reference: str) -> Iterator[TextPiece]:
    """Yield where two versions of a definition differ, as few lines at a time as can be."""
    ours, theirs = lines_of(old, reference), lines_of(new, "")
    matcher = SequenceMatcher(None, _keys(ours), _keys(theirs), autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            continue
        step = 1 if j - i == m - k else max(j - i, m - k)
        for at in range(0, max(j - i, m - k), step):
            gone, come = (
                ours[i + at : min(i + at + step, j)],
                theirs[k + at : min(k + at + step, m)],
            )
            yield _piece(name, ours, i + at, gone, come)


def _keys(lines: Sequence[StatementLine]) -> list[tuple[int, str]]:
    return [(line.depth, line.text) for line in lines]


def _piece(
    name: str,
    ours: Sequence[StatementLine],
    at: int,
    gone: Sequence[StatementLine],
    come: Sequence[StatementLine],
) -> TextPiece:
    if gone:
        first, last = gone[0].first, gone[-1].last
    else:
        first = ours[at - 1].last + 1 if at else ours[0].first
        last = first - 1
    text = tuple(f"{'    ' * line.depth}{each}" for line in come for each in line.text.split("\n"))
    names = (unusual(node) for line in come for node in line.nodes)
    return TextPiece(name, first, last, text, next(filter(None, names), ""))


def _helpers(tree: ast.Module, taken: Iterable[str]) -> Iterator[Helper]:
    """Yield what a student's text defines or imports beside what the reference has."""
    known = frozenset(taken)
    for node in tree.body:
        for name in _bound(node):
            if name not in known:
                yield Helper(name, ast.unparse(node), unusual(node))


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (one.id for one in node.targets if isinstance(one, ast.Name))
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def pieces_of(reference: str, student: str, names: Sequence[str]) -> OwnPieces | None:
    """Return `own_pieces`, worked out by a process with limits; None if the text is no program."""
    if len(student) > MOST_BYTES:
        return None
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name],
        input=json.dumps([reference, student, list(names)]),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    if done.returncode:
        return None
    answer = json.loads(done.stdout)
    pieces = (TextPiece(**{**one, "text": tuple(one["text"])}) for one in answer["pieces"])
    helpers = (Helper(**one) for one in answer["helpers"])
    return OwnPieces(tuple(pieces), tuple(helpers), answer["before"])


def _main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    reference, student, names = json.load(sys.stdin)
    try:
        pieces = own_pieces(reference, student, names)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return 1
    json.dump(asdict(pieces), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
