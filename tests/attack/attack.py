"""What an attack is: a submission, what must become of it, and what stands in its way."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypedDict

STEM = "t1_arena"
TIERS = ("full", "partial", "none")


class Family(StrEnum):
    SECRETS = "secrets"
    FORGING = "forging"
    RESOURCES = "resources"
    ESCAPE = "escape"
    INTAKE = "intake"
    REPORT = "report"


class End(StrEnum):
    """What became of a check under attack."""

    SUCCEEDED = "succeeded"
    """The deed was done, or a point was gained."""
    REFUSED = "refused"
    """An error or an empty hand: the call came back without success."""
    WRONG = "wrong"
    """The answer was compared and is wrong."""
    KILLED = "killed"
    """The process ended in the middle."""
    MALFORMED = "malformed"
    """What came back was no reply."""
    TIMED_OUT = "timed out"
    ABSENT = "absent"
    """The submission, or the part of it that attacks, was never run."""
    OURS = "could not check"


LAYERS = (
    "session", "scratch", "user", "environment", "capabilities", "no_new_privileges",
    "undumpable", "limits", "landlock", "seccomp",
)  # fmt: skip
"""What `Options.without` can leave out."""
OTHERS = {
    "namespaces": "what is built around a full jail's zygote: files, network, processes, IPC",
    "topology": "what is attacked is in no process that a submission can reach",
    "wire": "replies are data, and every byte of them is checked",
    "deadline": "the judge's clock, and a kill from outside",
    "loader": "how a submission's statements and imports are carried out",
    "intake": "how files are read",
    "operators": "what runs is counted underneath, and answers must not depend on it",
    "report": "how text is cleaned before it is shown",
    "carrying": "a mistake made twice is told by wrong numbers, and by nothing else",
    "proof": "a check that breaks off is ours only if it breaks off on the reference too",
    "kernel": "an ordinary user may not do it anyway",
}


@dataclass(frozen=True)
class Attack:
    """One submission of the red team."""

    id: str
    family: Family
    aim: str
    """What it is after, in a few words."""
    files: Mapping[str, str | bytes]
    must: tuple[End, ...]
    """What may become of it; anything else is a hole."""
    full: tuple[str, ...]
    """What stops it in tier full: it succeeds where all of these are left out."""
    partial: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    """Tiers in which it succeeds, as `docs/threat-model.md` says."""
    naive: bool = False
    """Whether a plain pytest run in one process gives it the points: the control of topology."""
    root_only: bool = False
    """Whether outside a jail only root could do it."""
    x86_only: bool = False

    def stops(self, tier: str) -> tuple[str, ...]:
        return self.partial if tier == "partial" else self.full


class Stops(TypedDict):
    """What stops an attack, tier by tier, for several of a kind."""

    full: str
    partial: str


@dataclass(frozen=True)
class Catalogue:
    """Attacks of one family, by their ids."""

    family: Family
    attacks: dict[str, Attack] = field(default_factory=dict)

    def add(self, attack: Attack) -> None:
        assert attack.id not in self.attacks, attack.id
        self.attacks[attack.id] = attack

    def deed(
        self,
        id: str,
        aim: str,
        body: str,
        *,
        full: str,
        partial: str | None = None,
        must: tuple[End, ...] = (End.REFUSED,),
        top: str = "",
        leaks: tuple[str, ...] = (),
        naive: bool = False,
        root_only: bool = False,
        x86_only: bool = False,
    ) -> None:
        """An attack that is a deed: `attempt()` returns "done" if it could do it."""
        lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
        source = f"{textwrap.dedent(top)}\n\ndef attempt():\n{lines}\n"
        stops = tuple(full.split())
        self.add(
            Attack(
                id,
                self.family,
                aim,
                {f"{STEM}.py": source},
                must,
                stops,
                stops if partial is None else tuple(partial.split()),
                leaks,
                naive=naive,
                root_only=root_only,
                x86_only=x86_only,
            )
        )

    def points(
        self,
        id: str,
        aim: str,
        source: str,
        *,
        by: str = "topology",
        must: tuple[End, ...] = (End.WRONG,),
        naive: bool = False,
        more: Mapping[str, str | bytes] | None = None,
    ) -> None:
        """An attack on the points of `work`, which it does not know how to write."""
        files = {f"{STEM}.py": textwrap.dedent(source), **(more or {})}
        stops = tuple(by.split())
        self.add(Attack(id, self.family, aim, files, must, stops, stops, naive=naive))
