"""Remember answers of the reference for the life of a judge: they depend on their inputs alone."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map

from ...wire.values import Encoder, Node, ObjectCodec
from ..bind.plan import Plans
from ..bind.roles import Roles
from .drawn_modules import DrawnModule, DrawnModules

MAX_ANSWERS = 20_000
CHEAP_S = 0.4e-3
"""Answers that take less time are computed each time, because their key would take as long."""


class _NoObjects(ObjectCodec):
    """A codec that refuses functions and classes, so that only plain values have a digest."""

    def name(self, value: Any) -> Node | None:
        if callable(value) and not isinstance(value, torch.Tensor):
            raise TypeError(f"no digest of {value!r}")
        return None

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        raise NotImplementedError


def digest(*values: Any) -> bytes | None:
    """Return a key for plain values and tensors, with bits and strides; None if there is none."""
    encoder = Encoder(_NoObjects())
    try:
        nodes = encoder.node(values)
    except TypeError:
        return None
    tables, buffers = encoder.writer.tables()
    result = hashlib.blake2b(json.dumps([nodes, tables]).encode(), digest_size=16)
    for buffer in buffers:
        result.update(buffer)
    return result.digest()


class Memo:
    """Results remembered by the digest of what they were computed from, where that is worth it."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Remember nothing yet. `clock`: tells the seconds by which calls are timed."""
        self._clock = clock
        self._answers: dict[bytes, Any] = {}
        self._seconds: dict[Hashable, float] = {}
        self.enabled = True

    def get(
        self, kind: Hashable, key: Callable[[], bytes | None], compute: Callable[[], Any]
    ) -> Any:
        """Return `compute()`, or a copy of its earlier result for the same key.

        Calls of the same `kind` take about as long to compute.
        """
        if not self.enabled or self._seconds.get(kind, math.inf) < CHEAP_S:
            return compute()
        known = key()
        if known is None:
            return compute()
        if known not in self._answers:
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            self._answers[known] = tree_map(_copy, self._timed(kind, compute))
        return tree_map(_copy, self._answers[known])

    def _timed(self, kind: Hashable, compute: Callable[[], Any]) -> Any:
        started = self._clock()
        value = compute()
        took_s = self._clock() - started
        self._seconds[kind] = min(took_s, self._seconds.get(kind, math.inf))
        return value


def outline(*values: Any) -> Hashable:
    """Return the shapes of tensors, and the types of all else."""
    leaves = tree_leaves(values)
    return tuple(leaf.shape if isinstance(leaf, torch.Tensor) else type(leaf) for leaf in leaves)


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


@functools.cache
def _signature(function: Callable[..., Any], *, of_method: bool = False) -> inspect.Signature:
    """Return the signature of a function, without `self` for a method."""
    signature = inspect.signature(function)
    return signature.replace(parameters=list(signature.parameters.values())[of_method:])


class ReferenceFunction:
    """A function of the reference whose answers are remembered."""

    def __init__(self, function: FunctionType, memo: Memo) -> None:
        self.function, self._memo = function, memo
        self.__name__, self.__signature__ = function.__name__, _signature(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled():
            return self.function(*args, **kwargs)
        return self._memo.get(
            self.kind(*args, **kwargs),
            lambda: self.key(*args, **kwargs),
            lambda: self.function(*args, **kwargs),
        )

    def kind(self, *args: Any, **kwargs: Any) -> Hashable:
        """Return a key that calls share if they take about as long."""
        return self.__name__, outline(args, kwargs)

    def key(self, *args: Any, **kwargs: Any) -> bytes | None:
        return digest(self.function.__module__, self.__name__, args, kwargs, _torch_state())


class ReferenceModule:
    """A module of the reference whose answers are remembered while it is in eval mode."""

    def __init__(self, module: nn.Module, memo: Memo, made: DrawnModule | None = None) -> None:
        """Wrap a module. `made`: says whether it is still as it was made, if that is known."""
        self.module, self._memo, self._made = module, memo, made
        self.alternative = ""
        """The note of the course's alternative that it has become; empty for none."""
        self.__signature__ = _signature(type(module).forward, of_method=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled() or self.module.training:
            return self.module(*args, **kwargs)
        return self._memo.get(
            self.kind(*args, **kwargs),
            lambda: self.key(*args, **kwargs),
            lambda: self.module(*args, **kwargs),
        )

    def kind(self, *args: Any, **kwargs: Any) -> Hashable:
        """Return a key that calls share if they take about as long."""
        return type(self.module).__name__, self._count, outline(args, kwargs)

    def key(self, *args: Any, **kwargs: Any) -> bytes | None:
        if self._made is not None and self._made.is_as_made:
            made = type(self.module).__module__, self._made.name
            return digest(made, self.alternative, args, kwargs, _torch_state())
        state = dict(self.module.state_dict())
        return digest(repr(self.module), self.alternative, state, args, kwargs, _torch_state())

    @functools.cached_property
    def _count(self) -> int:
        """Count its numbers."""
        if self._made is not None and self._made.state is not None:
            return self._made.size
        return sum(parameter.numel() for parameter in self.module.parameters())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def train(self, mode: bool = True) -> ReferenceModule:
        self.module.train(mode)
        return self

    def eval(self) -> ReferenceModule:
        return self.train(False)

    def to(self, target: Any) -> ReferenceModule:
        self.module.to(target)
        return self


def _torch_state() -> list[Any]:
    return [torch.get_default_dtype()]


class Reference:
    """The reference of one assignment, by the names students are to define."""

    def __init__(self, module: ModuleType, memo: Memo, roles: Roles | None = None) -> None:
        self._module, self._memo, self.plans = module, memo, Plans()
        self._roles = roles or Roles()
        self._drawn = DrawnModules()

    def drawn(
        self, made_of: tuple[Any, ...], generator: torch.Generator, make: Callable[[], DrawnModule]
    ) -> DrawnModule:
        """Return `make()`, or the same from an earlier check; see `DrawnModules.get`."""
        return self._drawn.get(made_of, generator, make) if self._memo.enabled else make()

    def take_back(self) -> None:
        """Take back the modules that were lent to the check that is over."""
        self._drawn.take_back()

    def course_roles(self) -> Roles:
        """Return the course's description of its parameters."""
        return self._roles

    def is_module(self, name: str) -> bool:
        """Decide whether `name` is a class of modules."""
        value = getattr(self._module, name, None)
        return isinstance(value, type) and issubclass(value, nn.Module)

    def first_inputs(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Sequence[torch.Tensor]:
        """Return inputs for a module that the class of this name makes of the arguments.

        They have the shapes that the course tells; there are none if it tells none.
        """
        inputs_of = self._roles.first_calls.get(name)
        if inputs_of is None:
            return ()
        with torch.random.fork_rng(devices=[]):
            return inputs_of(getattr(self._module, name)(*args, **kwargs))

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        return ReferenceFunction(value, self._memo) if isinstance(value, FunctionType) else value
