"""Which of the functions that exercises ban were seen to run, as the worker tells it: advice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..evidence import Where
from ..wire.frame import Meta

Place = Callable[[Any, Any, Any], "Where | None"]
"""The place that a file, a cell and a line name, if it exists."""


class Ran:
    """Looks for functions by name in some calls, each time for one exercise."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._slug, self._names = "", tuple[str, ...]()
        self._found: dict[str, dict[str, Where | None]] = {}

    def watch(self, slug: str, names: tuple[str, ...]) -> None:
        """Look for these in the calls that follow; without names for nothing."""
        self._slug, self._names = slug, names
        if names:
            self._found.setdefault(slug, {})

    def watched(self, slug: str) -> bool:
        """Whether anything was looked for in calls for that exercise."""
        return slug in self._found

    def of(self, slug: str) -> Mapping[str, Where | None]:
        """What ran -> the student's line that led to it."""
        return self._found.get(slug, {})

    @property
    def settings(self) -> Meta:
        """What the worker has to be told with a call."""
        return {"watch": list(self._names)} if self._names else {}

    def note(self, noted: Any) -> None:
        """Take in what the worker said of a call: names that were asked for, and nothing else."""
        for row in noted if type(noted) is list else ():
            if type(row) is list and len(row) == 4 and row[0] in self._names:
                self._found[self._slug].setdefault(row[0], self._place(*row[1:]))
