"""Keep `torch._dynamo` (600 ms, 340 modules) from being imported where only a no-op is wanted.

The first optimiser, its first step, and the first `~mask` on a meta tensor each ask it for
`disable` or `graph_break`, which mean nothing unless something is being compiled. The stand-in
answers these two; whatever else is asked of it imports the real module.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

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


def install() -> None:
    """Put the stand-in in place, unless the real module is there already."""
    sys.modules.setdefault(NAME, LazyDynamo(NAME))
