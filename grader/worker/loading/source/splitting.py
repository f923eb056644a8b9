"""Split source that does not parse as a whole into the statements that do and the rest."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from ....text.language import _

PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError, SystemError)
ParseError = BaseException

_CONTINUES = re.compile(r"(?:else|elif|except|finally)\b|[)\]}\s#]|$")
_DEFINES = re.compile(r"(?:async\s+def|def|class|import|from)\s|@")
_INCOMPLETE = re.compile(r"unterminated|unexpected EOF|never closed|expected an indented|'except'")
_COMPOUND = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor,
    ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match,
)  # fmt: skip
_DIRECT_TRIES = 6
_LOOKAHEAD = 4
_LINE_BUDGET = 400_000
"""Limit on the lines parsed in all: keeps a hostile file from costing quadratic time."""
_ATTEMPT = 4
"""The cost of starting a parse, in lines."""
_MOST_BROKEN = 100


class Stated(SyntaxError):
    """An error that Python would call a syntax error, with a clearer message."""


class Broken(NamedTuple):
    """A stretch that could not be read: its first line, its text, and the error."""

    first_line: int
    text: str
    error: ParseError


@dataclass
class Pieces:
    statements: list[ast.stmt] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)


def line_of(error: ParseError) -> int | None:
    """Return the line that an error points to, or None."""
    line = error.lineno if isinstance(error, SyntaxError) else None
    return line if line and line > 0 else None


def explain(error: ParseError) -> str:
    """Explain in one line why the source could not be read."""
    if isinstance(error, Stated):
        return error.msg
    if isinstance(error, SyntaxError):
        return _("{error}: {message}", error=type(error).__name__, message=error.msg)
    if isinstance(error, RecursionError | MemoryError | SystemError):
        return _("this statement is nested too deeply: split it into several")
    return _("this statement cannot be read: {error}", error=error)


class Splitter:
    """Works through one text from error to error; line numbers stay those of the file."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [i for i, line in enumerate(self._lines) if not _CONTINUES.match(line)]
        self._spent = 0

    def split(self) -> Pieces:
        pieces = Pieces()
        here, end = 0, len(self._lines)
        while here < end:
            parsed = self._parse(here, end)
            if isinstance(parsed, list):
                pieces.statements += parsed
                break
            here = self._step(here, parsed, pieces)
        return pieces

    def _step(self, here: int, error: ParseError, pieces: Pieces) -> int:
        """Take the readable statements before the error and set the broken one aside.

        Return the index of the line to go on from.
        """
        line = line_of(error)
        at = len(self._lines) - 1 if line is None else line - 1
        start = self._sound_until(here, at)
        self._take(here, start, pieces)
        if self._spent > _LINE_BUDGET or len(pieces.broken) >= _MOST_BROKEN:
            late = SyntaxError(_("too many errors: the rest of the file was not read"))
            late.lineno = start + 1
            pieces.broken.append(Broken(start + 1, self._text(start, len(self._lines)), late))
            return len(self._lines)
        end = self._resume(start, start if line is None else self._nearest(start, at))
        start = self._before_indent(start, error, pieces)
        self._take(start, end, pieces)
        return end

    def _take(self, start: int, end: int, pieces: Pieces) -> None:
        parsed = self._parse(start, end)
        if isinstance(parsed, list):
            pieces.statements += parsed
        else:
            pieces.broken.append(Broken(start + 1, self._text(start, end), parsed))

    def _text(self, start: int, end: int) -> str:
        return "\n".join(self._lines[start:end])

    def _parse(self, start: int, end: int) -> list[ast.stmt] | ParseError:
        try:
            return self._tree("\n" * start, start, end)
        except PARSE_ERRORS as error:
            return error.with_traceback(None)

    def _sound(self, start: int, end: int) -> bool:
        try:
            self._tree("", start, end)
        except PARSE_ERRORS:
            return False
        return True

    def _tree(self, above: str, start: int, end: int) -> list[ast.stmt]:
        self._spent += end - start + _ATTEMPT
        return ast.parse(above + self._text(start, end)).body

    def _sound_until(self, here: int, at: int) -> int:
        """Return the last start of a statement, up to the error, before which everything parses."""
        starts = [s for s in self._starts if here < s <= at]
        for start in reversed(starts[-_DIRECT_TRIES:]):
            if self._sound(here, start):
                return start
        # far behind the error (an unclosed string toggles all later ones): bisect
        low, high = -1, max(0, len(starts) - _DIRECT_TRIES)
        while high - low > 1 and self._spent <= _LINE_BUDGET:
            middle = (low + high) // 2
            if self._sound(here, starts[middle]):
                low = middle
            else:
                high = middle
        return here if low < 0 else starts[low]

    def _nearest(self, start: int, at: int) -> int:
        """Return the index of the line that the error points to when the statement is parsed alone.

        For the whole text Python prefers to report open quotes further down.
        """
        later = (s for s in self._starts if s > start and not self._lines[s - 1].startswith("@"))
        error = self._parse(start, next(later, len(self._lines)))
        if not isinstance(error, SyntaxError) or _INCOMPLETE.search(error.msg):
            return at
        return min(at, (line_of(error) or at + 1) - 1)

    def _resume(self, start: int, at: int) -> int:
        """Return the index of the line to go on from.

        That is the next definition, or the next statement after the error.
        """
        for k, candidate in enumerate(self._starts):
            if candidate <= start:
                continue
            defines = _DEFINES.match(self._lines[candidate]) is not None
            if candidate > at and (defines or self._readable(k)):
                return candidate
            if candidate <= at and defines and self._readable(k):
                return candidate
        return len(self._lines)

    def _readable(self, k: int) -> bool:
        if self._spent > _LINE_BUDGET:
            return False
        ends = [*self._starts[k + 1 : k + 1 + _LOOKAHEAD], len(self._lines)]
        return any(self._sound(self._starts[k], end) for end in ends[:_LOOKAHEAD])

    def _before_indent(self, start: int, error: ParseError, pieces: Pieces) -> int:
        """Keep the complete simple statements above a stray indent.

        Return the index of the line at which the broken statement starts.
        """
        line = line_of(error)
        stray = isinstance(error, IndentationError) and error.msg == "unexpected indent"
        if not stray or line is None:
            return start
        above = self._parse(start, line - 1)
        if isinstance(above, list) and not any(isinstance(node, _COMPOUND) for node in above):
            pieces.statements += above
            return line - 1
        return start
