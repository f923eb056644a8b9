"""`student.name` in a suite: the targets of one assignment."""

from __future__ import annotations

from typing import Any, Protocol

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


class Student:
    """The student's definitions, called across the process boundary."""

    def __init__(self, client: Client, definitions: Definitions, stem: str) -> None:
        self._client, self._definitions, self._stem = client, definitions, stem
        self.nn = Layers(client)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._definitions.kind(self._stem, name)
        if kind == "value":
            return self._client.invoke(["V", self._stem, name], (), {}, {})
        return RemoteFunction(self._client, ["N", self._stem, name], name)
