"""Answers of the reference, computed once per judge: they depend on their inputs alone."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ..wire.values import Encoder, Node, ObjectCodec
from .bind.plan import Plans
from .bind.roles import Roles

MAX_ANSWERS = 20_000


class _NoObjects(ObjectCodec):
    """Only plain values have a digest: whatever else turns up is not remembered."""

    def name(self, value: Any) -> Node | None:
        if callable(value) and not isinstance(value, torch.Tensor):
            raise TypeError(f"no digest of {value!r}")
        return None

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        raise NotImplementedError


def digest(*values: Any) -> bytes | None:
    """A key for plain values and tensors, bits and strides included; None if there is none."""
    encoder = Encoder(_NoObjects())
    try:
        nodes = encoder.node(values)
    except TypeError:
        return None
    tables, buffers = encoder.writer.tables()
    found = hashlib.blake2b(json.dumps([nodes, tables]).encode(), digest_size=16)
    for buffer in buffers:
        found.update(buffer)
    return found.digest()


class Memo:
    """Remembers results by the digest of what they were computed from."""

    def __init__(self) -> None:
        self._answers: dict[bytes, Any] = {}
        self.enabled = True

    def get(self, key: bytes | None, compute: Callable[[], Any]) -> Any:
        """`compute()`, or a copy of what it gave before for the same key."""
        if key is None or not self.enabled:
            return compute()
        if key not in self._answers:
            if len(self._answers) >= MAX_ANSWERS:
                self._answers.clear()
            self._answers[key] = tree_map(_copy, compute())
        return tree_map(_copy, self._answers[key])


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


@functools.cache
def _signature(function: Callable[..., Any], *, of_method: bool = False) -> inspect.Signature:
    """How it is called; without `self` for a method."""
    found = inspect.signature(function)
    return found.replace(parameters=list(found.parameters.values())[of_method:])


class ReferenceFunction:
    """A function of the reference whose answers are remembered."""

    def __init__(self, function: FunctionType, memo: Memo) -> None:
        self.function, self._memo = function, memo
        self.__name__, self.__signature__ = function.__name__, _signature(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled():
            return self.function(*args, **kwargs)
        return self._memo.get(self.key(*args, **kwargs), lambda: self.function(*args, **kwargs))

    def key(self, *args: Any, **kwargs: Any) -> bytes | None:
        return digest(self.function.__module__, self.__name__, args, kwargs, _torch_state())


class ReferenceModule:
    """A module of the reference whose answers are remembered while it is in eval mode."""

    def __init__(self, module: nn.Module, memo: Memo) -> None:
        self.module, self._memo = module, memo
        self.alternative = ""
        """Which of the course's alternatives it has become."""
        self.__signature__ = _signature(type(module).forward, of_method=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if torch.is_grad_enabled() or self.module.training:
            return self.module(*args, **kwargs)
        return self._memo.get(self.key(*args, **kwargs), lambda: self.module(*args, **kwargs))

    def key(self, *args: Any, **kwargs: Any) -> bytes | None:
        state = dict(self.module.state_dict())
        return digest(repr(self.module), self.alternative, state, args, kwargs, _torch_state())

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

    def course_roles(self) -> Roles:
        """What the course knows about parameters."""
        return self._roles

    def is_module(self, name: str) -> bool:
        """Whether `name` is a class of modules."""
        value = getattr(self._module, name, None)
        return isinstance(value, type) and issubclass(value, nn.Module)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        return ReferenceFunction(value, self._memo) if isinstance(value, FunctionType) else value
