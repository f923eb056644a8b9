"""Read `follow_through` in a rubric: mistakes of earlier exercises that cost nothing in this one.

    follow_through: {scaled_dot_product_attention: a1.sdpa, copied: true}

A function that the student got wrong in a1.sdpa and calls here is replaced by a right one. If the
student has written the same mistake once more, its checks are `carried`. A class can't be replaced:
if a known mistake in a wrong class explains everything that the checks of its users saw, they are
`carried`, else `blocked`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from grader.course.cycles import circles
from grader.course.schema import Form, described, flag, text
from grader.course.yaml_source import Place
from grader.text.language import _, marked
from grader.text.problem import Trail, did_you_mean, quoted

COPIED = "copied"
SLUG = r"[a-z][a-z0-9]*\.[a-z][a-z0-9_]*"
_NAME = re.compile(r"[^\W\d]\w*")
_EXERCISE = text(marked("the exercise that asks for it, such as 'a1.sums'"), SLUG)


@dataclass(frozen=True)
class FollowThrough:
    """The follow-through of one exercise: where a mistake has already cost points."""

    calls: Mapping[str, str] = field(default_factory=dict)
    """A function or class that is used here -> slug of the exercise that asks for it."""
    copied: bool = False
    """True if the same mistake, written here once more, costs nothing either."""

    @property
    def slugs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.calls.values()))


class HasTargets(Protocol):
    """The properties of an exercise that this module uses."""

    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def requires(self) -> tuple[str, ...]: ...
    @property
    def follow_through(self) -> FollowThrough: ...


def follow_through() -> Form[FollowThrough]:
    """Return the form for a mapping of functions to exercises, and perhaps `copied`."""
    is_copied = flag()

    def read(at: Place | None) -> FollowThrough:
        entries = at.entries() if at else {}
        if at and entries is None:
            at.problem(
                _(
                    "expected a mapping of functions to the exercises that ask for them, such as "
                    "{example}, got {found}",
                    example=f"{{add_up: a1.sums, {COPIED}: true}}",
                    found=at.shown,
                )
            )
        calls: dict[str, str] = {}
        for name, place in (entries or {}).items():
            if name == COPIED:
                continue
            if not _NAME.fullmatch(name):
                place.key_problem(
                    _(
                        "expected the name of a function, or {flag}, as the key, got {found}",
                        flag=quoted(COPIED),
                        found=quoted(name),
                    )
                )
            elif place.kind == "bool":
                hint = did_you_mean(name, [COPIED])
                place.key_problem(
                    _(
                        "expected an exercise for {name}, got a boolean{hint}",
                        name=quoted(name),
                        hint=hint,
                    )
                )
            else:
                calls[name] = _EXERCISE(place)
        if at and entries is not None and not set(entries) - {COPIED}:
            at.problem(_("expected at least one function and the exercise that asks for it"))
        return FollowThrough(calls, is_copied((entries or {}).get(COPIED)))

    return described(
        read,
        "a mapping of functions and classes that are used here to the exercises that ask for them, "
        "and perhaps copied: true",
    )


def follow_problems(exercises: Mapping[str, HasTargets]) -> Iterator[tuple[Trail, str]]:
    """Yield a problem for each follow-through that cannot hold.

    The exercise that is followed must exist, ask for the function, and not be required as well.
    Nothing may follow itself, not even by way of others.
    """
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
                yield trail, _("unknown exercise {name}{hint}", name=quoted(wanted), hint=hint)
            elif name not in exercises[wanted].targets:
                hint = did_you_mean(name, exercises[wanted].targets)
                message = _(
                    "{exercise} does not ask for {name}{hint}",
                    exercise=wanted,
                    name=quoted(name),
                    hint=hint,
                )
                yield trail, message
            elif wanted in required:
                message = _(
                    "{exercise} is required as well: then its failure blocks everything - "
                    "delete it here or under 'requires'",
                    exercise=wanted,
                )
                yield trail, message
            else:
                between[slug].setdefault(wanted, trail)
    for circle, trail in circles(between):
        if len(circle) == 1:
            yield trail, _("{exercise} follows itself - delete this", exercise=circle[0])
        else:
            way = " -> ".join((*circle, circle[0]))
            yield trail, _("follow_through runs in a circle: {way} - delete one step", way=way)
