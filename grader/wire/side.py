"""What differs between the two ends of the boundary, and what they say of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch

from .frame import Meta
from .values import Node, ObjectCodec, index

Errand = tuple[Node, tuple[Any, ...]]
"""A call whose result nobody waits for: what to call, and with what."""


@dataclass
class Arguments:
    """The decoded arguments of a call being served."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    passed: list[torch.Tensor] = field(default_factory=list)
    """By index of the message's tensor table: what the function really got."""
    leaves: dict[int, torch.Tensor] = field(default_factory=dict)
    """Table index -> the leaf whose gradient the caller wants."""
    parameters: tuple[torch.Tensor, ...] = ()
    """Of the called module, in the order the caller named them."""
    changed: list[int] = field(default_factory=list)
    """Table indices of what the function modified: the caller's own no longer holds its value."""

    def reference(self, value: torch.Tensor) -> Node | None:
        """A node for a returned tensor that the caller already has, or None."""
        for kind, known in (("A", self.passed), ("P", self.parameters)):
            for position, tensor in enumerate(known):
                if tensor is value and not (kind == "A" and position in self.changed):
                    return [kind, position]
        return None


@dataclass(frozen=True)
class Outcome:
    """What a call brought back to the caller."""

    value: Any
    changed: tuple[int, ...]
    """Indices of the tensors passed in that the function modified."""
    noted: Any = None
    """What the other side has to say of the call besides; untrusted."""


class Side(ObjectCodec):
    """What differs between the two ends. Both implement this."""

    runs_errands = False
    """Whether a call to this side may bring errands along. What is untrusted may not send any:
    the number of its requests is counted."""

    def target(self, node: Node) -> Callable[..., Any]:
        """The function a call message names. Raises `Violation`."""
        raise NotImplementedError

    def parameters(self, node: Node, names: Sequence[str]) -> tuple[torch.Tensor, ...]:
        """Parameters of the target, as further sources of gradients."""
        return ()

    def environment(self, meta: Meta) -> AbstractContextManager[None]:
        """The settings under which a served call runs."""
        return nullcontext()

    def noted(self) -> Any:
        """What to tell the caller of the call just served, besides its value; None for nothing."""
        return None

    def reset(self) -> None:
        """Start anew before the request at hand, which is the first of a check."""

    def report(self, error: BaseException) -> Meta:
        """An exception of a served function, as the other side may know it."""
        raise NotImplementedError


@dataclass(frozen=True)
class CallScope(ObjectCodec):
    """Resolves references of one call: its arguments first, then the side's own objects."""

    side: Side
    arguments: Arguments | None = None
    """When serving: what a returned tensor may be identical to."""
    known: Mapping[str, Sequence[torch.Tensor]] = field(default_factory=dict)
    """When calling: `A` the tensors sent and `P` the parameters' stand-ins."""

    def name(self, value: Any) -> Node | None:
        if self.arguments is not None and isinstance(value, torch.Tensor):
            reference = self.arguments.reference(value)
            if reference is not None:
                return reference
        return self.side.name(value)

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        if kind in ("A", "P"):
            known = self.known.get(kind, ())
            return known[index(parts, len(known))]
        return self.side.resolve(kind, parts)
