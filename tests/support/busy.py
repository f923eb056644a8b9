"""Grade on a machine that is busy with other things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from grader.course.scope import Scope
from grader.engine.engine import Engine
from grader.engine.result import Result
from grader.submission.submission import Submission

STARVED = "no processor time"
"""What the grader tells staff if a machine had no time for a submission, even when alone."""
ATTEMPTS = 3


def graded(
    engine: Engine,
    submissions: Iterable[Submission],
    scopes: Mapping[str, Scope] | None = None,
) -> Iterator[Result]:
    """Yield a result for each submission; grade again those for which there was no time.

    `scopes`, by submission, are what `Engine.grade` takes.

    The grader itself says so, of nothing else, and gives no verdict then: whoever has one is not
    asked again.
    """
    waiting = list(submissions)
    for attempt in range(1, ATTEMPTS + 1):
        starved = []
        for result in engine.grade(waiting, scopes):
            if attempt < ATTEMPTS and any(STARVED in seen.staff for seen in result.observations):
                starved.append(result.submission)
            else:
                yield result
        waiting = starved
