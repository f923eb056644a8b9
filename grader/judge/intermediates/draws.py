"""Call a student's code and the reference on the same generic numbers, and record both."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...grade.right_lines import RightAnswer
from ..calls.client import Client
from ..calls.faults import StudentRaised
from ..checks.namespace import Student
from ..checks.probe import MatchedPair, Probe
from ..reference.memo import Reference
from ..smallest.difference import agree, clear_difference
from ..smallest.sides import Call, copies, through
from ..smallest.small_calls import Size, Sizes, SmallCall, length_of
from ..smallest.snippet import typed
from ..smallest.steps import Raised
from .generic_calls import generic_arguments
from .received import OwnValue, own_values
from .reference_trace import ReferenceTrace, ReferenceValue


@dataclass(frozen=True)
class RecordedCall:
    """One call of both sides with the same numbers, and what each computed on its way."""

    yours: Sequence[OwnValue]
    right: Sequence[ReferenceValue]
    given: Sequence[torch.Tensor]
    """Tensors that were there before: arguments and weights, of any shape."""
    is_wrong: bool
    """True if the answers differ clearly."""
    is_right: bool
    """True if the answers are the same but for rounding; some are neither wrong nor right."""


@dataclass(frozen=True)
class RecordingSides:
    """The student's code and the reference; modules hold the same drawn weights."""

    client: Client
    student: Student
    reference: Reference
    probe: Probe
    folder: Path
    """The folder with the reference's files."""

    def prepared(self, call: SmallCall, sizes: Sizes) -> PreparedCall:
        """Prepare a call on both sides, to be made once its numbers are drawn.

        Raises:
            StudentFault: a module cannot be made, or has no room for a parameter.
        """
        options = dict(call.options)
        if call.made is None:
            target = getattr(self.reference, call.target)
            yours = through(getattr(self.student, call.target), (), options)
            right = through(getattr(target, "function", target), (), options)
            return PreparedCall(self, call, sizes, yours, right)
        pair = self.probe.pair(call.target, *_made(call, sizes), dtype=torch.float32)
        yours = through(pair.student, call.methods, options)
        right = through(pair.reference.module, call.methods, options)
        return PreparedCall(self, call, sizes, yours, right, pair)

    def allows(self, call: SmallCall, sizes: Sizes) -> bool:
        """Tell whether the reference can be called at these lengths; the student is not asked."""
        try:
            target = getattr(self.reference, call.target)
            if call.made is not None:
                target = target(*_made(call, sizes)).eval()
            arguments = generic_arguments(call, sizes, 0)
            through(target, call.methods, dict(call.options))(*arguments)
        except Exception:  # whatever a reference raises where a length does not suit it
            return False
        return True


@dataclass(frozen=True)
class PreparedCall:
    """One call of both sides, at some lengths, to be made with one set of numbers after another."""

    sides: RecordingSides
    call: SmallCall
    sizes: Sizes
    yours: Call
    right: Call
    pair: MatchedPair | None = None

    @property
    def in_words(self) -> RightAnswer:
        """Return the call as it is typed, and the shapes of what it is given."""
        arguments = generic_arguments(self.call, self.sizes, 0)
        call = typed(self.call, _made(self.call, self.sizes), arguments)
        named = zip(self.call.given, arguments, strict=True)
        return RightAnswer(call, tuple(part for name, one in named for part in _shapes(name, one)))

    def settle(self, seed: int) -> bool:
        """Look for another way of storing a module's parameters; return whether there is one."""
        if self.pair is None or self.call.methods:
            return False
        return self.pair.settle(generic_arguments(self.call, self.sizes, seed), {})

    def recorded(self, seed: int) -> RecordedCall:
        """Make the call with the numbers of a seed.

        Raises:
            StudentFault: the student's process hung or crashed.
        """
        arguments = generic_arguments(self.call, self.sizes, seed)
        folder, client = str(self.sides.folder), self.sides.client
        trace = ReferenceTrace(
            lambda name: name.rpartition(os.sep)[0] == folder
        )  # asked of each frame
        with trace.recording():
            expected = self.right(*copies(arguments))
        with client.recording():
            try:
                answer = self.yours(*copies(arguments))
            except StudentRaised as fault:
                answer = Raised(fault.type_name, fault.observed)
        own = own_values(client.recorded(), client)
        given = [one for one in tree_leaves(arguments) if isinstance(one, torch.Tensor)]
        if self.pair is not None:
            given += self.pair.reference.module.state_dict().values()
        is_wrong = clear_difference(answer, expected) is not None
        return RecordedCall(own, trace.values, given, is_wrong, agree(answer, expected))


def _made(call: SmallCall, sizes: Sizes) -> list[Any]:
    """Return the arguments that make the module."""
    made = call.made or ()
    return [length_of(one.letter, sizes) if isinstance(one, Size) else one for one in made]


def _shapes(name: str, given: Any) -> list[str]:
    """Return the shape of a tensor, or of each of a list, after its name; none of a constant."""
    if isinstance(given, list):
        return [f"{name}[{n}] {tuple(one.shape)}" for n, one in enumerate(given)]
    return [f"{name} {tuple(given.shape)}"] if isinstance(given, torch.Tensor) else []
