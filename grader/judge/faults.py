"""The two families of faults: the student's become evidence, ours become *could not check*."""

from __future__ import annotations

import builtins

from ..evidence import Outcome, Where
from ..language import _

# Of libraries that a submission has, beyond what Python itself defines.
_KNOWN = ("EinopsError", "URLError", "LinAlgError", "OutOfMemoryError", "BackendCompilerFailed")


class StudentFault(Exception):
    """Something the submission did or lacks. Becomes an observation, never a traceback.

    `observed` may be shown for any criterion; `detail` (the student's own words, which can
    carry the inputs they were given) only where the criterion is public.
    """

    outcome = Outcome.STUDENT_ERROR

    def __init__(
        self, observed: str, expected: str = "", *, detail: str = "", where: Where | None = None
    ) -> None:
        super().__init__(observed)
        self.observed, self.expected, self.detail, self.where = observed, expected, detail, where


class CheckFailed(StudentFault):
    """A comparison that did not hold."""

    outcome = Outcome.FAILED


class StudentRaised(StudentFault):
    """The student's code raised an exception, or (`own` is False) a library that it called."""

    def __init__(
        self,
        type_name: str,
        bases: tuple[str, ...],
        message: str,
        where: Where | None,
        own: bool = True,
    ) -> None:
        told, own_name = _told(type_name, bases)
        detail = f"{own_name}: {message}" if own_name and message else own_name or message
        observed = _("raised {error}", error=told)
        if where:
            observed = _("raised {error} at {place}", error=told, place=where)
        super().__init__(observed, detail=detail, where=where)
        self.type_name, self.bases, self.message = type_name, bases, message
        # torch raises it too: for a module without `forward`, for a dtype that it can't compute.
        if type_name == "NotImplementedError" and own:
            self.outcome = Outcome.NOT_ATTEMPTED
            self.observed, self.detail = _("not written yet"), ""

    @property
    def is_out_of_memory(self) -> bool:
        return "MemoryError" in self.bases or "allocate memory" in self.message


def _told(type_name: str, bases: tuple[str, ...]) -> tuple[str, str]:
    """What may be said of an exception's type for any criterion, and what is left for a public
    one. A class that is made while running can be named after a hidden input.

    >>> _told("ValueError", ()), _told("Odd", ("ValueError", "Exception"))
    (('ValueError', ''), ('a kind of ValueError', 'Odd'))
    """
    if _is_exception(type_name) or type_name in _KNOWN:
        return type_name, ""
    base = next((name for name in bases if _is_exception(name)), "Exception")
    return _("a kind of {error}", error=base), type_name


def _is_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


class NotDefined(StudentFault):
    """The submission has no such function, class or file."""

    outcome = Outcome.NOT_ATTEMPTED


class TimedOut(StudentFault):
    """A call did not answer within its limit."""

    outcome = Outcome.TIMED_OUT


class Crashed(StudentFault):
    """The student's process ended, or what it sent was no reply of ours."""


def malformed() -> Crashed:
    """The fault of a reply that breaks the protocol."""
    return Crashed(
        _("what came back was no valid reply: the code wrote into the grader's own connection"),
        _("the value that the function returns"),
    )


class Starved(Exception):
    """A time limit passed while the machine gave the worker no time: our fault, tried again."""


class SourceGone(Exception):
    """The process that starts our workers is gone; this judge can't go on."""
