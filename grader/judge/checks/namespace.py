"""Provide `student.name` to suites: the student's definitions for one assignment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch

from ..bind import module_of
from ..calls.handles import Invoker, RemoteFunction, RemoteModule


class Definitions(Protocol):
    """Knows what a submission defines."""

    def kind(self, stem: str, name: str) -> str:
        """Return `function`, `class` or `value`.

        Raises:
            StudentFault: there is no such name.
        """


class Layers:
    """The layers of torch.nn for a suite, such as `student.nn.Linear(3, 4)`.

    Each is made in the student's process, so that it can be handed to student code.
    """

    def __init__(self, client: Invoker) -> None:
        self._client = client

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("__"):
            raise AttributeError(name)
        return RemoteFunction(self._client, ["L", name], name)


class RemoteClass(RemoteFunction):
    """A class of the student's whose instances are modules."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        state = torch.get_rng_state()
        module = module_of(super().__call__(*args, **kwargs), self.__name__)

        def once_more() -> RemoteModule:
            torch.set_rng_state(state)
            again: RemoteModule = self.apart(*args, **kwargs)
            return again

        module.made_apart = once_more
        self._invoker.modules.append(module)
        return module


class Student:
    """The student's definitions, called across the process boundary."""

    def __init__(
        self,
        client: Invoker,
        definitions: Definitions,
        stem: str,
        is_module: Callable[[str], bool] = lambda name: False,
    ) -> None:
        """Offer the definitions of assignment `stem`.

        `is_module`: tells whether calling the definition of that name must make an nn.Module.
        """
        self._client, self._definitions, self._stem = client, definitions, stem
        self._is_module = is_module
        self.nn = Layers(client)

    @property
    def apart(self) -> Student:
        """Return the same definitions in a process that has not seen what this one was asked."""
        return Student(self._client.apart, self._definitions, self._stem, self._is_module)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._definitions.kind(self._stem, name)
        if kind == "value":
            return self._client.invoke(["V", self._stem, name], (), {}, {})
        remote = RemoteClass if self._is_module(name) else RemoteFunction
        return remote(self._client, ["N", self._stem, name], name)
