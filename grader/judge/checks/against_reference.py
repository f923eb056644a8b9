"""Compare what a student's code computes with what the reference computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch.utils._pytree import tree_map

from ...text.language import _
from ..bind.parts import rewired
from ..calls.client import Client
from ..calls.faults import CheckFailed, NotRecorded, StudentFault, StudentRaised
from ..calls.handles import RemoteFunction, RemoteModule
from ..compare.compare import Difference, WrongDtype, difference
from ..compare.precision import TOLERANCES, to_double, to_single, tolerance_of
from ..reference.memo import Memo, ReferenceFunction, ReferenceModule, digest
from ..wording.differences import in_words
from .comparisons import Comparisons
from .gradients import DETACHED, Name, NotDifferentiable, gradient_difference, gradients_of
from .probe import MatchedPair

GROSS = 1e-2
"""The least error, relative to the expected magnitude, that float32 cannot explain. Code that only
computes in float32 comes much closer than that, or would not agree in float32 either."""

Function = Callable[..., Any]
Attempt = Callable[[], Difference | None]
Arguments = tuple[Sequence[Any], dict[str, Any]]


class AgainstReference:
    """The requirements that ask the reference: equal values, gradients and wiring."""

    def __init__(self, client: Client, memo: Memo, seed: int, record: Comparisons) -> None:
        self._client, self._memo, self._seed, self._record = client, memo, seed, record
        self._last: Any = None
        self._output: Any = None
        """The output of a module for the arguments at hand, in their own dtype; None if unknown."""

    def matches(self, student: Function, reference: Function, *args: Any, **kwargs: Any) -> None:
        """Require equal values in the inputs' dtype, or else in float32 (which adds a note)."""
        self._record.count += 1
        with torch.no_grad():
            answers = [reference(*args, **kwargs)]
            tolerance = tolerance_of(answers)

            def attempt() -> Difference | None:
                observed = self._last = self._output = student(*args, **kwargs)
                # Asked again in a second attempt: it has been settled meanwhile.
                expected = answers.pop() if answers else reference(*args, **kwargs)
                self._record.details.keep(observed, expected, (args, kwargs), student)
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
        """Require equal gradients for every floating-point argument and parameter.

        The gradients are those of a randomly weighted sum of the outputs; parameters count if
        `student` is a module.
        """
        self._record.count += 1
        tolerance = tolerance_of(args)

        def attempt() -> Difference | None:
            try:
                gradients = self._last = gradients_of(student, reference, args, kwargs, self._seed)
            except CheckFailed as fault:
                refused = fault if isinstance(fault, NotDifferentiable) else None
                self._record.compared.append(refused.reason if refused else type(fault).__name__)
                if refused is not None and refused.reason == DETACHED:
                    self._record.details.see(
                        "gradient.none",
                        _("detach, .data, no_grad or a tensor made anew cuts the result off"),
                    )
                raise
            expected = self._reference_gradients(reference, args, kwargs)
            self._record.details.keep(gradients, expected)
            return gradient_difference(gradients, expected, tolerance)

        def attempt_single() -> Difference | None:
            single_args, single_kwargs = tree_map(to_single, (args, kwargs))
            gradients = gradients_of(
                student, reference, single_args, single_kwargs, self._seed, (args, kwargs)
            )
            self._last = gradients
            expected = self._reference_gradients(reference, args, kwargs)
            wide = {name: to_double(value) for name, value in gradients.items()}
            return gradient_difference(wide, expected, TOLERANCES[torch.float32])

        self._either((student, reference), tolerance, (attempt, attempt_single), (args, kwargs))

    def _either(
        self,
        sides: tuple[Function, Function],
        tolerance: float,
        attempts: tuple[Attempt, Attempt],
        arguments: Arguments,
    ) -> None:
        """Try the inputs' own dtype first, and float32 after that."""
        (student, reference), (attempt, attempt_single) = sides, attempts
        problem: StudentFault | None = None
        values = other_dtype = False
        self._last = self._output = None
        try:
            result = self._settled(student, attempt, arguments)
            if result is None:
                self._record.precision = self._record.precision or "float64"
                self._record.details.forget()
                return
            problem = CheckFailed(*in_words(result))
            values = result.is_of_values
            other_dtype = isinstance(result.reason, WrongDtype)
            may_retry = other_dtype or (values and result.size < GROSS)
        except StudentRaised as fault:
            problem = fault
            may_retry = "RuntimeError" in fault.bases
        may_retry = may_retry and tolerance == TOLERANCES[torch.float64]
        if may_retry and self._agrees_in_single(student, attempt_single, arguments, values):
            self._record.details.forget()
            return
        self._record.compared.append(self._last)
        if other_dtype:
            self._record.details.see_other_dtype()
        if values:
            problem.observed += self._blame(student, arguments)
            self._see_extra(student, arguments)
            self._record.details.look(student, reference, arguments)
        raise problem

    def _settled(
        self, student: Function, attempt: Attempt, arguments: Arguments
    ) -> Difference | None:
        """Return the difference, after looking for another way of storing parameters if need be."""
        result = attempt()
        if self._client.is_kept and isinstance(student, RemoteModule) and student.pair is not None:
            for each in (arguments, tree_map(to_single, arguments)):
                student.pair.pose(*tree_map(_detached, each))
        if result is None or not result.is_of_values or not isinstance(student, RemoteModule):
            return result
        if student.pair is not None:
            with self._client.uncounted():
                if student.pair.settle(*tree_map(_detached, arguments)):
                    result = attempt()
        return result

    def _blame(self, student: Function, arguments: Arguments) -> str:
        """Say in words which part causes a difference of values; return "" if it cannot be told."""
        if not isinstance(student, RemoteModule) or student.pair is None:
            return ""
        if not self._client.in_words:
            return ""
        try:
            with self._client.uncounted():
                args, kwargs = tree_map(_detached, arguments)
                return student.pair.blame(args, kwargs, self._output)
        except (StudentFault, NotRecorded):
            return ""  # it hung or crashed, and the check has its failure already

    def _see_extra(self, student: Function, arguments: Arguments) -> None:
        """Note it if the output depends on parameters of which the reference has none."""
        if not isinstance(student, RemoteModule) or student.pair is None:
            return
        if not self._client.in_words:
            return
        with suppress(StudentFault, NotRecorded), self._client.uncounted():
            args, kwargs = tree_map(_detached, arguments)
            if names := student.pair.needs_extra(args, kwargs):
                text = _(
                    "the output depends on parameters that nothing here asks for: {names}",
                    names=names,
                )
                self._record.details.see("layers.too_many", text)

    def _agrees_in_single(
        self, student: Function, attempt: Attempt, arguments: Arguments, values: bool
    ) -> bool:
        if not isinstance(student, (RemoteFunction, RemoteModule)):
            return False
        module = student if isinstance(student, RemoteModule) else student.owner
        agrees = False
        with suppress(StudentFault):
            if module is not None:
                module.to(torch.float32)
            single = tree_map(to_single, arguments)
            # Where double precision gave values, other ways of storing were looked for already.
            result = attempt() if values else self._settled(student, attempt, single)
            agrees = result is None
        if module is not None:
            with suppress(StudentFault):  # it hung or crashed, and the check fails anyway
                module.to(torch.float64)
        if agrees:
            self._record.precision = "float32"
            self._record.notes.append(_("computes in float32"))
        return agrees

    def _reference_gradients(
        self, reference: Function, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> dict[Name, torch.Tensor | None]:
        # Each gradient has the shape of its argument or parameter.
        def compute() -> dict[Name, torch.Tensor | None]:
            return gradients_of(reference, reference, args, kwargs, self._seed)

        def key() -> bytes | None:
            assert isinstance(reference, (ReferenceFunction, ReferenceModule))
            known = reference.key(*args, **kwargs)
            return digest("gradients", self._seed, str(known)) if known is not None else None

        if isinstance(reference, (ReferenceFunction, ReferenceModule)):
            kind = "gradients", reference.kind(*args, **kwargs)
            gradients: dict[Name, torch.Tensor | None] = self._memo.get(kind, key, compute)
            return gradients
        return compute()

    def wiring(self, pair: MatchedPair, *args: Any, **kwargs: Any) -> None:
        """Require that the student's module connects its parts as the reference does.

        What the parts compute does not matter: the output is compared with that of the reference's
        wiring over the student's own parts.
        """
        self._record.count += 1
        with torch.no_grad():
            whole = rewired(pair.student, pair.reference.module)[0]
            expected, observed = whole(*args, **kwargs), pair.student(*args, **kwargs)
            self._record.compared.append(observed)
            tolerance = tolerance_of(expected)
            self._record.details.keep(observed, expected)
            result = difference(observed, expected, atol=tolerance, rtol=tolerance)
        if result is not None:
            wanted = _("the parts put together as the exercise says")
            raise CheckFailed(in_words(result)[0], wanted)


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value
