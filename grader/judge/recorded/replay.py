"""Stand for the reference of a kit: definitions that answer from a recording."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ..calls.faults import NotRecorded
from .answers import Question, question
from .module_outline import built, identity
from .recording import Recording

PARAMETER_KINDS = {kind.name: kind for kind in inspect._ParameterKind}
FORWARD = "forward"
BEFORE = "_asked_before"
"""The attribute of a module with what it was before the first call of a method, and all calls."""


class Replay:
    """The references of a kit: modules of functions and classes without any code of the course."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.check = ""
        """The check and draw at hand: functions among arguments are known by it and their kind."""
        self._modules: dict[str, ModuleType] = {}

    def listen(self, check: str) -> None:
        """Take note of the check and draw that are about to be run."""
        self.check = check

    def module(self, stem: str) -> ModuleType:
        """Return the stand-in for the reference of an assignment."""
        if stem not in self._modules:
            module = ModuleType(f"reference.{stem}")
            for name, about in self._recording.definitions.get(stem, {}).items():
                vars(module)[name] = self._definition(stem, name, about)
            self._modules[stem] = module
        return self._modules[stem]

    def _definition(self, stem: str, name: str, about: Mapping[str, Any]) -> Any:
        if "methods" not in about:
            return self._function(stem, name, read_signature(about["signature"]))
        return self._class(stem, name, about)

    def _function(self, stem: str, name: str, signature: inspect.Signature) -> Callable[..., Any]:
        def answer(*args: Any, **kwargs: Any) -> Any:
            posed = function_question(self.check, stem, name, arguments(signature, args, kwargs))
            return self._recording.known_answers.find(posed, name)

        answer.__name__ = answer.__qualname__ = name
        answer.__module__ = f"reference.{stem}"
        answer.__signature__ = signature  # type: ignore[attr-defined]
        return answer

    def _class(self, stem: str, name: str, about: Mapping[str, Any]) -> type:
        """Return a class whose calls make modules of the course's names and shapes."""
        making = read_signature(about["signature"])
        methods = {
            method: self._method(f"{name}.{method}", method, read_signature(rows))
            for method, rows in about["methods"].items()
        }

        def new(_cls: type, *args: Any, **kwargs: Any) -> nn.Module:
            posed = made_question(stem, name, arguments(making, args, kwargs))
            if posed.outline not in self._recording.modules:
                raise NotRecorded(name)
            return built(self._recording.modules[posed.outline], methods)

        kind = type(name, (nn.Module,), {**methods, "__new__": new})
        kind.__module__ = f"reference.{stem}"
        kind.__signature__ = making  # type: ignore[attr-defined]
        return kind

    def _method(self, name: str, method: str, signature: inspect.Signature) -> Callable[..., Any]:
        def answer(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            given = arguments(signature, (module, *args), kwargs)[1:]
            posed = method_question(self.check, module, method, given)
            note_call(module, method, given)
            return self._recording.known_answers.find(posed, name)

        answer.__signature__ = signature  # type: ignore[attr-defined]
        return answer


def arguments(signature: inspect.Signature, args: Any, kwargs: Any) -> list[Any]:
    """Return arguments as the definition names them, however they were passed."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return [*args, kwargs]
    bound.apply_defaults()
    return [*bound.arguments.values()]


def function_question(check: str, stem: str, name: str, given: list[Any]) -> Question:
    return question(check, "function", stem, name, given)


def made_question(stem: str, name: str, given: list[Any]) -> Question:
    return question("", "class", stem, name, given)


def method_question(check: str, module: nn.Module, method: str, given: list[Any]) -> Question:
    """Return the question for a module's answer: its kind, its numbers and the arguments.

    What a method other than `forward` answers may depend on what was asked of the module before: a
    cache for instance is no parameter and no buffer.
    """
    numbers = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    who, before = identity(module), []
    if method != FORWARD:
        who, calls = vars(module).get(BEFORE, (who, []))
        before = [method, *calls]
    return question(check, "module", who, module.training, numbers, given, before)


def note_call(module: nn.Module, method: str, given: list[Any]) -> None:
    """Note on a module that a method was called, for the questions that follow."""
    if method != FORWARD:
        call = tree_map(lambda one: one.detach() if isinstance(one, torch.Tensor) else one, given)
        who, before = vars(module).get(BEFORE, (identity(module), []))
        vars(module)[BEFORE] = who, [*before, [method, *call]]


def written_signature(signature: inspect.Signature) -> list[list[Any]]:
    """Return a signature as JSON; a default that is no plain value is None."""
    rows = []
    for one in signature.parameters.values():
        default: list[Any] = []
        if one.default is not one.empty:
            plain = isinstance(one.default, (bool, int, float, str))
            default = [one.default if plain else None]
        rows.append([one.name, one.kind.name, default])
    return rows


def read_signature(rows: list[list[Any]]) -> inspect.Signature:
    """Return the signature that `written_signature` was given."""
    parameters = []
    for name, kind, default in rows:
        own = default[0] if default else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, PARAMETER_KINDS[kind], default=own))
    return inspect.Signature(parameters)
