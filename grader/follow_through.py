"""`follow_through` in a rubric: mistakes of earlier exercises that cost nothing in this one.

    follow_through: {scaled_dot_product_attention: a1.sdpa, copied: true}

A function that the student got wrong in a1.sdpa and calls here is replaced by a right one; and
where they have written the same mistake once more, its checks are `carried`. A class can't be
replaced: the checks of who uses a wrong one are `carried` if a known mistake in it explains all
that they saw, else `blocked`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from grader.circles import circles
from grader.problem import Trail, did_you_mean, quoted
from grader.schema import Form, flag, text
from grader.yaml_source import Place

COPIED = "copied"
SLUG = r"[a-z][a-z0-9]*\.[a-z][a-z0-9_]*"
_NAME = re.compile(r"[^\W\d]\w*")
_EXERCISE = text("the exercise that asks for it, such as 'a1.sums'", SLUG)


@dataclass(frozen=True)
class FollowThrough:
    """Where mistakes were paid for already."""

    calls: Mapping[str, str] = field(default_factory=dict)
    """A function or class that is used here -> slug of the exercise that asks for it."""
    copied: bool = False
    """Whether the same mistake, written here once more, costs nothing either."""

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.calls.values()))


class HasTargets(Protocol):
    """What is asked of an exercise here."""

    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def requires(self) -> tuple[str, ...]: ...
    @property
    def follow_through(self) -> FollowThrough: ...


def follow_through() -> Form[FollowThrough]:
    """A mapping of functions to exercises, and perhaps `copied`."""
    is_copied = flag()

    def read(at: Place | None) -> FollowThrough:
        entries = at.entries() if at else {}
        if at and entries is None:
            at.problem(
                "expected a mapping of functions to the exercises that ask for them, such as "
                f"{{add_up: a1.sums, {COPIED}: true}}, got {at.shown}"
            )
        calls: dict[str, str] = {}
        for name, place in (entries or {}).items():
            if name == COPIED:
                continue
            if not _NAME.fullmatch(name):
                place.key_problem(
                    f"expected the name of a function, or {COPIED!r}, as the key, "
                    f"got {quoted(name)}"
                )
            elif place.kind == "bool":
                hint = did_you_mean(name, [COPIED])
                place.key_problem(f"expected an exercise for {quoted(name)}, got a boolean{hint}")
            else:
                calls[name] = _EXERCISE(place)
        if at and entries is not None and not set(entries) - {COPIED}:
            at.problem("expected at least one function and the exercise that asks for it")
        return FollowThrough(calls, is_copied((entries or {}).get(COPIED)))

    return read


def follow_problems(exercises: Mapping[str, HasTargets]) -> Iterator[tuple[Trail, str]]:
    """Whatever is followed exists, is asked for there, and runs in no circle."""
    between: dict[str, dict[str, Trail]] = {}
    for slug, exercise in exercises.items():
        between[slug] = {}
        required = {name.partition("/")[0] for name in exercise.requires}
        for name, wanted in exercise.follow_through.calls.items():
            trail: Trail = ("exercises", slug, "follow_through", name)
            if not wanted:
                continue
            if wanted not in exercises:
                hint = did_you_mean(wanted, [other for other in exercises if other != slug])
                yield trail, f"unknown exercise {quoted(wanted)}{hint}"
            elif name not in exercises[wanted].targets:
                hint = did_you_mean(name, exercises[wanted].targets)
                yield trail, f"{wanted} does not ask for {quoted(name)}{hint}"
            elif wanted in required:
                yield trail, f"{wanted} is required as well: then its failure blocks everything"
            else:
                between[slug].setdefault(wanted, trail)
    for circle, trail in circles(between):
        if len(circle) == 1:
            yield trail, f"{circle[0]} follows itself"
        else:
            yield trail, f"follow_through runs in a circle: {' -> '.join((*circle, circle[0]))}"
