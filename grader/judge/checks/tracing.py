"""Record every answer of a submission for `grader validate`; grading a class records none.

Two edits of the reference that answer alike in every call are one mistake; a suite that writes to
its own globals makes grades depend on order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import ismethod
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, cast

from ...wire.values import Node
from ..calls.client import DirectClient
from ..calls.faults import CheckFailed, StudentFault, StudentRaised
from ..calls.handles import Parameters
from ..calls.student import SubmissionClient
from ..reference.memo import digest
from .expect import Expect
from .sketch import Sketch, sketch


class TracingClient(SubmissionClient):
    """A client that notes every answer, by check."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.answers: dict[str, list[Sketch]] = {}
        self.methods_called: dict[str, list[str]] = {}
        """By check: the methods of `expect` that it called, in order, by name."""
        self.refused_by: dict[str, str] = {}
        """By failed check: the method of `expect` that refused."""
        self._check = ""

    def note_check(self, check: str) -> None:
        self._check = check
        if check:
            self.answers[check] = []

    def watched(self, expect: Expect) -> Expect:
        return cast(Expect, RecordingExpect(expect, self.note_call, self.note_refusal))

    def note_call(self, name: str) -> None:
        self.methods_called.setdefault(self._check, []).append(name)

    def note_refusal(self, name: str) -> None:
        self.refused_by[self._check] = name

    def absent(self, stem: str, names: Sequence[str]) -> None:
        """Return None, so that every check runs: one that passes for a stub must be seen to."""

    def note_answers(self, answers: list[Sketch]) -> None:
        self.answers[self._check] = answers

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        with _noted(self.answers.get(self._check, [])) as noted:
            noted.value = super().invoke(target, args, kwargs, parameters)
        return noted.value


class TracingDirectClient(DirectClient):
    """A client of the judge's own process that notes every answer of the check at hand."""

    answers: list[Sketch]

    def begin_check(self) -> None:
        super().begin_check()
        self.answers = []

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        with _noted(self.answers) as noted:
            noted.value = super().invoke(target, args, kwargs, parameters)
        return noted.value


@contextmanager
def _noted(answers: list[Sketch]) -> Iterator[SimpleNamespace]:
    """Add a sketch of the value that the block sets, or of the fault that it raises."""
    noted = SimpleNamespace(value=None)
    try:
        yield noted
    except StudentFault as fault:
        # not the line: an edit may stand anywhere
        raised = fault if isinstance(fault, StudentRaised) else None
        answers.append([raised.type_name if raised else type(fault).__name__, []])
        raise
    answers.append(sketch(noted.value))


class RecordingExpect:
    """An `Expect` that reports which of its methods were called, and which of them refused."""

    def __init__(
        self, expect: Expect, on_call: Callable[[str], None], on_refusal: Callable[[str], None]
    ) -> None:
        self._expect, self._on_call, self._on_refusal = expect, on_call, on_refusal

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._expect, name)
        return functools.partial(self._call, name, value) if ismethod(value) else value

    def _call(self, name: str, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._on_call(name)
        try:
            return method(*args, **kwargs)
        except CheckFailed:
            self._on_refusal(name)
            raise


class SuiteGlobals:
    """The global values of suites, to see whether running their checks changed them."""

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._modules = modules
        self._before = self._snapshot()

    def written(self) -> list[list[str]]:
        """Return file and name of every global that is not as it was after the import."""
        now = self._snapshot()
        return [list(key) for key in sorted({*now, *self._before}) if self._changed(key, now)]

    def _changed(self, key: tuple[str, str], now: Mapping[tuple[str, str], object]) -> bool:
        return bool(now.get(key) != self._before.get(key))

    def _snapshot(self) -> dict[tuple[str, str], object]:
        return {
            (file, name): digest(value) or repr(value)
            for file, module in self._modules.items()
            for name, value in vars(module).items()
            if not name.startswith("__")
            if not isinstance(value, (ModuleType, FunctionType, type))
        }
