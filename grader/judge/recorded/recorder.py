"""Listen to the reference while checks ask it, and keep its answers."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ..compare.precision import to_double, to_single
from .answers import Question, RecordedAnswers
from .module_outline import described
from .replay import (
    FORWARD,
    arguments,
    function_question,
    made_question,
    method_question,
    note_call,
    written_signature,
)

_WITHIN = "_within_a_call"
"""The attribute of a module whose method is being computed."""


@dataclass(frozen=True)
class Listened:
    """A function or method that is listened to."""

    ask: Callable[[Any, Any], Question]
    compute: Callable[..., Any]
    compute_apart: Callable[..., Any]
    """The same, and leaves no trace in the module: a cache stays as it is."""


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

    def hear_functions(self, stem: str, module: ModuleType, but: str = "") -> None:
        """Put functions that keep their answers in place of those that a module defines.

        `but`: the one that is no reference's here.
        """
        for name, value in [*vars(module).items()]:
            is_own = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if is_own and name != but:
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

            return self._kept(Listened(ask, function, function), args, kwargs)

        answered.__name__ = answered.__qualname__ = name
        answered.__module__ = function.__module__
        answered.__signature__ = signature  # type: ignore[attr-defined]
        return answered

    def _class(self, stem: str, name: str, kind: type[nn.Module]) -> type:
        making = inspect.signature(kind)
        recorder = self

        def made(module: Any, *args: Any, **kwargs: Any) -> None:
            with still():
                kind.__init__(module, *args, **kwargs)
            posed = made_question(stem, name, arguments(making, args, kwargs))
            recorder.modules.setdefault(posed.outline, described(module))

        methods = {name: self._method(kind, name) for name in method_names(kind)}
        body = {"__init__": made, "__module__": kind.__module__, **methods}
        copied = type(name, (kind,), body)
        copied.__signature__ = making  # type: ignore[attr-defined]
        return copied

    def _method(self, kind: type[nn.Module], method: str) -> Callable[..., Any]:
        function = getattr(kind, method)
        signature = inspect.signature(function)

        def answered(module: Any, *args: Any, **kwargs: Any) -> Any:
            if vars(module).get(_WITHIN):  # a method that another one calls
                return function(module, *args, **kwargs)

            def ask(args: Any, kwargs: Any) -> Question:
                return method_question(self.check, module, method, given(args, kwargs))

            def given(args: Any, kwargs: Any) -> list[Any]:
                return arguments(signature, (module, *args), kwargs)[1:]

            def compute(*args: Any, **kwargs: Any) -> Any:
                note_call(module, method, given(args, kwargs))
                return within(module, args, kwargs)

            def compute_apart(*args: Any, **kwargs: Any) -> Any:
                return within(_copied(module), args, kwargs)

            return self._kept(Listened(ask, compute, compute_apart), args, kwargs)

        def within(module: Any, args: Any, kwargs: Any) -> Any:
            vars(module)[_WITHIN] = True
            try:
                return function(module, *args, **kwargs)
            finally:
                vars(module)[_WITHIN] = False

        answered.__signature__ = signature  # type: ignore[attr-defined]
        return answered

    def _kept(self, call: Listened, args: Any, kwargs: Any) -> Any:
        """Compute an answer and keep it, and the one for the same numbers in single precision.

        A check asks for that one where a student's code computes in float32.
        """
        posed = call.ask(args, kwargs)
        with still():
            value = call.compute(*args, **kwargs)
        if self._busy or self.answers.has(posed):
            return value
        self.answers.add(posed, tree_map(_detached, value))
        with self.deaf(), torch.no_grad(), still():
            rounded = tree_map(to_double, tree_map(to_single, (args, kwargs)))
            again = call.ask(*rounded)
            if again != posed:
                self.answers.add(again, call.compute_apart(*rounded[0], **rounded[1]))
        return value


def still() -> AbstractContextManager[object]:
    """Leave torch's generator where it is meanwhile, as a recorded answer does."""
    forked: AbstractContextManager[object] = torch.random.fork_rng(devices=[])
    return forked


def method_names(kind: type[nn.Module]) -> list[str]:
    """Return the names of a class's public methods, `forward` among them."""
    own = (name for name, one in vars(kind).items() if inspect.isfunction(one))
    return sorted({FORWARD, *(name for name in own if not name.startswith("_"))})


def _copied(module: nn.Module) -> nn.Module:
    """Return a copy of a module, which may hold what it computed: tensors of any shape."""
    kept = vars(module).values()
    memo = {id(one): one.detach() for one in kept if isinstance(one, torch.Tensor)}
    return copy.deepcopy(module, memo)


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
                "methods": {
                    method: written_signature(inspect.signature(getattr(value, method)))
                    for method in method_names(value)
                },
            }
    return result
