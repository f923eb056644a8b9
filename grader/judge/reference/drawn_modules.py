"""Keep modules of the reference with their drawn weights, for the next submission that needs them.

A check draws the same for everybody, so that its module of the reference is the same in each
submission: making it and drawing its weights costs more than most checks compute.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .module_state import ModuleState, Unkeepable

MAX_NUMBERS_KEPT = 4 << 20
"""Numbers of all parameters and buffers kept; beyond that the modules used longest ago go."""
_PLAIN = (type(None), bool, int, float, str, torch.dtype, torch.device, torch.Size)


@dataclass(frozen=True)
class DrawnModule:
    """A module of the reference, and the weights that were drawn for it and written into it."""

    module: nn.Module
    values: Mapping[str, torch.Tensor]
    """As drawn, in float64, by parameter name, each in the shape of its parameter. Not to be
    changed."""
    state: ModuleState | None = None
    """Everything about it after it was made; None if nobody can tell."""
    name: str = ""
    """A digest of all that it was made of."""

    @property
    def is_as_made(self) -> bool:
        """Return whether nobody has changed anything about it since."""
        return self.state is not None and self.state.is_unchanged

    @property
    def size(self) -> int:
        """Return how many numbers it holds; 0 if nobody can tell."""
        return 0 if self.state is None else self.state.size


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
            made = _with_its_state(make(), name)
            kept = _Kept(made, generator.get_state(), torch.get_rng_state())
            if made.state is None or random.getstate() != python:
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


def _with_its_state(made: DrawnModule, name: str) -> DrawnModule:
    try:
        return DrawnModule(made.module, made.values, ModuleState(made.module), name)
    except Unkeepable:
        return made


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return isinstance(value, _PLAIN)
