"""The base class of the two ends of the boundary, and what they tell each other about a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch

from .frame import Meta
from .values import Node, ObjectCodec, index

DeferredCall = tuple[Node, tuple[Any, ...]]
"""A call for its effect alone: the target and its arguments. Its result is not sent back."""


@dataclass
class Arguments:
    """The decoded arguments of a call being served."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    passed: list[torch.Tensor] = field(default_factory=list)
    """The tensors as the function got them, by index in the message's tensor table."""
    leaves: dict[int, torch.Tensor] = field(default_factory=dict)
    """Table index -> the leaf whose gradient the caller wants."""
    parameters: tuple[torch.Tensor, ...] = ()
    """Parameters of the called module, in the order the caller named them."""
    changed: list[int] = field(default_factory=list)
    """Table indices of tensors that the function modified: the caller's copies are out of date."""

    def reference(self, value: torch.Tensor) -> Node | None:
        """Return a reference node for a returned tensor that the caller already has, or None."""
        for kind, known in (("A", self.passed), ("P", self.parameters)):
            for position, tensor in enumerate(known):
                if tensor is value and not (kind == "A" and position in self.changed):
                    return [kind, position]
        return None


@dataclass(frozen=True)
class CallResult:
    """The result of a call, as the caller gets it."""

    value: Any
    changed: tuple[int, ...]
    """Indices of the tensors passed in that the function modified."""
    noted: Any = None
    """Further remarks of the other side about the call, see `Side.noted`; untrusted."""


class Side(ObjectCodec):
    """The part of a `Peer` that the worker's end and the judge's end implement differently."""

    max_requested_numbers: int | None = None
    """Limit on the numbers that nested calls may bring, all together until `Peer.forget`: their
    arguments are kept for gradients. None where the other side is trusted."""
    runs_deferred_calls = False
    """True if a call to this side may bring deferred calls along. The untrusted side may not send
    any: the number of its requests is limited."""

    def target(self, node: Node) -> Callable[..., Any]:
        """Return the function that a call message names. Raises `Violation`."""
        raise NotImplementedError

    def parameters(self, node: Node, names: Sequence[str]) -> tuple[torch.Tensor, ...]:
        """Return the target's parameters of these names, as further sources of gradients."""
        return ()

    def environment(self, meta: Meta) -> AbstractContextManager[None]:
        """Return a context manager that applies the settings under which a served call runs."""
        return nullcontext()

    def noted(self) -> Any:
        """Return a remark for the caller on the call just served, or None."""
        return None

    def reset(self) -> None:
        """Start anew before the request at hand, which is the first of a check."""

    def report(self, error: BaseException) -> Meta:
        """Describe an exception of a served function, as far as the other side may know it."""
        raise NotImplementedError


@dataclass(frozen=True)
class CallScope(ObjectCodec):
    """The references of one call: to its arguments first, then to the side's own objects."""

    side: Side
    arguments: Arguments | None = None
    """Set when serving: a returned tensor may be identical to one of these."""
    known: Mapping[str, Sequence[torch.Tensor]] = field(default_factory=dict)
    """Set when calling: `A` the tensors sent and `P` the parameters' stand-ins."""

    def name(self, value: Any) -> Node | None:
        if self.arguments is not None and isinstance(value, torch.Tensor):
            reference = self.arguments.reference(value)
            if reference is not None:
                return reference
        if type(value) is torch.Tensor:  # no side has a name for one
            return None
        return self.side.name(value)

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        if kind in ("A", "P"):
            known = self.known.get(kind, ())
            return known[index(parts, len(known))]
        return self.side.resolve(kind, parts)
