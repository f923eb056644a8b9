"""Listen to the reference while checks ask it, and keep its answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ..compare.precision import to_double, to_single
from .answers import Question, RecordedAnswers
from .module_outline import described
from .replay import (
    arguments,
    function_question,
    made_question,
    module_question,
    written_signature,
)


class ReferenceListener:
    """Copies of the references that keep what they answer."""

    def __init__(self) -> None:
        self.answers = RecordedAnswers()
        self.modules: dict[str, Any] = {}
        self.check = ""
        """The check and draw at hand."""
        self._busy = False

    def listen(self, check: str) -> None:
        """Take note of the check and draw that are about to be run."""
        self.check = check

    def listening(self, modules: Mapping[str, ModuleType]) -> dict[str, ModuleType]:
        """Return modules with the same names, whose definitions keep what they answer."""
        result = {}
        for stem, module in modules.items():
            copy = ModuleType(module.__name__)
            for name, value in vars(module).items():
                vars(copy)[name] = self._kept_copy(stem, name, value)
            result[stem] = copy
        return result

    def hear_functions(self, stem: str, module: ModuleType) -> None:
        """Put functions that keep their answers in place of those that a module defines."""
        for name, value in [*vars(module).items()]:
            if isinstance(value, FunctionType) and value.__module__ == module.__name__:
                vars(module)[name] = self._function(stem, name, value)

    @contextmanager
    def deaf(self) -> Iterator[None]:
        """Keep nothing meanwhile."""
        before, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = before

    def _kept_copy(self, stem: str, name: str, value: Any) -> Any:
        if isinstance(value, FunctionType):
            return self._function(stem, name, value)
        if isinstance(value, type) and issubclass(value, nn.Module):
            return self._class(stem, name, value)
        return value

    def _function(self, stem: str, name: str, function: FunctionType) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def answered(*args: Any, **kwargs: Any) -> Any:
            def ask(args: Any, kwargs: Any) -> Question:
                given = arguments(signature, args, kwargs)
                return function_question(self.check, stem, name, given)

            return self._kept(ask, function, args, kwargs)

        answered.__name__ = answered.__qualname__ = name
        answered.__module__ = function.__module__
        answered.__signature__ = signature  # type: ignore[attr-defined]
        return answered

    def _class(self, stem: str, name: str, kind: type[nn.Module]) -> type:
        making, calling = inspect.signature(kind), inspect.signature(kind.forward)
        recorder = self

        def made(module: Any, *args: Any, **kwargs: Any) -> None:
            with still():
                kind.__init__(module, *args, **kwargs)
            posed = made_question(stem, name, arguments(making, args, kwargs))
            recorder.modules.setdefault(posed.outline, described(module))

        def forward(module: Any, *args: Any, **kwargs: Any) -> Any:
            def ask(args: Any, kwargs: Any) -> Question:
                given = arguments(calling, (module, *args), kwargs)[1:]
                return module_question(recorder.check, module, given)

            def compute(*args: Any, **kwargs: Any) -> Any:
                return kind.forward(module, *args, **kwargs)

            return recorder._kept(ask, compute, args, kwargs)

        forward.__signature__ = calling  # type: ignore[attr-defined]
        body = {"__init__": made, "forward": forward, "__module__": kind.__module__}
        copied = type(name, (kind,), body)
        copied.__signature__ = making  # type: ignore[attr-defined]
        return copied

    def _kept(
        self,
        ask: Callable[[Any, Any], Question],
        compute: Callable[..., Any],
        args: Any,
        kwargs: Any,
    ) -> Any:
        """Compute an answer and keep it, and the one for the same numbers in single precision.

        A check asks for that one where a student's code computes in float32.
        """
        posed = ask(args, kwargs)
        with still():
            value = compute(*args, **kwargs)
        if self._busy or self.answers.has(posed):
            return value
        self.answers.add(posed, tree_map(_detached, value))
        with self.deaf(), torch.no_grad(), still():
            rounded = tree_map(to_double, tree_map(to_single, (args, kwargs)))
            again = ask(*rounded)
            if again != posed:
                self.answers.add(again, compute(*rounded[0], **rounded[1]))
        return value


def still() -> AbstractContextManager[object]:
    """Leave torch's generator where it is meanwhile, as a recorded answer does."""
    forked: AbstractContextManager[object] = torch.random.fork_rng(devices=[])
    return forked


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value


def definitions(
    modules: Mapping[str, ModuleType], names: Mapping[str, Collection[str]]
) -> dict[str, dict[str, Any]]:
    """Return the signatures of these definitions of each module, and the methods of classes."""
    return {stem: _of(modules[stem], sorted(own)) for stem, own in names.items()}


def _of(module: ModuleType, names: Collection[str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, FunctionType):
            result[name] = {"signature": written_signature(inspect.signature(value))}
        elif isinstance(value, type) and issubclass(value, nn.Module):
            result[name] = {
                "signature": written_signature(inspect.signature(value)),
                "forward": written_signature(inspect.signature(value.forward)),
                "methods": [own for own in vars(value) if not own.startswith("_")],
            }
    return result
