"""Record which banned operations ran in a worker, and whether answers depend on them.

Operations that can be counted (see `grader.worker.kernels`) are read from a page that the worker
shares with the judge. For the others a hook watches some calls, and the worker reports what it saw:
that report is only advice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...grade.evidence import Where
from ...wire.frame import Meta
from ...worker.kernels import REACHING, is_counted
from ...worker.tally import MOST, Tally

Place = Callable[[Any, Any, Any], "Where | None"]
"""Gives the place for a file, a cell and a line; None if there is no such place."""


class Ran:
    """The banned operations that ran, by exercise and name, each with a line of the student's.

    That line led to the operation.
    """

    def __init__(
        self,
        place: Place,
        operators: Mapping[str, tuple[str, ...]] | None = None,
        files: Sequence[str] = (),
    ) -> None:
        """Choose the operations to count.

        `operators`: banned name -> the operators that torch runs for it. `files`: the submission's
        files, in the order in which they were sent.
        """
        self._place, self._files = place, files
        known = (operators or {}).items()
        counted = [(name, ops) for name, ops in known if is_counted(name, ops)]
        self.counted = dict(counted[:MOST])
        """The names that a worker counts, in the order of the numbers in its tally."""
        self._names = tuple(self.counted)
        self._slug, self._check, self._hidden = "", "", False
        self._hooked = "", tuple[str, ...]()
        self._places: dict[str, dict[str, Where | None]] = {}
        self._reported: dict[str, dict[str, Where | None]] = {}
        self._checks: dict[str, list[str]] = {}
        self._depends: set[str] = set()
        self._events: set[int] = set()
        self.is_closed = False
        """True while what runs says nothing about the submission, such as hooks of our own."""

    # ---- counted -------------------------------------------------------------------------

    def begin(self, slug: str = "", check: str = "", *, hidden: bool = False) -> None:
        """Attribute all counts from now on to this check; without a check, to nobody."""
        self._slug, self._check, self._hidden = slug, check, hidden

    def take(self, tally: Tally) -> bool:
        """Read a worker's new counts; return whether there were any."""
        news = tally.news()
        if self.is_closed:
            return False
        self._events.update(tally.events())
        for number, count in news if self._slug else ():
            if number < len(self._names):
                self._take(self._names[number], count.file, count.cell, count.line)
        return bool(news)

    def _take(self, name: str, file: int, cell: int, line: int) -> None:
        places = self._places.setdefault(self._slug, {})
        checks = self._checks.setdefault(self._slug, [])
        if self._check not in checks:
            checks.append(self._check)
        # Which line a worker names could tell what a hidden check called it with.
        where = None
        if not self._hidden and 0 < file <= len(self._files):
            where = self._place(self._files[file - 1], cell or None, line)
        places[name] = places.get(name) or where

    def of(self, slug: str) -> Mapping[str, Where | None]:
        """Return what was counted in an exercise's checks: name -> a line of the student's.

        The line led to it; None if it is not known or must not be told.
        """
        return self._places.get(slug, {})

    def all(self, slug: str) -> Mapping[str, Where | None]:
        """Return what ran in an exercise's checks, whether counted or reported by a worker."""
        return {**self.reported(slug), **self.of(slug)}

    def checks(self, slug: str) -> Sequence[str]:
        """Return the checks of an exercise in which something was counted."""
        return self._checks.get(slug, ())

    def prove(self, slug: str) -> None:
        """Note that an exercise's answers depend on what was counted."""
        self._depends.add(slug)

    def is_proven(self, slug: str) -> bool:
        """Tell whether an exercise's answers were shown to depend on what was counted."""
        return slug in self._depends

    @property
    def events(self) -> Sequence[str]:
        """Return the actions of student code that could have kept something from being counted."""
        return [REACHING[number] for number in sorted(self._events) if number < len(REACHING)]

    # ---- reported-----------------------------------------------------------------------

    def watch(self, slug: str, names: Sequence[str]) -> None:
        """Look for these names in the calls that follow, except for those that are counted."""
        names = tuple(name for name in names if name not in self.counted)
        self._hooked = slug, names
        if names:
            self._reported.setdefault(slug, {})

    def watched(self, slug: str) -> bool:
        """Tell whether a hook watched any call for that exercise."""
        return slug in self._reported

    def reported(self, slug: str) -> Mapping[str, Where | None]:
        """Return what a worker reports to have run: name -> the student's line that led to it."""
        return self._reported.get(slug, {})

    @property
    def settings(self) -> Meta:
        """Return the names to watch for, as settings that go to the worker with a call."""
        names = self._hooked[1]
        return {"watch": list(names)} if names else {}

    def note(self, noted: Any) -> None:
        """Take in a worker's report about a call; keep only names that were asked for."""
        slug, names = self._hooked
        for row in noted if type(noted) is list else ():
            if type(row) is list and len(row) == 4 and row[0] in names:
                self._reported[slug].setdefault(row[0], self._place(*row[1:]))
