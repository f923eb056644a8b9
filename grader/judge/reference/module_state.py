"""Remember all that a module holds, and tell later, in little time, that nobody has changed it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from operator import is_
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
from torch import nn

_PLAIN = (type(None), bool, int, float, str, torch.dtype, torch.device, torch.Size)
_FIXED = (*_PLAIN, type, FunctionType, BuiltinFunctionType)
_OWN = frozenset(vars(nn.Module()))
_HOOKS = tuple(sorted(name for name in _OWN if "_hooks" in name))
_HOLDERS = ("_parameters", "_buffers", "_modules")


class Unkeepable(Exception):
    """A module holds a value of which nobody can tell whether it has changed."""


class ModuleState:
    """The state of a module and its parts at one moment, down to every number.

    Compared are the objects that each dict, list and set holds: a value that was put back by
    an equal one counts as changed, which costs time and nothing else.
    """

    def __init__(self, module: nn.Module) -> None:
        """Take in everything about a module.

        Raises:
            Unkeepable: it holds something of which it cannot be told whether it has changed.
        """
        self._dicts: list[tuple[dict[Any, Any], tuple[Any, ...], tuple[Any, ...]]] = []
        self._lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        self._sets: list[tuple[set[Any], frozenset[Any]]] = []
        self._empty: list[dict[Any, Any]] = []
        """The dicts that held nothing: most do, and these are looked at in one go."""
        self._classes: list[tuple[nn.Module, type]] = []
        self._tensors: dict[int, tuple[torch.Tensor, torch.Tensor, bool]] = {}
        self._seen: set[int] = set()
        self._take(module)

    @property
    def is_unchanged(self) -> bool:
        """Return whether everything is as it was, numbers included."""
        return (
            not any(self._empty)
            and all(type(part) is one for part, one in self._classes)
            and all(_holds(now, names, values) for now, names, values in self._dicts)
            and all(len(n) == len(v) and all(map(is_, n, v)) for n, v in self._lists)
            and all(now == then for now, then in self._sets)
            and all(_is_as(*row) for row in self._tensors.values())
        )

    @cached_property
    def size(self) -> int:
        """Return how many numbers it holds."""
        return sum(copy.numel() for _tensor, copy, _trained in self._tensors.values())

    def _take(self, part: nn.Module) -> None:
        if id(part) in self._seen:
            return
        self._seen.add(id(part))
        own = vars(part)
        if any(own[name] for name in _HOOKS):
            raise Unkeepable
        self._classes.append((part, type(part)))
        self._keep(own)
        self._empty += [own[name] for name in _HOOKS]
        non_persistent = own["_non_persistent_buffers_set"]
        self._sets.append((non_persistent, frozenset(non_persistent)))
        for name in _HOLDERS:
            self._keep(own[name])
            self._take_all(own[name].values())
        self._take_all(value for name, value in own.items() if name not in _OWN)

    def _keep(self, now: dict[Any, Any]) -> None:
        if now:
            self._dicts.append((now, tuple(now), tuple(now.values())))
        else:
            self._empty.append(now)

    def _take_all(self, values: Iterable[Any]) -> None:
        for value in values:
            kind = type(value)
            if kind in _FIXED:
                continue
            if isinstance(value, torch.Tensor):
                self._take_tensor(value)
            elif isinstance(value, nn.Module):
                self._take(value)
            elif kind is list:
                self._lists.append((value, tuple(value)))
                self._take_all(value)
            elif kind is tuple:
                self._take_all(value)
            elif kind is dict:
                self._keep(value)
                self._take_all(value.values())
            else:
                raise Unkeepable

    def _take_tensor(self, tensor: torch.Tensor) -> None:
        # tensor: any shape.
        plain = type(tensor) in (torch.Tensor, nn.Parameter)
        stored = plain and tensor.layout == torch.strided and tensor.is_cpu
        if tensor.grad_fn is not None or tensor.grad is not None or not stored:
            raise Unkeepable
        self._tensors[id(tensor)] = tensor, tensor.detach().clone(), tensor.requires_grad


def _holds(now: dict[Any, Any], names: tuple[Any, ...], values: tuple[Any, ...]) -> bool:
    return len(now) == len(names) and tuple(now) == names and all(map(is_, now.values(), values))


def _is_as(tensor: torch.Tensor, copy: torch.Tensor, trained: bool) -> bool:
    """Tell whether a tensor of any shape holds what its copy does, and nothing besides."""
    return (
        tensor.requires_grad is trained
        and tensor.is_cpu
        and tensor.dtype == copy.dtype
        and tensor.layout == torch.strided
        and tensor.grad is None
        and tensor.grad_fn is None
        and torch.equal(tensor, copy)
    )
