"""Which tiers of isolation a run may use: never a weaker one than was asked for or is safe."""

from __future__ import annotations

import sys

TIERS = ("full", "partial", "none")
"""The best one first."""


class IsolationError(Exception):
    """The isolation that this run needs can't be had. Says why, and what to do next."""


def acceptable(wanted: str | None, *, hidden: bool, by_exec: bool) -> tuple[str, ...]:
    """The tiers to try, best first, for the option as it was given (None if it was not).

    Hidden criteria are graded without isolation only where that was asked for in so many words.

    >>> acceptable(None, hidden=False, by_exec=False)
    ('full', 'partial', 'none')
    >>> acceptable(None, hidden=True, by_exec=False)
    ('full', 'partial')

    Raises IsolationError if no tier is left.
    """
    tiers = TIERS if wanted is None else (wanted,)
    if not by_exec:
        return tuple(tier for tier in tiers if tier != "none" or wanted or not hidden)
    if "none" not in tiers:
        raise IsolationError(
            f"isolation {wanted} can't be had where each process is started anew "
            f"({_why_exec()}). Next: --isolation none grades without it and marks every score"
        )
    if hidden and wanted is None:
        raise IsolationError(
            f"hidden criteria are not graded without isolation, and there is none where each "
            f"process is started anew ({_why_exec()}). Next: --isolation none grades them all the "
            "same and marks every score"
        )
    return ("none",)


def _why_exec() -> str:
    return "--spawn" if sys.platform == "linux" else f"--spawn, the only way on {sys.platform}"


def refused(wanted: tuple[str, ...], why: str) -> IsolationError:
    """None of the tiers in `wanted` could be reached, for the reasons in `why`."""
    best, below = " or ".join(wanted), TIERS[TIERS.index(wanted[-1]) + 1 :]
    weaker = " or ".join(f"--isolation {tier}" for tier in below)
    then = f"; {weaker} goes on with less and marks every score" if weaker else ""
    return IsolationError(
        f"isolation {best} can't be had here: {why}. Next: grader doctor --isolation{then}"
    )
