"""Ask the student's code and the reference for their answers to one small call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_map

from ..calls.client import InputPath
from ..calls.faults import CheckFailed, StudentRaised
from ..checks.namespace import RemoteClass, Student
from ..checks.probe import MatchedPair, Probe
from ..reference.memo import Reference
from .candidates import Candidate
from .small_calls import SmallCall
from .steps import OF_STEPS, Raised, marking, run_steps, used_names
from .torch_there import TorchThere

Call = Callable[..., Any]


class OutOfCalls(Exception):
    """All calls that a search may make are made, or its time is over."""


@dataclass(frozen=True)
class Filled:
    """A candidate with its numbers: arguments, and the parameters of a module by role."""

    candidate: Candidate
    arguments: tuple[Any, ...]
    weights: Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class BothAnswers:
    """Both answers to one call."""

    yours: Any
    right: Any


class Sides:
    """The student's code and the reference, asked the same; modules hold the same numbers."""

    def __init__(
        self,
        student: Student,
        reference: Reference,
        probe: Probe,
        spend: Callable[[], None],
        changed: Callable[[], Sequence[InputPath]] = tuple,
    ) -> None:
        """Take both sides. `spend` is called before each call of the student's code.

        `changed` returns the inputs that the last call of the student's code modified.
        """
        self._student, self._reference, self._probe = student, reference, probe
        self._spend, self._changed = spend, changed
        self._pairs: dict[Any, MatchedPair] = {}
        self._methods: dict[tuple[int, str], Any] = {}
        self._written: Mapping[str, torch.Tensor] | None = None
        """The parameters, of any shape, that the modules were last given."""

    def fill(self, candidate: Candidate) -> Filled:
        """Return a candidate with the numbers of its pattern.

        Raises:
            StudentFault: the module cannot be made.
        """
        weights: Mapping[str, torch.Tensor] = {}
        if candidate.call.made is not None:
            module = self.pair(candidate).reference.module
            shapes = {name: tuple(p.shape) for name, p in module.named_parameters()}
            weights = {name: candidate.weight(name, shape) for name, shape in shapes.items()}
        return Filled(candidate, tuple(candidate.arguments()), weights)

    def pair(self, candidate: Candidate) -> MatchedPair:
        """Return both modules, made once for all candidates that make them alike."""
        made = candidate.made()
        key = (candidate.call.target, made)
        if key not in self._pairs:
            self._spend()
            single = torch.float32
            self._pairs[key] = self._probe.pair(candidate.call.target, *made, dtype=single)
        return self._pairs[key]

    def ask(self, filled: Filled) -> BothAnswers:
        """Return both answers; the reference is asked only once with the same numbers.

        Raises:
            StudentFault: the student's process hung or crashed.
        """
        yours, right = self._calls(filled)
        self._spend()
        return BothAnswers(_answer(yours, filled), _right(right, filled))

    def right(self, filled: Filled) -> Any:
        """Return the reference's answer alone."""
        return _right(self._calls(filled, anew=False)[1], filled)

    def settle(self, filled: Filled) -> bool:
        """Look for another way of storing a module's parameters; return whether there is one."""
        call = filled.candidate.call
        if call.made is None or not self._can_settle(filled):
            return False
        self._spend()
        self._written = None
        return self.pair(filled.candidate).settle(copies(filled.arguments), {})

    def is_guessed(self, filled: Filled) -> bool:
        """Tell whether nothing shows that a module's parameters stand where they were written.

        It has names of its own, and what it is asked is no call of the module itself, by which its
        ways of storing could be told apart.
        """
        if filled.candidate.call.made is None:
            return False
        binding = self.pair(filled.candidate).binding
        return binding.has_names_of_its_own and not self._can_settle(filled)

    def _can_settle(self, filled: Filled) -> bool:
        """Tell whether the module itself can be called with the arguments."""
        call = filled.candidate.call
        if call.methods:
            return False
        if not call.steps:
            return True
        try:  # the arguments of steps are theirs alone: the module may have to refuse them
            self.pair(filled.candidate).reference.module(*copies(filled.arguments))
        except Exception:
            return False
        return True

    def stored(self, filled: Filled) -> Mapping[str, torch.Tensor]:
        """Return the parameters by the student's own names and in their shapes."""
        if filled.candidate.call.made is None:
            return {}
        self._write(filled)
        return self.pair(filled.candidate).binding.values()

    def ask_apart(self, filled: Filled) -> Any:
        """Return the student's answer in a second process, which was asked nothing before.

        Raises:
            StudentFault: the process hung or crashed.
        """
        call = filled.candidate.call
        student: Any
        if call.made is None:
            student = getattr(self._student, call.target).apart
        else:
            self._write(filled, anew=False)
            student = self.pair(filled.candidate).student.apart
        self._spend()
        if call.steps:
            return _answer(self._stepped(call, student, self._student.apart), filled)
        return _answer(self._yours(call, student), filled)

    def _calls(self, filled: Filled, *, anew: bool = True) -> tuple[Call, Call]:
        call = filled.candidate.call
        yours: Any
        right: Any
        if call.made is None:
            yours, right = (
                getattr(self._student, call.target),
                getattr(self._reference, call.target),
            )
            right = getattr(right, "function", right)
        else:
            pair = self.pair(filled.candidate)
            self._write(filled, anew=anew)
            yours, right = pair.student, pair.reference.module
        if call.steps:
            return self._yours(call, yours), self._stepped(call, right, self._reference)
        options = dict(call.options)
        mine = through(yours, call.methods, options, self._method)
        return mine, through(right, call.methods, options)

    def _method(self, module: Any, name: str) -> Any:
        """Return a method of one of the modules made here: each is asked for once, not each call.

        To ask for it takes as long as to call it.
        """
        key = (id(module), name)  # all of them are kept as long as this object is
        if key not in self._methods:
            self._methods[key] = getattr(module, name)
        return self._methods[key]

    def _yours(self, call: SmallCall, target: Any) -> Call:
        """Return a function that makes the call on the student's side."""
        if not call.steps:
            return through(target, call.methods, dict(call.options))
        return self._stepped(call, target, self._student)

    def _stepped(self, call: SmallCall, target: Any, definitions: Any) -> Call:
        """Return a function that runs the steps of a call with the names of one side."""
        names = {
            name: getattr(definitions, name)
            for name in used_names(call.steps)
            if name != "torch" and hasattr(self._reference, name)
        }
        if definitions is self._reference:
            names = {name: getattr(one, "function", one) for name, one in names.items()}
        else:
            names = {name: self._marked(one) for name, one in names.items()}
            names["torch"] = TorchThere(definitions)
        if call.made is not None:
            names["module"] = target
        given = tuple(call.given)

        def stepped(*args: Any) -> Any:
            space = {**names, **dict(zip(given, args, strict=True))}
            return run_steps(call.steps, space, learns=call.learns)

        return stepped

    def _marked(self, target: Any) -> Any:
        """Return a function that marks what it changes; a class as it is, as its modules do not."""
        return target if isinstance(target, RemoteClass) else marking(target, self._changed)

    def _write(self, filled: Filled, *, anew: bool = True) -> None:
        """Give both modules these parameters; without `anew`, unless they were the last ones."""
        pair = self.pair(filled.candidate)
        if anew or self._written is not filled.weights:
            pair.write(filled.weights)
        self._written = filled.weights


def _answer(yours: Call, filled: Filled) -> Any:
    """Return the student's answer, or what stands for the exception that came instead."""
    steps = filled.candidate.call.steps
    try:
        return yours(*copies(filled.arguments))
    except StudentRaised as fault:
        return Raised.of(fault)
    except CheckFailed as fault:
        if not steps:
            raise
        return Raised("", fault.observed)  # it called a function of ours as nobody can
    except OF_STEPS as error:
        if not steps:
            raise
        return Raised.of(error)


def _right(right: Call, filled: Filled) -> Any:
    """Return the reference's answer; an exception only if the call has to raise one."""
    raises = filled.candidate.call.raises
    try:
        return right(*copies(filled.arguments))
    except Exception as error:
        raised = Raised.of(error)
        if raises and raised.is_a(raises):
            return raised
        raise


def through(
    target: Any,
    methods: Sequence[str],
    options: Mapping[str, Any],
    method: Callable[[Any, str], Any] = getattr,
) -> Call:
    """Return a call of `target`, or of its methods one after the other, each with one argument.

    `method` returns the method of a name.
    """
    if not methods:
        return lambda *args: target(*args, **options)

    def call(*args: Any) -> Any:
        answer = None
        for name, argument in zip(methods, args, strict=True):
            answer = method(target, name)(argument, **options)
        return answer

    return call


def copies(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return copies of the tensors among the arguments, which no call can change."""
    return tuple(
        tree_map(lambda one: one.clone() if isinstance(one, torch.Tensor) else one, one)
        for one in arguments
    )
