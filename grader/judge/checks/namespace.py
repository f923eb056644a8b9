"""Provide `student.name` to suites: the student's definitions for one assignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch

from ...wire.values import Node
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


class Optimisers:
    """The optimisers of torch.optim for a suite, such as `student.optim.SGD(module, lr=0.1)`.

    Each is made in the student's process, for all parameters of some modules there, one group for
    each module, so that it can be handed to student code. A suite can do nothing else with it.
    """

    def __init__(self, client: Invoker) -> None:
        self._client = client

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("__"):
            raise AttributeError(name)
        return RemoteFunction(self._client, ["M", name], name)


FirstInputs = Callable[[str, Sequence[Any], Mapping[str, Any]], Sequence[torch.Tensor]]
"""Makes inputs to call a new instance with, by the class and the arguments of its constructor."""


def no_inputs(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[torch.Tensor]:
    """Return no inputs of any shape: modules of this class are not called when they are made."""
    return ()


class RemoteClass(RemoteFunction):
    """A class of the student's whose instances are modules."""

    def __init__(
        self, invoker: Invoker, target: Node, name: str, first_inputs: FirstInputs = no_inputs
    ) -> None:
        super().__init__(invoker, target, name)
        self._first_inputs = first_inputs

    @property
    def apart(self) -> RemoteClass:
        return RemoteClass(self._invoker.apart, self.target, self.__name__, self._first_inputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        state = torch.get_rng_state()
        module = module_of(super().__call__(*args, **kwargs), self.__name__)

        def once_more() -> RemoteModule:
            torch.set_rng_state(state)
            again: RemoteModule = self.apart(*args, **kwargs)
            return again

        module.made_apart = once_more
        if module.is_unfinished:
            with self._invoker.unnoticed():
                module.finish(self._first_inputs(self.__name__, args, kwargs))
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
        first_inputs: FirstInputs = no_inputs,
    ) -> None:
        """Offer the definitions of assignment `stem`.

        `is_module`: tells whether calling the definition of that name must make an nn.Module.
        `first_inputs`: what such a module is first called with, if its shapes wait for that.
        """
        self._client, self._definitions, self._stem = client, definitions, stem
        self._is_module, self._first_inputs = is_module, first_inputs
        self.nn, self.optim = Layers(client), Optimisers(client)
        self.generator = RemoteFunction(client, ["G"], "generator")

    @property
    def apart(self) -> Student:
        """Return the same definitions in a process that has not seen what this one was asked."""
        return Student(
            self._client.apart, self._definitions, self._stem, self._is_module, self._first_inputs
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        kind = self._definitions.kind(self._stem, name)
        if kind == "value":
            return self._client.invoke(["V", self._stem, name], (), {}, {})
        target = ["N", self._stem, name]
        if self._is_module(name):
            return RemoteClass(self._client, target, name, self._first_inputs)
        return RemoteFunction(self._client, target, name)
