"""Read `feedback` in a rubric: the time at which a report names the cause of a mistake.

feedback:
  causes: after_tries
  tries: 2
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from grader.course.schema import Described, Form, choice, described, optional, record, required
from grader.course.yaml_source import Place
from grader.text.language import _

_WHOLE = re.compile(r"[1-9][0-9]?")


class CauseTiming(StrEnum):
    """The times at which a report can name the cause of a mistake."""

    AT_ONCE = "at_once"
    AFTER_TRIES = "after_tries"
    """With the report on the last of so many tries, and on request before."""
    ON_REQUEST = "on_request"


@dataclass(frozen=True)
class Feedback:
    """The author's choice of what a student has to find out first."""

    causes: CauseTiming = CauseTiming.AT_ONCE
    tries: int = 1
    """The number of the try whose report names the cause, with AFTER_TRIES."""


def feedback() -> Form[Feedback]:
    """Return the form for `feedback`."""
    read = record(
        _feedback,
        causes=required(choice(CauseTiming), "The time at which reports name causes."),
        tries=optional(_tries(), None, "The try whose report names them, with `after_tries`."),
    )

    def checked(at: Place | None) -> Feedback:
        result = read(at)
        entries = (at.entries() if at else None) or {}
        is_counted = result.causes is CauseTiming.AFTER_TRIES
        if at and is_counted and "tries" not in entries:
            at.key_problem(_("'after_tries' needs a number - add 'tries: 2'"))
        if "tries" in entries and "causes" in entries and not is_counted:
            entries["tries"].key_problem(
                _("counts only with 'causes: after_tries' - write that, or delete this")
            )
        return result

    return Described(checked, read.wanted, read.keys)


def _feedback(_name: str, *, causes: CauseTiming, tries: int | None) -> Feedback:
    return Feedback(causes, tries or 1)


def _tries() -> Form[int]:
    def read(at: Place | None) -> int:
        if at is None:
            return 1
        if not _WHOLE.fullmatch(at.text or ""):
            wanted = _("expected a whole number from 1 to 99, got {found}", found=at.shown)
            at.problem(wanted)
            return 1
        return int(at.text or "")

    return described(read, "a whole number from 1 to 99")
