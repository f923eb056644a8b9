"""Run the steps of a small call on one side: lines of code in place of a single call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any

import torch

from ..calls.client import InputPath
from ..calls.faults import StudentRaised

Call = Callable[..., Any]
SHOWN = "shown"
OF_STEPS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors of a line that cannot go on with what the student's code returned."""


class Raised:
    """An exception in place of an answer, by the name of its type and of those it derives from."""

    def __init__(self, type_name: str, words: str, bases: Sequence[str] = ()) -> None:
        self.type_name, self.words, self.bases = type_name, words, tuple(bases)

    @classmethod
    def of(cls, error: Exception) -> Raised:
        """Return what stands for an error that a line or the student's code raised."""
        if isinstance(error, StudentRaised):
            return cls(error.type_name, error.observed, error.bases)
        names = [base.__name__ for base in type(error).__mro__]
        return cls(names[0], names[0], names)

    def is_a(self, name: str) -> bool:
        """Tell whether it is an error of that name, or derives from it."""
        return name in (self.type_name, *self.bases)


def run_steps(steps: Sequence[str], names: Mapping[str, Any], *, learns: bool = False) -> Any:
    """Run the lines with these names, and return what they call `shown`.

    `learns`: whether gradients are wanted, as where a line trains a module.
    """
    space = {"torch": torch, **names}
    with torch.set_grad_enabled(learns):
        exec(_compiled("\n".join(steps)), space)
    return _tensor_of(space[SHOWN])


@cache
def used_names(steps: Sequence[str]) -> frozenset[str]:
    """Return the names that the lines use, also those that they define."""
    return frozenset(_names_in(_compiled("\n".join(steps))))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _names_in(one)


@cache
def _compiled(text: str) -> CodeType:
    return compile(text, "<steps of a small call>", "exec")


def _tensor_of(value: Any) -> Any:
    """Return numbers and lengths as a tensor `()` or `(items,)`, and anything else as it is.

    A tensor comes back without its graph.
    """
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, (bool, int, float)):
        return torch.tensor(value)
    if isinstance(value, tuple) and value and all(type(one) is int for one in value):
        return torch.tensor(value)
    return value


def marking(function: Call, changed: Callable[[], Sequence[InputPath]]) -> Call:
    """Return a function that changes the inputs here which the student's changed over there.

    By what does not matter: their values did not come back.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        for path in changed():
            given = args[path.argument] if isinstance(path.argument, int) else None
            if isinstance(given, torch.Tensor) and not path.inside:
                with torch.no_grad():
                    given.copy_(~given if given.dtype == torch.bool else given + 1)
        return value

    return call
