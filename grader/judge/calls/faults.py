"""Define the two families of faults.

The student's faults become evidence; the grader's own become *could not check*.
"""

from __future__ import annotations

import builtins

from ...grade.evidence import Outcome, Tried, Where
from ...text.language import _
from ...wire.faults import TooLarge
from ...wire.frame import MAX_PAYLOAD_BYTES
from ...wire.tensors import MAX_NUMBERS

# Of libraries that a submission has, beyond what Python itself defines.
_KNOWN = ("EinopsError", "URLError", "LinAlgError", "OutOfMemoryError", "BackendCompilerFailed")


class StudentFault(Exception):
    """Something that the submission did or lacks; it becomes an observation, never a traceback.

    `observed` may be shown for any criterion; `detail` (the student's own words, which can
    carry the inputs they were given) only where the criterion is public.
    """

    outcome = Outcome.STUDENT_ERROR

    def __init__(
        self, observed: str, expected: str = "", *, detail: str = "", where: Where | None = None
    ) -> None:
        super().__init__(observed)
        self.observed, self.expected, self.detail, self.where = observed, expected, detail, where
        self.tried = Tried.NOTHING


class CheckFailed(StudentFault):
    """A comparison that did not hold."""

    outcome = Outcome.FAILED
    shows: tuple[str, str] | None = None
    """What the failure itself shows: an id, and a sentence that tells no number."""
    lacks: tuple[str, ...] = ()
    """The layers for which a module has no room, by the reference's names, with their shapes."""


class StudentRaised(StudentFault):
    """The student's code, or (if `own` is False) a library that it called, raised an exception."""

    def __init__(
        self,
        type_name: str,
        bases: tuple[str, ...],
        message: str,
        where: Where | None,
        own: bool = True,
    ) -> None:
        name, own_name = _shown_types(type_name, bases)
        detail = f"{own_name}: {message}" if own_name and message else own_name or message
        observed = _("raised {error}", error=name)
        if where:
            observed = _("raised {error} at {place}", error=name, place=where)
        super().__init__(observed, detail=detail, where=where)
        self.type_name, self.bases, self.message = type_name, bases, message
        self.own = own
        # torch raises it too, without a `raise` of the student's: for a module without `forward`,
        # and for a dtype that it can't compute.
        if type_name == "NotImplementedError" and own:
            self.outcome = Outcome.NOT_ATTEMPTED
            self.observed, self.detail = _("not written yet"), ""
        if type_name == TooLarge.__name__ and not own:
            self.observed, self.detail = _("what it returned is too large to be sent"), ""
            self.expected = _(
                "at most {count} numbers, and {mib} MiB",
                count=f"{MAX_NUMBERS:,}",
                mib=MAX_PAYLOAD_BYTES >> 20,
            )

    @property
    def is_out_of_memory(self) -> bool:
        return "MemoryError" in self.bases or "allocate memory" in self.message


def _shown_types(type_name: str, bases: tuple[str, ...]) -> tuple[str, str]:
    """Split an exception's type into what any report may say and what only a public check may say.

    A class that is made while running can be named after a hidden input: for any report it is
    called by the built-in type it derives from.

    >>> _shown_types("ValueError", ()), _shown_types("Odd", ("ValueError", "Exception"))
    (('ValueError', ''), ('a kind of ValueError', 'Odd'))
    """
    if _is_exception(type_name) or type_name in _KNOWN:
        return type_name, ""
    base = next((name for name in bases if _is_exception(name)), "Exception")
    return _("a kind of {error}", error=base), type_name


def _is_exception(name: str) -> bool:
    value = getattr(builtins, name, None)
    return isinstance(value, type) and issubclass(value, BaseException)


class NotDefined(StudentFault):
    """The submission has no such function, class or file."""

    outcome = Outcome.NOT_ATTEMPTED


class TimedOut(StudentFault):
    """A call did not answer within its limit."""

    outcome = Outcome.TIMED_OUT


class Crashed(StudentFault):
    """The student's process ended, or it sent something that is no reply of the grader's."""

    killed = False
    """True if a SIGKILL ended it, as the kernel sends it where memory is short."""


def was_killed(fault: BaseException | None) -> bool:
    """Return whether a SIGKILL ended the student's process."""
    return isinstance(fault, Crashed) and fault.killed


def malformed() -> Crashed:
    """Return the fault for a reply that breaks the protocol."""
    fault = Crashed(
        _("what came back was no valid reply: the code wrote into the grader's own connection"),
        _("the value that the function returns"),
    )
    fault.tried = Tried.CONNECTION
    return fault


class AuthorFault(Exception):
    """A check asks for something impossible, whatever the submission is."""


class NotRecorded(AuthorFault):
    """A question to the reference that nobody asked when its answers were recorded for a kit."""


class Starved(Exception):
    """A time limit passed while the worker got no CPU time: our fault, to be tried again."""


class SourceGone(Exception):
    """The process that starts our workers is gone; this judge can't go on."""
