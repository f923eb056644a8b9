"""Define what a worker reports of its isolation, before it reads anything of a submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from .faults import Violation
from .frame import Meta


@dataclass(frozen=True)
class IsolationRecord:
    """The isolation of a worker."""

    tier: str
    enforced: tuple[str, ...] = ()
    """The layers that hold."""
    weak: tuple[str, ...] = ()
    """In words, what a better tier would prevent as well."""
    reason: str = ""
    """The reason why it is no better tier; "" if there is none."""
    landlock_abi: int | None = None
    """The version of Landlock in this kernel, 0 if it has none; None if nobody asked."""

    def encoded(self) -> Meta:
        """Return plain values, by name; without what is not there to be said."""
        values: Meta = {
            "tier": self.tier,
            "enforced": list(self.enforced),
            "weak": list(self.weak),
        }
        if self.reason:
            values["reason"] = self.reason
        if self.landlock_abi is not None:
            values["landlock_abi"] = self.landlock_abi
        return dict(sorted(values.items()))

    @classmethod
    def of(cls, values: Any) -> Self:
        """Check and decode what `encoded` made.

        Raises:
            Violation: it is something else.

        >>> IsolationRecord.of({"tier": "none", "enforced": ["session"], "weak": []})
        IsolationRecord(tier='none', enforced=('session',), weak=(), reason='', landlock_abi=None)
        """
        if type(values) is not dict:
            raise Violation("isolation")
        abi = values.get("landlock_abi")
        if type(abi) not in (int, type(None)):
            raise Violation("version of Landlock")
        return cls(
            tier=_text(values.get("tier")),
            enforced=_texts(values, "enforced"),
            weak=_texts(values, "weak"),
            reason=_text(values.get("reason", "")),
            landlock_abi=abi,
        )


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    given = values.get(name)
    if type(given) is not list:
        raise Violation(f"{name} of the isolation")
    return tuple(map(_text, given))


def _text(value: Any) -> str:
    if type(value) is not str:
        raise Violation("words about the isolation")
    return value
