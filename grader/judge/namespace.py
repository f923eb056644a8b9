"""`student.name` in a suite: the targets of one assignment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .bind import module_of
from .client import Client
from .handles import RemoteFunction


class Definitions(Protocol):
    """Knows what a submission defines."""

    def kind(self, stem: str, name: str) -> str:
        """`function`, `class` or `value`. Raises a `StudentFault` if there is no such name."""


class Layers:
    """`student.nn.Linear(3, 4)`: a layer of torch.nn itself, made where the student's code is, so
    that it can be handed to that code."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("__"):
            raise AttributeError(name)
        return RemoteFunction(self._client, ["L", name], name)


class RemoteClass(RemoteFunction):
    """A class of the student's whose instances are modules."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return module_of(super().__call__(*args, **kwargs), self.__name__)


class Student:
    """The student's definitions, called across the process boundary."""

    def __init__(
        self,
        client: Client,
        definitions: Definitions,
        stem: str,
        is_module: Callable[[str], bool] = lambda name: False,
    ) -> None:
        """`is_module`: whether calling the definition of that name must make an nn.Module."""
        self._client, self._definitions, self._stem = client, definitions, stem
        self._is_module = is_module
        self.nn = Layers(client)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._definitions.kind(self._stem, name)
        if kind == "value":
            return self._client.invoke(["V", self._stem, name], (), {}, {})
        remote = RemoteClass if self._is_module(name) else RemoteFunction
        return remote(self._client, ["N", self._stem, name], name)
