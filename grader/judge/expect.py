"""Comparisons that record evidence: every check must make at least one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch.utils._pytree import tree_map

from ..evidence import Outcome
from ..language import _, course_text, joined
from .aside import Aside
from .bind.parts import rewired
from .client import Client
from .compare import Difference, describe, difference, dtypes_told, shapes_told, told_as
from .faults import CheckFailed, StudentFault, StudentRaised
from .gradients import gradient_difference, gradients_of, names_of, require_floats
from .handles import RemoteFunction, RemoteModule
from .memo import Memo, ReferenceFunction, ReferenceModule, digest
from .precision import TOLERANCES, to_double, to_single, tolerance_of
from .probe import Twin

GROSS = 1e-2
"""Of the expected magnitude. Whoever only computes in float32 comes much closer than that, or would
not agree in float32 either."""

Function = Callable[..., Any]
Attempt = Callable[[], Difference | None]
Arguments = tuple[Sequence[Any], dict[str, Any]]


class Expect:
    """What must hold. Raises `CheckFailed` with observed and expected when it does not."""

    def __init__(self, client: Client, memo: Memo, seed: int) -> None:
        self._client, self._memo, self._seed = client, memo, seed
        self.count = 0
        self.notes: list[str] = []
        self.precision: str | None = None
        self.seen: list[Any] = []
        """What comparisons were given of the student's, in order."""
        self._last: Any = None
        self._output: Any = None
        """What a module gave for the arguments at hand, in their own dtype; None if not known."""
        self.aside = Aside(client)

    # ---- against the reference -----------------------------------------------------------

    def matches(self, student: Function, reference: Function, *args: Any, **kwargs: Any) -> None:
        """Values agree in the inputs' dtype, or else in a float32 run (which adds a note)."""
        self.count += 1
        with torch.no_grad():
            tolerance = tolerance_of(reference(*args, **kwargs))

            def attempt() -> Difference | None:
                observed = self._last = self._output = student(*args, **kwargs)
                expected = reference(*args, **kwargs)  # remembered, and may have been settled
                self.aside.keep(observed, expected, (args, kwargs), student)
                return difference(observed, expected, atol=tolerance, rtol=tolerance)

            def attempt_single() -> Difference | None:
                single_args, single_kwargs = tree_map(to_single, (args, kwargs))
                wide = tree_map(to_double, (single_args, single_kwargs))
                self._last = student(*single_args, **single_kwargs)
                observed = tree_map(to_double, self._last)
                single = TOLERANCES[torch.float32]
                expected = tree_map(to_double, reference(*wide[0], **wide[1]))
                return difference(observed, expected, atol=single, rtol=single)

            self._either((student, reference), tolerance, (attempt, attempt_single), (args, kwargs))

    def gradients(self, student: Function, reference: Function, *args: Any, **kwargs: Any) -> None:
        """Gradients of a drawn weighting of the outputs agree, for every floating-point argument
        and, for modules, every parameter."""
        self.count += 1
        tolerance = tolerance_of(args)

        def attempt() -> Difference | None:
            try:
                found = self._last = gradients_of(student, reference, args, kwargs, self._seed)
            except CheckFailed as fault:
                self.seen.append(fault.observed)
                raise
            expected = self._reference_gradients(reference, args, kwargs)
            self.aside.keep(found, expected)
            return gradient_difference(found, expected, tolerance)

        def attempt_single() -> Difference | None:
            single_args, single_kwargs = tree_map(to_single, (args, kwargs))
            found = gradients_of(student, reference, single_args, single_kwargs, self._seed)
            self._last = found
            expected = self._reference_gradients(reference, args, kwargs)
            wide = {name: to_double(value) for name, value in found.items()}
            return gradient_difference(wide, expected, 10 * TOLERANCES[torch.float32])

        self._either((student, reference), tolerance, (attempt, attempt_single), (args, kwargs))

    def _either(
        self,
        sides: tuple[Function, Function],
        tolerance: float,
        attempts: tuple[Attempt, Attempt],
        arguments: Arguments,
    ) -> None:
        """Tries the inputs' own dtype first, and float32 after that."""
        (student, reference), (attempt, attempt_single) = sides, attempts
        problem: StudentFault | None = None
        values = False
        self._last = self._output = None
        try:
            found = self._settled(student, attempt, arguments)
            if found is None:
                self.precision = self.precision or "float64"
                self.aside.forget()
                return
            problem = CheckFailed(found.observed, found.expected)
            values = found.kind == "value"
            may_retry = found.kind == "dtype" or (values and found.size < GROSS)
        except StudentRaised as fault:
            problem = fault
            may_retry = "RuntimeError" in fault.bases
        may_retry = may_retry and tolerance == TOLERANCES[torch.float64]
        if may_retry and self._agrees_in_single(student, attempt_single, arguments, values):
            self.aside.forget()
            return
        self.seen.append(self._last)
        if values:
            problem.observed += self._blame(student, arguments)
            self.aside.look(student, reference, arguments)
        raise problem

    def _settled(
        self, student: Function, attempt: Attempt, arguments: Arguments
    ) -> Difference | None:
        """The difference, after another way of storing parameters was looked for if need be."""
        found = attempt()
        if found is None or found.kind != "value" or not isinstance(student, RemoteModule):
            return found
        if student.twin is not None:
            calls = self._client.calls
            if student.twin.settle(*tree_map(_detached, arguments)):
                found = attempt()
            self._client.calls = calls  # limits go by the number of a call
        return found

    def _blame(self, student: Function, arguments: Arguments) -> str:
        """Where a difference of values arises, in words."""
        if not isinstance(student, RemoteModule) or student.twin is None:
            return ""
        if not self._client.in_words:
            return ""
        calls, told = self._client.calls, ""
        try:
            args, kwargs = tree_map(_detached, arguments)
            told = student.twin.blame(args, kwargs, self._output)
        except StudentFault:
            return ""  # it hung or crashed, and the check has its failure already
        self._client.calls = calls
        return told

    def _agrees_in_single(
        self, student: Function, attempt: Attempt, arguments: Arguments, values: bool
    ) -> bool:
        if not isinstance(student, (RemoteFunction, RemoteModule)):
            return False
        agrees = False
        with suppress(StudentFault):
            if isinstance(student, RemoteModule):
                student.to(torch.float32)
            single = tree_map(to_single, arguments)
            # Where double precision gave values, other ways of storing were looked for already.
            found = attempt() if values else self._settled(student, attempt, single)
            agrees = found is None
        if isinstance(student, RemoteModule):
            with suppress(StudentFault):  # it hung or crashed, and the check fails anyway
                student.to(torch.float64)
        if agrees:
            self.precision = "float32"
            self.notes.append(_("computes in float32"))
        return agrees

    def _reference_gradients(
        self, reference: Function, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> dict[str, torch.Tensor | None]:
        def compute() -> dict[str, torch.Tensor | None]:
            return gradients_of(reference, reference, args, kwargs, self._seed)

        def key() -> bytes | None:
            assert isinstance(reference, (ReferenceFunction, ReferenceModule))
            known = reference.key(*args, **kwargs)
            return digest("gradients", self._seed, str(known)) if known is not None else None

        if isinstance(reference, (ReferenceFunction, ReferenceModule)):
            kind = "gradients", reference.kind(*args, **kwargs)
            found: dict[str, torch.Tensor | None] = self._memo.get(kind, key, compute)
            return found
        return compute()

    def wiring(self, twin: Twin, *args: Any, **kwargs: Any) -> None:
        """The student's module puts its parts together as the reference does, whatever the parts
        compute: what comes out is the reference's wiring over the student's own parts."""
        self.count += 1
        with torch.no_grad():
            whole = rewired(twin.student, twin.reference.module)[0]
            expected, observed = whole(*args, **kwargs), twin.student(*args, **kwargs)
            self.seen.append(observed)
            tolerance = tolerance_of(expected)
            self.aside.keep(observed, expected)
            found = difference(observed, expected, atol=tolerance, rtol=tolerance)
        if found is not None:
            raise CheckFailed(found.observed, _("the parts put together as the exercise says"))

    # ---- plain properties ----------------------------------------------------------------

    def close(
        self, observed: Any, expected: Any, what: str = "", atol: float | None = None
    ) -> None:
        """The numbers of two trees of tensors agree, as far as the coarser dtype can tell."""
        self.count += 1
        self.seen.append(observed)
        tolerance = tolerance_of((observed, expected)) if atol is None else atol
        wide = [tree_map(to_double, tree) for tree in (observed, expected)]
        found = difference(*wide, atol=tolerance, rtol=tolerance, what=_named(what))
        if found is not None:
            self.aside.keep(*wide)
            raise CheckFailed(found.observed, found.expected)

    def shape(self, tensor: Any, shape: Sequence[int], what: str = "") -> None:
        self.count += 1
        self.seen.append(tensor)
        self._tensor(tensor, what, _("a tensor of shape {shape}", shape=tuple(shape)))
        if tuple(tensor.shape) != tuple(shape):
            self.aside.keep(tensor, torch.empty(tuple(shape), device="meta"))
            raise CheckFailed(*shapes_told(_named(what), tensor.shape, shape))

    def floats(self, tensor: Any, shape: Sequence[int], what: str = "") -> None:
        """Numbers that the check can go on to compute with: a floating-point tensor of that
        shape, and not on the meta device."""
        self.shape(tensor, shape, what)
        require_floats(tensor, _named(what))

    def dtype(self, tensor: Any, dtype: torch.dtype, what: str = "") -> None:
        self.count += 1
        self.seen.append(tensor)
        self._tensor(tensor, what, _("a tensor of {dtype}", dtype=dtype))
        if tensor.dtype != dtype:
            raise CheckFailed(*dtypes_told(_named(what), tensor.dtype, dtype))

    def finite(self, tensor: Any, what: str = "") -> None:
        """No NaN and no infinity."""
        self.count += 1
        self.seen.append(tensor)
        self._tensor(tensor, what, _("a tensor"))
        what = _named(what)
        if tensor.is_meta:
            raise CheckFailed(_("{what} is on the meta device", what=what), _("values"))
        wrong = (~tensor.isfinite()).nonzero()
        if len(wrong):
            self.aside.keep(tensor, None)
            place = wrong[0].tolist()
            name = _("NaN") if bool(tensor[tuple(place)].isnan()) else _("infinity")
            told = _("{what} is {value} at {place}", what=what, value=name, place=place)
            raise CheckFailed(told, _("finite values"))

    def true(self, condition: Any, observed: str, expected: str) -> None:
        self.count += 1
        if not bool(condition):
            self.seen.append(observed)
            raise CheckFailed(course_text(observed), course_text(expected))

    def items(self, value: Any, count: int, what: str = "") -> tuple[Any, ...]:
        """`value` as a tuple of `count` items."""
        self.count += 1
        if not isinstance(value, (tuple, list)) or len(value) != count:
            self.seen.append(describe(value))
            wanted = _("a tuple of {count} items", count=count)
            raise CheckFailed(told_as(course_text(what) or _("result"), value), wanted)
        return tuple(value)

    def raises(
        self,
        error: type[Exception],
        function: Function,
        *args: Any,
        mentions: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """The call raises `error` with a message that contains every text in `mentions`."""
        self.count += 1
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
                self.seen.append(fault.type_name)
                raise CheckFailed(fault.observed, wanted, where=fault.where) from None
            missing = [text for text in mentions if text not in fault.message]
            if missing:
                self.seen.append([*missing])
                observed = _(
                    "{error} without {words} in its message",
                    error=error.__name__,
                    words=joined(missing),
                )
                raise CheckFailed(observed, wanted, where=fault.where) from None
            return
        self.seen.append(value if isinstance(value, torch.Tensor) else describe(value))
        raise CheckFailed(_("returned {value}", value=describe(value)), wanted)

    def unchanged(self, student: Function, *args: Any, **kwargs: Any) -> Any:
        """The call modifies none of its inputs. Returns its result."""
        self.count += 1
        value = student(*args, **kwargs)
        self.seen.append((value, list(self._client.changed)))
        if self._client.changed:
            names = names_of(student, args)
            told = [_friendly(label, names) for label in self._client.changed]
            observed = _("modified its input: {names}", names=", ".join(told))
            raise CheckFailed(observed, _("inputs left as they were"))
        return value

    def within_memory(self, mib: int, student: Function, *args: Any, **kwargs: Any) -> Any:
        """The call gets by with `mib` MiB beyond what its process holds when it begins. Returns its
        result. For checks marked `alone`: the limit stays until the check ends."""
        self.count += 1
        self.notes += self._client.limit_memory(mib)
        try:
            return student(*args, **kwargs)
        except StudentRaised as fault:
            if not fault.is_out_of_memory:
                raise
            observed = _("needs more than {mib} MiB of memory", mib=mib)
            wanted = _("at most {mib} MiB", mib=mib)
            raise CheckFailed(observed, wanted, where=fault.where) from None

    def _tensor(self, value: Any, what: str, wanted: str) -> None:
        if not isinstance(value, torch.Tensor):
            raise CheckFailed(told_as(_named(what), value), wanted)


def _named(what: str) -> str:
    """What is compared, in words."""
    return course_text(what) or _("output")


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value


def _friendly(label: str, names: list[str]) -> str:
    for position, name in enumerate(names):
        if label == _("argument {number}", number=position + 1):
            return name
    return label
