"""On what of a course a submission is graded, where that is not all of it."""

from __future__ import annotations

from dataclasses import dataclass

Definition = tuple[str, str]
"""Stem and name."""


@dataclass(frozen=True)
class Scope:
    """Narrows the grading of one submission."""

    only: tuple[str, ...] = ()
    """Slugs, among those of `Options.only`; all of them if empty."""
    unknown: tuple[str, ...] = ()
    """Mistakes that `Result.without` is to know nothing of."""
    seen_in: tuple[Definition, ...] | None = None
    """The definitions through which an edit of the reference can be seen: what asks for none of
    them gives what the reference gives, and is not run. None if nothing is known of an edit."""
    diagnose: bool = True
    """Whether to look for what is behind failures, where the engine does."""
