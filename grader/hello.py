"""What the parent tells a judge first, and reads of its answers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .course import Course
from .evidence import Cause, Note, Observation, Outcome, Picture, Where
from .language import language_in_use
from .processes import Hello
from .rubric import POLICY, Rubric, Visibility


@dataclass(frozen=True)
class CheckFacts:
    """A check as the judge collected it."""

    id: str
    title: str
    file: str
    """Its suite, from the course's root."""
    line: int
    fresh: bool
    disabled: str
    """The mark that keeps it from running, if there is one."""

    @property
    def exercise(self) -> str:
        return self.id.split("/", 1)[0]

    @property
    def criterion(self) -> str:
        return self.id.split("/", 2)[1]


def facts(rows: Iterable[Sequence[Any]]) -> tuple[CheckFacts, ...]:
    """The checks of a judge that is ready."""
    return tuple(CheckFacts(*row) for row in rows)


def hello(course: Course, only: tuple[str, ...] = (), reverse: bool = False) -> Hello:
    """The course as a judge is told of it: all exercises, or those in `only`."""
    exercises = []
    for slug, exercise in course.rubric.exercises.items():
        if only and slug not in only:
            continue
        hidden = [
            name
            for name, criterion in exercise.criteria.items()
            if criterion.visibility is not Visibility.PUBLIC
        ]
        exercises.append(
            {
                "slug": slug,
                "assignment": exercise.assignment,
                "targets": list(exercise.targets),
                "suites": [str(path) for path in course.suite_files(exercise)],
                "hidden": hidden,
                "calls": dict(exercise.follow_through.calls),
                "copied": exercise.follow_through.copied,
                "banned": list(exercise.banned),
                "no_loops": list(exercise.no_loops),
                "policy": POLICY in exercise.criteria,
            }
        )
    return {
        "package": str(Path(__file__).parent),
        "sys_path": [path for path in sys.path if path],
        "root": str(course.root),
        "seed": course.rubric.seed,
        "exercises": exercises,
        "targets": _targets(course.rubric),
        "reverse": reverse,
        "language": language_in_use(),
    }


def holds_hidden(hello: Hello) -> bool:
    """Whether there is a hidden suite to protect; a student's course has none."""
    paths = [Path(path) for exercise in hello["exercises"] for path in exercise["suites"]]
    return any(path.parent.name != "public" for path in paths)


def _targets(rubric: Rubric) -> dict[str, tuple[str, ...]]:
    """What each assignment of the course is asked to define."""
    found: dict[str, tuple[str, ...]] = {}
    for exercise in rubric.exercises.values():
        found[exercise.assignment] = (*found.get(exercise.assignment, ()), *exercise.targets)
    return found


def mention_meta(hello: Hello) -> bool:
    """Whether a suite seems to use meta tensors. Only what is loaded early hangs on it."""
    paths = [path for exercise in hello["exercises"] for path in exercise["suites"]]
    return any(b"meta" in Path(path).read_bytes() for path in paths)


def observation(row: dict[str, Any]) -> Observation:
    """An observation of a judge, as it came over the wire."""
    return Observation(
        **{
            **row,
            "outcome": Outcome(row["outcome"]),
            "cause": Cause(**row["cause"]) if row["cause"] else None,
            "also": tuple(Cause(**cause) for cause in row["also"]),
            "picture": _picture(row["picture"]),
            "where": Where(**row["where"]) if row["where"] else None,
            "notes": tuple(row["notes"]),
            "needs": tuple(row["needs"]),
        }
    )


def _picture(row: dict[str, Any] | None) -> Picture | None:
    if row is None:
        return None
    return Picture(row["kind"], row["title"], tuple(tuple(numbers) for numbers in row["rows"]))


def note(row: dict[str, Any]) -> Note:
    """A note of a judge, as it came over the wire."""
    return Note(row["kind"], row["text"], Where(**row["where"]) if row["where"] else None)
