"""Require how a student's function behaves when it is called, whatever it computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.utils._pytree import tree_leaves, tree_map

from ...grade.evidence import Outcome
from ...text.language import _, joined
from ..calls.client import Client, InputPath
from ..calls.faults import CheckFailed, StudentRaised
from ..compare.compare import Difference, difference
from ..compare.precision import to_double, tolerance_of
from ..wording.differences import argument_name, describe, in_words
from .check_trace import NOT_REFUSED
from .comparisons import Comparisons
from .gradients import Name, names_of

Function = Callable[..., Any]


class Remembering(Protocol):
    """A function or module of the student's, which could keep what it was called with."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    @property
    def apart(self) -> Function:
        """Return the same in a process that has not been called before."""


class Trained(Protocol):
    """A module of the student's, with weights that can be written."""

    @property
    def layout(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return name and shape of each parameter that is trained."""

    def stand_ins(self) -> list[tuple[str, torch.nn.Parameter]]: ...

    def write(self, values: Mapping[str, torch.Tensor]) -> None:
        """Set parameters by name, each to a tensor of its shape."""

    def eval(self) -> Function: ...


@dataclass(frozen=True)
class PlannedCall:
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    @classmethod
    def of(cls, *args: Any, **kwargs: Any) -> PlannedCall:
        """Return the call with these arguments."""
        return cls(args, kwargs)


class CallBehaviour:
    """The requirements on a call: what it raises, leaves unchanged, and takes of memory."""

    def __init__(self, client: Client, record: Comparisons) -> None:
        self._client, self._record = client, record

    def raises(
        self,
        error: type[Exception],
        function: Function,
        *args: Any,
        mentions: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """Require a call to raise `error` with a message that contains every text in `mentions`."""
        self._record.count += 1
        wanted = error.__name__
        if mentions:
            wanted = _(
                "{error} with a message that contains {words}", error=wanted, words=joined(mentions)
            )
        try:
            value = function(*args, **kwargs)
        except StudentRaised as fault:
            if fault.outcome is Outcome.NOT_ATTEMPTED:
                raise
            if error.__name__ not in (fault.type_name, *fault.bases):
                self._record.compared.append(NOT_REFUSED + fault.type_name)
                self._see_other_error(fault)
                raise CheckFailed(fault.observed, wanted, where=fault.where) from None
            missing = [text for text in mentions if text not in fault.message]
            if missing:
                self._record.compared.append(f"{NOT_REFUSED}without {missing}")
                self._record.details.see(
                    "error.message",
                    _("these arguments are refused; the message leaves out what it has to contain"),
                )
                observed = _(
                    "{error} without {words} in its message",
                    error=error.__name__,
                    words=joined(missing),
                )
                raise CheckFailed(observed, wanted, where=fault.where) from None
            return
        self._record.compared.append(f"{NOT_REFUSED}a result")
        self._record.details.see(
            "error.none",
            _("nothing refuses these arguments: the code goes on with them and gives a result"),
        )
        raise CheckFailed(_("returned {value}", value=describe(value)), wanted)

    def _see_other_error(self, fault: StudentRaised) -> None:
        if fault.own:
            text = _("these arguments are refused, by an error of another kind than is asked for")
        else:
            text = _(
                "nothing refuses these arguments: the error comes later, where they do not fit"
            )
        self._record.details.see("error.other_kind", text)

    def unchanged(self, student: Function, *args: Any, **kwargs: Any) -> Any:
        """Require that a call modifies none of its inputs; return its result."""
        self._record.count += 1
        value = student(*args, **kwargs)
        self._record.compared.append((value, [str(path) for path in self._client.changed]))
        if self._client.changed:
            names = names_of(student, args)
            inputs = [_input_name(path, names) for path in self._client.changed]
            observed = _("modified its input: {names}", names=", ".join(inputs))
            self._record.details.see(
                "input.changed",
                _("something works in place on what was handed in, or on a view of it"),
            )
            raise CheckFailed(observed, _("inputs left as they were"))
        return value

    def starts_anew(self, student: Remembering, *calls: PlannedCall) -> None:
        """Require that calls give what they give in a process that has not seen the others.

        The first call is what the others come after; each of them is made again in a second
        process, on the same weights. So nothing may be kept of earlier calls: no scale, mask,
        length or table that fitted their inputs, be the next call of the same sizes or of others.
        """
        self._record.count += 1
        student(*calls[0].args, **calls[0].kwargs)
        for call in calls[1:]:
            observed = student(*call.args, **call.kwargs)
            alone = student.apart(*call.args, **call.kwargs)
            self._record.compared.append(observed)
            result = _difference(observed, alone)
            if result is not None:
                first, then = in_words(result)
                self._record.details.see(
                    "kept.calls",
                    _("something that an earlier call made is used again, for inputs not its own"),
                )
                raise CheckFailed(
                    _("after another call: {observed}", observed=first),
                    _("what the call gives without one: {expected}", expected=then),
                )

    def separate(self, make: Callable[[], Remembering], *args: Any) -> None:
        """Require that a second module leaves the first one alone: they share no layer or weight.

        `make` returns a module whose weights are drawn anew each time. The first one's output is
        compared with that of the same module in a process where it is the only one.
        """
        self._record.count += 1
        with torch.no_grad():
            first = make()
            make()(*args)
            observed, alone = first(*args), first.apart(*args)
        self._record.compared.append(observed)
        result = _difference(observed, alone)
        if result is not None:
            was, expected = in_words(result)
            self._record.details.see(
                "kept.modules",
                _("two modules share what each should have for itself"),
            )
            raise CheckFailed(
                _("after a second module was made: {observed}", observed=was),
                _("what the first gives without a second: {expected}", expected=expected),
            )

    def rests(self, active: Trained, plain: Trained, *args: Any) -> None:
        """Require that `active` computes in eval mode what `plain` does, from the same weights.

        Both are one class, made alike but for a rate such as that of a dropout, which is 0 in
        `plain`: what a rate changes in train mode is chance, and in eval mode it changes nothing.
        Weights go over in order, as layers without a rate may be named by other numbers. Where
        even their shapes differ, nothing is required.
        """
        self._record.count += 1
        if [shape for _name, shape in active.layout] != [shape for _name, shape in plain.layout]:
            return
        values = [value for _name, value in plain.stand_ins() if value.requires_grad]
        names = [name for name, _shape in active.layout]
        active.write(dict(zip(names, values, strict=True)))
        with torch.no_grad():
            observed, alone = active.eval()(*args), plain.eval()(*args)
        self._record.compared.append(observed)
        result = _difference(observed, alone)
        if result is not None:
            was, expected = in_words(result)
            self._record.details.see(
                "mode.eval",
                _("the rate has an effect in eval mode: something is dropped or scaled there too"),
            )
            raise CheckFailed(
                _("in eval mode, made with another rate: {observed}", observed=was),
                _("what it gives without: {expected}", expected=expected),
            )

    def within_memory(self, mib: int, student: Function, *args: Any, **kwargs: Any) -> Any:
        """Require that a call gets by with `mib` MiB beyond what its process holds when it begins.

        Return its result. For checks marked `alone`: the limit stays until the check ends.
        """
        self._record.count += 1
        self._record.notes += self._client.limit_memory(mib)
        try:
            return student(*args, **kwargs)
        except StudentRaised as fault:
            if not fault.is_out_of_memory:
                raise
            observed = _("needs more than {mib} MiB of memory", mib=mib)
            wanted = _("at most {mib} MiB", mib=mib)
            self._record.details.see(
                "memory.too_much", _("more numbers are held at once than this needs")
            )
            raise CheckFailed(observed, wanted, where=fault.where) from None


def _difference(observed: Any, expected: Any) -> Difference | None:
    """Return the difference of two answers of the student's, of any kind; None if they agree."""
    tolerance = tolerance_of((observed, expected))
    one, other = (tree_map(to_double, tree_leaves(answer)) for answer in (observed, expected))
    return difference(one, other, atol=tolerance, rtol=tolerance)


def _input_name(path: InputPath, names: Sequence[Name]) -> str:
    """Name an input by its parameter's name, if it is a positional argument as a whole."""
    argument = path.argument
    if isinstance(argument, int) and not path.inside and argument < len(names):
        argument = names[argument]
    return argument_name(argument) + path.inside
