"""Keep `torch._dynamo` (600 ms, 340 modules) from being imported where only a no-op is wanted.

The first optimiser, its first step, and the first `~mask` on a meta tensor each ask it for
`disable` or `graph_break`, which mean nothing unless something is being compiled. The stand-in
answers these two; whatever else is asked of it imports the real module.

Nothing is compiled in a worker: `torch.compile` gives back what it gets. A compiler needs to start
other programs and to write files, which the jail forbids, and takes longer than any check may.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch import nn

NAME = "torch._dynamo"


class LazyDynamo(ModuleType):
    """Stands in for `torch._dynamo` until more than a no-op is needed."""

    def disable(
        self, fn: Callable[..., Any], recursive: bool = True, *, wrapping: bool = True, **_: Any
    ) -> Callable[..., Any]:
        """Return `fn` itself: nothing is being compiled, so there is nothing to keep it from."""
        return fn

    def graph_break(self, msg: str = "") -> None:
        """Do nothing: there is no graph to break."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(load(), name)


def load() -> ModuleType:
    """Put the real module in place of the stand-in, for good, and return it."""
    if isinstance(sys.modules.get(NAME), LazyDynamo):
        del sys.modules[NAME]
    return importlib.import_module(NAME)


def uncompiled(model: Callable[..., Any] | None = None, **options: Any) -> Callable[..., Any]:
    """Return the function or module itself, or a decorator that does, as `torch.compile` may.

    >>> uncompiled(len) is len and uncompiled(mode="default")(len) is len
    True
    """
    return model if model is not None else lambda function: function


def _leave_as_is(module: nn.Module, *args: Any, **options: Any) -> None:
    """Stand in for `nn.Module.compile`."""


def install() -> None:
    """Put the stand-in in place, unless the real module is there already; compile nothing."""
    sys.modules.setdefault(NAME, LazyDynamo(NAME))
    torch.compile = uncompiled
    nn.Module.compile = _leave_as_is  # type: ignore[assignment]
