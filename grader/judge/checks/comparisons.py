"""The record of what one check compared; all requirements of a check write to the same one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .failure_details import FailureDetails


@dataclass
class Comparisons:
    """The comparisons of one check so far: filled while it runs, and read when it is over."""

    details: FailureDetails
    count: int = 0
    """The number of requirements that were made."""
    notes: list[str] = field(default_factory=list)
    precision: str | None = None
    """The coarsest precision in which values agreed; None if nothing was compared that has one."""
    compared: list[Any] = field(default_factory=list)
    """The student's values in comparisons, in order."""

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Forget what is compared meanwhile: it is no part of the check.

        A known mistake is looked for in what the check itself compared.
        """
        count, precision = self.count, self.precision
        notes, compared = len(self.notes), len(self.compared)
        try:
            yield
        finally:
            self.count, self.precision = count, precision
            del self.notes[notes:], self.compared[compared:]
