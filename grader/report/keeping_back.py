"""Mark causes as kept back until the author of the course wants them to be named.

Such a cause stays in the report, so that whoever asks for it need not grade again. No format shows
its words: they say that it is known. A page folds them away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grader.course.feedback import CauseTiming, Feedback
from grader.grade.evidence import Cause, Observation


def kept_back(seen: Iterable[Observation], feedback: Feedback) -> tuple[Observation, ...]:
    """Keep back the causes of all observations, unless the author wants them named at once."""
    if feedback.causes is CauseTiming.AT_ONCE:
        return tuple(seen)
    return tuple(marked_causes(one, is_kept=True) for one in seen)


def marked_causes(seen: Observation, *, is_kept: bool) -> Observation:
    """Return the observation with its causes kept back, or named; a pattern always is."""

    def marked(cause: Cause) -> Cause:
        return replace(cause, is_kept_back=is_kept and not cause.is_observation)

    cause = None if seen.cause is None else marked(seen.cause)
    return replace(seen, cause=cause, also=tuple(map(marked, seen.also)))
