"""Define the messages between the parent and the nursery.

The parent knows more than the nursery may, so it checks what the nursery answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from .faults import Violation


@dataclass(frozen=True)
class PairRequest:
    """Ask the nursery for a judge and a zygote, whose workers are isolated as told."""

    scratch: str
    """The folder of the host in which workers get folders, where a tier needs that."""
    tiers: tuple[str, ...]
    """The acceptable tiers, best first."""
    reason: str
    """The reason why better tiers are not among them."""
    without: tuple[str, ...]
    """Layers to leave out, to prove that a test of them can fail."""
    meta: bool
    """True if meta tensors are likely to be used: the zygote then loads them early."""

    def encoded(self) -> dict[str, Any]:
        return {"t": "pair", **asdict(self)}

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Self:
        """Decode a request of the parent, which the nursery trusts."""
        return cls(
            scratch=message["scratch"],
            tiers=tuple(message["tiers"]),
            reason=message["reason"],
            without=tuple(message["without"]),
            meta=message["meta"],
        )


@dataclass(frozen=True)
class NurseryReady:
    """The nursery has imported torch and forks from now on."""

    pid: int

    def encoded(self) -> dict[str, Any]:
        return {"t": "ready", "pid": self.pid}


@dataclass(frozen=True)
class NurseryFailed:
    """The nursery cannot fork anything, and ends."""

    why: str

    def encoded(self) -> dict[str, Any]:
        return {"t": "failed", "why": self.why}


@dataclass(frozen=True)
class Pair:
    """A judge and its zygote were forked, and the zygote's workers are isolated as `tier`."""

    judge: int
    zygote: int
    tier: str

    def encoded(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class PairRefused:
    """None of the tiers can be reached; `why` says the reasons, tier by tier."""

    why: str

    def encoded(self) -> dict[str, Any]:
        return {"refused": self.why}


NurseryAnswer = NurseryReady | NurseryFailed | Pair | PairRefused


def nursery_answer(message: Mapping[str, Any]) -> NurseryAnswer:
    """Check and decode an answer of the nursery.

    Raises:
        Violation: it is no answer of ours.

    >>> nursery_answer({"judge": 7, "zygote": 8, "tier": "full"})
    Pair(judge=7, zygote=8, tier='full')
    """
    match message:
        case {"t": "ready", "pid": int(pid)} if type(pid) is int:
            return NurseryReady(pid)
        case {"t": "failed", "why": str(why)}:
            return NurseryFailed(why)
        case {"refused": str(why)}:
            return PairRefused(why)
        case {"judge": int(judge), "zygote": int(zygote), "tier": str(tier)} if (
            # A process, and neither a group of processes nor all of them.
            type(judge) is type(zygote) is int and min(judge, zygote) > 1
        ):
            return Pair(judge, zygote, tier)
    raise Violation("answer of the nursery")
