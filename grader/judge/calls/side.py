"""Represent the judge's end of the boundary.

It makes handles for the student's objects and lends functions of the judge for calls back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ...wire.faults import Violation
from ...wire.frame import Meta
from ...wire.side import Side
from ...wire.values import Node, text, type_name
from .callbacks import call_lent
from .handles import Invoker, RemoteFunction, RemoteModule

MAX_OBJECTS = 100_000
MAX_REQUESTED_NUMBERS = 1 << 24
"""The most numbers that call-backs receive in one check, all together."""


class JudgeSide(Side):
    """The judge's side of a channel: lends functions during a check, and keeps what they raise."""

    max_requested_numbers = MAX_REQUESTED_NUMBERS

    def __init__(self, invoker: Invoker) -> None:
        self._invoker = invoker
        self._lent: list[Callable[..., Any]] = []
        self.raised: BaseException | None = None
        """The first exception of a lent function, or of a call that did not fit it.

        Student code may have swallowed it; the judge does not."""

    def forget(self) -> None:
        self._lent.clear()
        self.raised = None

    def name(self, value: Any) -> Node | None:
        if isinstance(value, (RemoteModule, RemoteFunction)):
            return value.target
        if callable(value) and not isinstance(value, (torch.Tensor, type)):
            self._lent.append(value)
            return ["F", len(self._lent) - 1]
        return None

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        if kind == "H":
            return self._own(parts)
        if kind != "O" or len(parts) != 2:
            raise Violation("reference")
        number, description = parts
        if type(number) is not int or not 0 <= number < MAX_OBJECTS:
            raise Violation("object number")
        if type(description) is not dict:
            raise Violation("description of an object")
        if description.get("kind") == "module":
            return RemoteModule(self._invoker, number, description)
        name = text(description.get("type"), 200)
        return RemoteFunction(self._invoker, ["H", number], name)

    def target(self, node: Node) -> Callable[..., Any]:
        if type(node) is not list or not node or node[0] != "H":
            raise Violation("target of a call-back")
        lent = self._own(node[1:])
        return lambda *args, **kwargs: call_lent(lent, args, kwargs)

    def _own(self, parts: list[Any]) -> Callable[..., Any]:
        if len(parts) != 1 or type(parts[0]) is not int or not 0 <= parts[0] < len(self._lent):
            raise Violation("unknown call-back")
        return self._lent[parts[0]]

    @contextmanager
    def environment(self, meta: Meta) -> Iterator[None]:
        env = meta.get("env")
        grad = type(env) is not dict or env.get("grad") is not False
        with torch.set_grad_enabled(grad):
            yield

    def report(self, error: BaseException) -> Meta:
        if self.raised is None:
            self.raised = error
        return {
            "type": type_name(error),
            "bases": ["Exception"],
            "message": "raised by a call-back",
        }
