"""Restrict grading to some of a course's exercises, checks and mistakes."""

from __future__ import annotations

from dataclasses import dataclass

Definition = tuple[str, str]
"""The stem of an assignment and the name of a definition in its file."""


@dataclass(frozen=True)
class Scope:
    """The restrictions on the grading of one submission."""

    only: tuple[str, ...] = ()
    """Slugs to grade, among those of `Options.only`; all of them if empty."""
    unknown: tuple[str, ...] = ()
    """Mistakes that `Result.without` must be computed without knowing."""
    seen_in: tuple[Definition, ...] | None = None
    """The definitions through which an edit of the reference can be seen.

    A check that asks for none of them gives what the reference gives, and is not run. None if
    nothing is known of an edit.
    """
    mistake: str = ""
    """The known mistake that a submission is, and nothing else; "" if nothing is known of it.

    A check that the mistake passes, on record and in the judge's own process, is not run on the
    submission as well.
    """
    about: tuple[Definition, ...] = ()
    """Definitions that alone are asked about: of their exercises, only some checks run.

    A check of such an exercise runs if it looks up one of them, and none of the exercise's targets
    in `absent`.
    """
    absent: tuple[Definition, ...] = ()
    diagnose: bool = True
    """True to look for the causes of failures, if the engine does."""
    until_failure: bool = False
    """True to stop at the first check that fails, those that most known mistakes fail first."""
    checks: tuple[str, ...] = ()
    """Ids of the checks that alone are run; all that are wanted otherwise if empty."""
