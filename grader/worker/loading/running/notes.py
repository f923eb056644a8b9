"""Collect what happened while loading, in words a student can act on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple

from ....text.language import _, ngettext
from ....wire.load_report import LoadNote
from ..source.sources import Fault, spot
from ..source.statements import Statement

_TEXT_LIMIT = 300
_SNIPPET_LIMIT = 60


class CodePlace(NamedTuple):
    """A place in the submission."""

    file: str
    cell: int | None
    line: int


class Notes:
    """The problems and notes of one submission, each said once, in order of appearance."""

    def __init__(self) -> None:
        self._items: list[LoadNote] = []
        self._noted: set[tuple[str, str]] = set()

    @property
    def all(self) -> tuple[LoadNote, ...]:
        """Return all problems and notes so far."""
        return tuple(self._items)

    def problem(self, text: str, file: str, line: int | None, cell: int | None = None) -> None:
        self._add("problem", text, file, line, cell)

    def note(self, text: str, file: str, line: int | None, cell: int | None = None) -> None:
        self._add("note", text, file, line, cell)

    def _add(self, kind: str, text: str, file: str, line: int | None, cell: int | None) -> None:
        item = LoadNote(kind, text, file, line, cell)
        if item not in self._items:
            self._items.append(item)

    def unreadable(self, file: str, fault: Fault) -> None:
        if fault.is_whole:
            text = _("{problem}. Nothing of it is loaded.", problem=fault.message)
        else:
            text = _("{problem}. The rest of the file is loaded.", problem=fault.message)
        self.problem(text, file, fault.line, fault.cell)

    def unimported(
        self, name: str, text: str, file: str, line: int | None, cell: int | None
    ) -> None:
        """Add a problem, unless something was said already about this name in this file."""
        if (file, name) not in self._noted:
            self._noted.add((file, name))
            self._items.append(LoadNote("problem", text, file, line, cell, name))

    def absent(self, where: CodePlace, top: str, why: str, expected: bool) -> None:
        """Report a module that is not there: as a note if that is expected, else as a problem."""
        file, cell, line = where
        if (file, top) in self._noted:
            return
        self._noted.add((file, top))
        text = _(
            "{why}; whatever comes from it does nothing, and graded code must not use it", why=why
        )
        (self.note if expected else self.problem)(text, file, line, cell)

    def timed_out(self, file: str, statement: Statement) -> None:
        self.note(
            _(
                "{statement} ran too long and was left out when loading again: put it under "
                '`if __name__ == "__main__":`',
                statement=snippet(statement),
            ),
            file,
            statement.line,
            statement.block.cell,
        )

    def left_out(self, file: str, statements: list[Statement]) -> None:
        """Add one note for all statements that no target needs."""
        first = statements[0]
        self.note(
            ngettext(
                "1 statement was not run (first: {first}): no exercise needs the result",
                "{count} statements were not run (first: {first}): no exercise needs the result",
                len(statements),
                first=snippet(first),
            ),
            file,
            first.line,
            first.block.cell,
        )

    def follows(self, file: str, statement: Statement, name: str) -> None:
        self.note(
            _(
                "{statement} was not run: it uses `{name}`, which was left out",
                statement=snippet(statement),
                name=name,
            ),
            file,
            statement.line,
            statement.block.cell,
        )

    def failed(
        self,
        file: str,
        statement: Statement,
        error: BaseException,
        places: Mapping[str, tuple[str, int | None]],
    ) -> None:
        """Report a statement that raised, at the innermost line that is the student's."""
        # not error.__traceback__, which a class can overwrite
        where = innermost(sys.exc_info()[2], places)
        at_file, line, cell = where or (file, statement.line, statement.block.cell)
        what = snippet(statement)
        if (at_file, cell, line) != (file, statement.block.cell, statement.line):
            what += f" ({spot(file, statement.block.cell, statement.line)})"
        self.problem(_stopped(what, error), at_file, line, cell)


def _stopped(statement: str, error: BaseException) -> str:
    fault, advice = describe(error), _advice(error)
    if not advice:
        return _(
            "{statement} stopped with {error}. The rest of the file is loaded.",
            statement=statement,
            error=fault,
        )
    return _(
        "{statement} stopped with {error}: {advice}. The rest of the file is loaded.",
        statement=statement,
        error=fault,
        advice=advice,
    )


def _advice(error: BaseException) -> str:
    if type(error) is SystemExit:
        return _("the request to end the program is ignored")
    if type(error) is EOFError:
        return _("nobody types while grading, so input() finds the end of the file")
    return ""


def describe(error: BaseException) -> str:
    """Return `Type: message` on one line, shortened, whatever the message does."""
    try:
        message = " ".join(str(error).split())
    except BaseException:
        message = _("(its message cannot be shown)")
    # type.__name__ of a hostile metaclass is theirs; this one is not
    name = type.__dict__["__name__"].__get__(type(error))
    text = f"{name}: {message}" if message else str(name)
    return text if len(text) <= _TEXT_LIMIT else text[: _TEXT_LIMIT - 1] + "…"


def snippet(statement: Statement) -> str:
    """Return the statement's first line in back quotes, shortened."""
    line = statement.block.seen.split("\n")[statement.line - 1].strip().replace("`", "'")
    return f"`{line}`" if len(line) <= _SNIPPET_LIMIT else f"`{line[: _SNIPPET_LIMIT - 1]}…`"


def innermost(
    traceback: TracebackType | None, places: Mapping[str, tuple[str, int | None]]
) -> tuple[str, int, int | None] | None:
    """Return file, line and cell of the last frame that runs student code."""
    innermost_place = None
    while traceback is not None:
        place = places.get(traceback.tb_frame.f_code.co_filename)
        if place is not None:
            innermost_place = (place[0], traceback.tb_lineno, place[1])
        traceback = traceback.tb_next
    return innermost_place
