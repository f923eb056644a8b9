"""Tell which known mistakes a check cannot see, since nothing that it looks up uses them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from pathlib import Path

from ...course.paths import CoursePaths
from ...course.scope import Definition
from ...course.uses import Uses, reach, uses_of
from ..checks.checks import Check
from .mutants import KnownMistake


class Reach:
    """The definitions of the references that each check runs, read from their text."""

    def __init__(
        self,
        root: Path,
        assignments: Iterable[str],
        requested_names: Callable[[Check], Collection[str]],
    ) -> None:
        """Read nothing yet. `requested_names`: the names that a check looks up."""
        self._root, self._assignments = root, tuple(assignments)
        self._requested_names = requested_names
        self._reached: dict[str, frozenset[Definition]] = {}

    def rules_out(self, mistake: KnownMistake, failing: Iterable[Check]) -> bool:
        """Decide whether one of these failing checks never runs the definition with the mistake.

        It sees the reference's own values there, and the mistake need not be run.
        """
        edited = mistake.stem, mistake.entry.target.partition(".")[0]
        return any(edited not in self._of(check) for check in failing)

    def _of(self, check: Check) -> frozenset[Definition]:
        if check.id not in self._reached:
            stem = check.exercise.assignment
            starts = ((stem, name) for name in self._requested_names(check))
            self._reached[check.id] = frozenset().union(*(reach(s, self._uses) for s in starts))
        return self._reached[check.id]

    @cached_property
    def _uses(self) -> Uses:
        paths = CoursePaths(self._root)
        solutions = {stem: paths.solution(stem) for stem in self._assignments}
        return uses_of(
            {s: path.read_text(encoding="utf-8") for s, path in solutions.items() if path.is_file()}
        )
