"""Which tiers of isolation a run may use: never a weaker one than was asked for or is safe."""

from __future__ import annotations

import sys

from .language import _, either

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
            _(
                "isolation {tier} can't be had where each process is started anew ({why}). "
                "Next: --isolation none grades without it and marks every score",
                tier=wanted,
                why=_why_exec(),
            )
        )
    if hidden and wanted is None:
        raise IsolationError(
            _(
                "hidden criteria are not graded without isolation, and there is none where each "
                "process is started anew ({why}). Next: --isolation none grades them all the "
                "same and marks every score",
                why=_why_exec(),
            )
        )
    return ("none",)


def _why_exec() -> str:
    if sys.platform == "linux":
        return "--spawn"
    return _("--spawn, the only way on {system}", system=sys.platform)


def refused(wanted: tuple[str, ...], why: str) -> IsolationError:
    """None of the tiers in `wanted` could be reached, for the reasons in `why`."""
    below = TIERS[TIERS.index(wanted[-1]) + 1 :]
    told = _(
        "isolation {tier} can't be had here: {why}. Next: grader doctor --isolation",
        tier=either(wanted),
        why=why,
    )
    if not below:
        return IsolationError(told)
    weaker = either(f"--isolation {tier}" for tier in below)
    return IsolationError(
        _("{told}; {options} goes on with less and marks every score", told=told, options=weaker)
    )
