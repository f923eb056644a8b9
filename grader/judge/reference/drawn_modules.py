"""Keep modules of the reference with their drawn weights, for the next submission that needs them.

A check draws the same for everybody, so that its module of the reference is the same in each
submission: making it and drawing its weights costs more than most checks compute.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
from torch import nn

MAX_NUMBERS_KEPT = 4 << 20
"""Numbers of all parameters and buffers kept; beyond that the modules used longest ago go."""
_PLAIN = (type(None), bool, int, float, str, torch.dtype, torch.device, torch.Size)
_FIXED = (*_PLAIN, type, FunctionType, BuiltinFunctionType)
_OWN = frozenset(vars(nn.Module()))
_HOOKS = tuple(sorted(name for name in _OWN if "_hooks" in name))


class Unkeepable(Exception):
    """A module holds a value of which nobody can tell whether it has changed."""


@dataclass(frozen=True)
class DrawnModule:
    """A module of the reference, and the weights that were drawn for it and written into it."""

    module: nn.Module
    values: Mapping[str, torch.Tensor]
    """As drawn, in float64, by parameter name, each in the shape of its parameter. Not to be
    changed."""
    facts: tuple[Any, ...] | None = None
    """Everything about it but numbers, after it was made; None if nobody can tell."""
    numbers: tuple[tuple[torch.Tensor, torch.Tensor], ...] = ()
    """Each of its tensors with a copy of the numbers that it held then."""
    name: str = ""
    """A digest of all that it was made of."""

    @property
    def is_as_made(self) -> bool:
        """Return whether nobody has changed anything about it since."""
        if self.facts is None:
            return False
        try:
            facts, tensors = _looked_at(self.module)
        except Unkeepable:
            return False
        if facts != self.facts or len(tensors) != len(self.numbers):
            return False
        return all(
            now is then and now.dtype == copy.dtype and torch.equal(now, copy)
            for now, (then, copy) in zip(tensors, self.numbers, strict=True)
        )

    @cached_property
    def size(self) -> int:
        """Return how many numbers it holds."""
        return sum(copy.numel() for _tensor, copy in self.numbers)


@dataclass(frozen=True)
class _Kept:
    made: DrawnModule
    drawn_from: torch.Tensor
    """The state of the weights' generator afterwards."""
    torch_state: torch.Tensor
    """The state of torch's own generator afterwards, from which a module may have drawn as well."""


class DrawnModules:
    """The modules that were made for earlier checks, by all that they were made from."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._lent: dict[str, _Kept] = {}
        self._numbers = 0

    def get(
        self,
        made_of: tuple[Any, ...],
        generator: torch.Generator,
        make: Callable[[], DrawnModule],
    ) -> DrawnModule:
        """Return `make()`, or the same from before if it has not been changed since.

        `made_of` says what is made, in plain values; nothing is kept of anything else. Both
        generators are left as `make` leaves them.
        """
        if not _is_plain(made_of):
            return make()
        name = _name(made_of, generator)
        kept = self._taken(name)
        if kept is None:
            python = random.getstate()
            made = _with_its_facts(make(), name)
            kept = _Kept(made, generator.get_state(), torch.get_rng_state())
            if made.facts is None or random.getstate() != python:
                return made
        else:
            generator.set_state(kept.drawn_from)
            torch.set_rng_state(kept.torch_state)
        self._lent[name] = kept
        return kept.made

    def take_back(self) -> None:
        """Take back what was lent to the check that is over: no two use one module at a time."""
        for name, kept in self._lent.items():
            self._kept[name] = kept
            self._numbers += kept.made.size
        self._lent.clear()
        while self._numbers > MAX_NUMBERS_KEPT:
            self._numbers -= self._kept.pop(next(iter(self._kept))).made.size

    def _taken(self, name: str) -> _Kept | None:
        kept = self._kept.pop(name, None)
        if kept is None:
            return None
        self._numbers -= kept.made.size
        return kept if kept.made.is_as_made else None


def _name(made_of: tuple[Any, ...], generator: torch.Generator) -> str:
    settings = torch.get_default_dtype(), torch.is_grad_enabled()
    result = hashlib.blake2b(repr((made_of, settings)).encode(), digest_size=16)
    for state in (generator.get_state(), torch.get_rng_state()):
        result.update(state.numpy().data)
    return result.hexdigest()


def _with_its_facts(made: DrawnModule, name: str) -> DrawnModule:
    try:
        facts, tensors = _looked_at(made.module)
    except Unkeepable:
        return made
    numbers = tuple((tensor, tensor.detach().clone()) for tensor in tensors)
    return DrawnModule(made.module, made.values, facts, numbers, name)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return isinstance(value, _PLAIN)


def _looked_at(module: nn.Module) -> tuple[tuple[Any, ...], list[torch.Tensor]]:
    """Return all facts about a module but numbers, and its tensors of any shape.

    Raises:
        Unkeepable: it holds something of which it cannot be told whether it has changed.
    """
    facts: list[Any] = []
    tensors: list[torch.Tensor] = []
    seen: set[int] = set()

    def fact(value: Any) -> Any:
        kind = type(value)
        if kind in _FIXED:
            return value
        if isinstance(value, torch.Tensor):
            if value.grad_fn is not None or value.grad is not None or not _is_stored(value):
                raise Unkeepable
            tensors.append(value)
            return id(value), value.requires_grad
        if isinstance(value, nn.Module):
            if id(value) not in seen:
                look(value)
            return id(value)
        if kind in (tuple, list):
            return kind, tuple(map(fact, value))
        if kind is dict:
            return tuple((name, fact(each)) for name, each in value.items())
        raise Unkeepable

    def look(part: nn.Module) -> None:
        seen.add(id(part))
        own = vars(part)
        if any(own[name] for name in _HOOKS):
            raise Unkeepable
        facts.append((id(part), type(part), part.training))
        facts.append(tuple(own["_non_persistent_buffers_set"]))
        for holder in ("_parameters", "_buffers", "_modules"):
            facts.append(tuple((name, fact(value)) for name, value in own[holder].items()))
        facts.extend((name, fact(value)) for name, value in own.items() if name not in _OWN)

    look(module)
    return tuple(facts), tensors


def _is_stored(tensor: torch.Tensor) -> bool:
    # tensor: any shape.
    plain = type(tensor) in (torch.Tensor, nn.Parameter)
    return plain and tensor.layout == torch.strided and tensor.device.type == "cpu"
