"""Choose the tiers of isolation a run may use: never weaker than asked for or than is safe."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from ..text.language import _, either
from ..text.typed import here

TIERS = ("full", "partial", "none")
"""The best one first."""


class IsolationError(Exception):
    """This run's isolation can't be reached. The message says why, and what to do next."""


@dataclass(frozen=True)
class RunTiers:
    """The tiers that a run may still have: several until a lane is up, then the one that it has."""

    tiers: tuple[str, ...]
    """Best first."""

    @property
    def known(self) -> str:
        """Return the tier of the run; `none` as long as several can be had."""
        return self.tiers[0] if len(self.tiers) == 1 else "none"

    def held_to(self, tier: str) -> RunTiers:
        """Return what is left once a lane has this tier.

        Raises IsolationError if it is none of those that the run may have.
        """
        if tier in self.tiers:
            return RunTiers((tier,))
        raise IsolationError(
            _(
                "isolation changed from {before} to {after} while grading. Results so far "
                "are good. Next: {command}",
                before=self.tiers[0],
                after=tier,
                command=here().command("doctor", "--isolation"),
            )
        )


def acceptable(
    wanted: str | None, *, hidden: bool, by_exec: bool, sealed: bool = False
) -> tuple[str, ...]:
    """Return the tiers to try, best first, for the option as it was given (None if it was not).

    Hidden criteria are graded without isolation only where that was asked for in so many words, and
    a sealed course never: its key is in the memory of the parent and the judge.

    >>> acceptable(None, hidden=False, by_exec=False)
    ('full', 'partial', 'none')
    >>> acceptable(None, hidden=True, by_exec=False)
    ('full', 'partial')

    Raises IsolationError if no tier is left.
    """
    if sealed and (by_exec or wanted == "none"):
        raise IsolationError(
            _(
                "a sealed course is not graded without isolation: a submission could look for its "
                "key in other processes. Next: leave out {option}, on a Linux machine",
                option=_why_exec() if by_exec else "--isolation none",
            )
        )
    hidden = hidden or sealed
    tiers = TIERS if wanted is None else (wanted,)
    if not by_exec:
        return tuple(tier for tier in tiers if tier != "none" or wanted or not hidden)
    if "none" not in tiers:
        raise IsolationError(
            _(
                "isolation {tier} is not available with {why}. "
                "Next: --isolation none grades without it and marks every score",
                tier=wanted,
                why=_why_exec(),
            )
        )
    if hidden and wanted is None:
        raise IsolationError(
            _(
                "hidden criteria are not graded without isolation, which is not available with "
                "{why}. Next: --isolation none grades them anyway and marks every score",
                why=_why_exec(),
            )
        )
    return ("none",)


def _why_exec() -> str:
    if sys.platform == "linux":
        return "--spawn"
    return _("--spawn, the only way on {system}", system=sys.platform)


def refused(wanted: tuple[str, ...], why: str) -> IsolationError:
    """Build the error for a machine where no tier in `wanted` can be reached, with its reason."""
    below = TIERS[TIERS.index(wanted[-1]) + 1 :]
    message = _(
        "isolation {tier} is not available here: {why}. Next: {command}",
        tier=either(wanted),
        why=why,
        command=here().command("doctor", "--isolation"),
    )
    if not below:
        return IsolationError(message)
    weaker = either(f"--isolation {tier}" for tier in below)
    return IsolationError(
        _(
            "{message}; {options} grades with weaker isolation and marks every score",
            message=message,
            options=weaker,
        )
    )
