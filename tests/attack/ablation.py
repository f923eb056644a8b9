"""Every attack again with layers left out: it must succeed exactly where all that stops it is gone.

So no attack is inert, and no layer gets the praise for what another one does. Runs as an ordinary
user: what nobody but root may do is then refused by the kernel in every run alike.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from tests.attack.arena import Arena, Tried, arena
from tests.attack.attack import OTHERS, Attack, End

NOT_IN_NONE = frozenset(
    {"namespaces", "scratch", "user", "capabilities", "landlock", "seccomp", "undumpable"}
)
"""What tier none lacks of what tier full has."""
JAIL = frozenset({*NOT_IN_NONE, "limits"})
"""An attack that only these stop is tried in the ablation; others have controls of their own."""
ATTEMPTS = 5
"""The clock may end an attack that must succeed where a disk is busy (2,200 files in 2 s)."""


@dataclass(frozen=True)
class Less:
    """A tier with layers left out."""

    tier: str
    without: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tier} without {' and '.join(self.without)}" if self.without else self.tier

    def lacks(self) -> frozenset[str]:
        return frozenset(self.without) | (NOT_IN_NONE if self.tier == "none" else frozenset())

    def lets_through(self, attack: Attack) -> bool:
        """Whether an attack must succeed here."""
        return set(attack.stops(self.tier)) <= self.lacks()


RUNS = (
    Less("none"),
    Less("none", ("limits",)),
    Less("partial", ("landlock",)),
    Less("partial", ("seccomp",)),
    Less("partial", ("limits",)),
    Less("partial", ("landlock", "seccomp")),
    Less("partial", ("landlock", "limits")),
    Less("full", ("landlock",)),
    Less("full", ("seccomp",)),
    Less("full", ("limits",)),
    Less("full", ("landlock", "seccomp")),
    Less("full", ("seccomp", "user")),
    Less("full", ("landlock", "seccomp", "user")),
)


def takes_part(attack: Attack) -> bool:
    """Whether it is a deed that layers of the jail alone stop."""
    stops = {*attack.full, *attack.partial}
    machine = os.uname().machine == "x86_64" or not attack.x86_only
    return stops <= JAIL and bool(attack.full) and machine and not attack.root_only


def shown(attack: Attack) -> tuple[Less, ...]:
    """The runs in which it must succeed, beyond tiers in which it is a documented leak."""
    return tuple(run for run in RUNS if run.lets_through(attack) and run.tier not in attack.leaks)


@dataclass(frozen=True)
class Shown:
    """An attack in a run with less."""

    run: Less
    tried: Tried

    @property
    def problem(self) -> str:
        wanted = self.run.lets_through(self.tried.attack)
        if wanted == self.tried.succeeded:
            return ""
        what = "did not succeed" if wanted else "succeeded"
        return f"{what} in {self.run}: {'; '.join(self.tried.said)[:150]}"


def ablate(attacks: tuple[Attack, ...], runs: tuple[Less, ...] = RUNS) -> Iterator[Shown]:
    for run in runs:
        with arena(run.tier, run.without) as place:
            for attack in attacks:
                if takes_part(attack):
                    yield _shown(run, attack, place)


def _shown(run: Less, attack: Attack, place: Arena) -> Shown:
    for _ in range(ATTEMPTS):
        it = Shown(run, place.try_only(attack))
        if not (it.problem and End.TIMED_OUT in it.tried.ends):
            break
    return it


def words() -> frozenset[str]:
    """Everything that may be said to stop an attack."""
    from tests.attack.attack import LAYERS

    return frozenset({*LAYERS, *OTHERS})
