"""Turn the items of a suite into checks: each with its exercise, criterion and line of text."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ...messages.answers import CheckFacts
from ...messages.exercise_plan import ExercisePlan
from ...text.language import course_text
from .pytest_bridge import CollectionFailed

DISABLING = ("skip", "skipif", "xfail")


@dataclass(frozen=True, eq=False)
class Check:
    """One collected item, with everything known about it before it runs."""

    id: str
    title: str
    exercise: ExercisePlan
    hidden: bool
    fresh: bool
    item: pytest.Function
    alone: bool = False
    """True if it has a worker of its own: after it, that worker is of no use to others."""
    disabled: str = ""
    """The mark (skip, skipif or xfail) by which it would prove nothing; "" if it has none."""

    @property
    def criterion(self) -> str:
        """Return the name of the criterion that it belongs to."""
        return self.id.split("/", 2)[1]


def criterion_of(class_name: str) -> str:
    """Return the criterion that a test class stands for.

    >>> criterion_of("TestMasking"), criterion_of("TestRoundTrip")
    ('masking', 'round_trip')
    """
    name = class_name.removeprefix("Test")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def checks_of(
    items: Sequence[pytest.Function], exercises: Sequence[ExercisePlan]
) -> tuple[Check, ...]:
    """Turn items into checks, sorted by exercise as planned, then as collected.

    Raises:
        CollectionFailed: an item stands outside a class, has no docstring, or is there twice.
    """
    by_file: Mapping[Path, ExercisePlan] = {
        Path(path): exercise for exercise in exercises for path in exercise.suites
    }
    order = {exercise.slug: number for number, exercise in enumerate(exercises)}
    checks = [_check(item, by_file[item.path]) for item in items]
    seen: set[str] = set()
    for check in checks:
        if check.id in seen:
            raise CollectionFailed(f"{_place(check.item)}  the check {check.id} exists twice")
        seen.add(check.id)
    return tuple(sorted(checks, key=lambda check: order[check.exercise.slug]))


def _check(item: pytest.Function, exercise: ExercisePlan) -> Check:
    if item.cls is None:
        raise CollectionFailed(f"{_place(item)}  stands in no class: the class is the criterion")
    title = inspect.getdoc(item.function)
    if not title:
        raise CollectionFailed(f"{_place(item)}  has no docstring: it is the line people see")
    criterion = criterion_of(item.cls.__name__)
    return Check(
        id=f"{exercise.slug}/{criterion}/{item.name}",
        title=course_text(" ".join(title.split("\n\n")[0].split())),
        exercise=exercise,
        hidden=criterion in exercise.hidden,
        fresh=item.get_closest_marker("fresh") is not None,
        item=item,
        alone=item.get_closest_marker("alone") is not None,
        disabled=next((mark for mark in DISABLING if item.get_closest_marker(mark)), ""),
    )


def facts(check: Check) -> CheckFacts:
    """Return what the parent is told about a check."""
    path, line, _ = check.item.location
    return CheckFacts(check.id, check.title, path, (line or 0) + 1, check.fresh, check.disabled)


def _place(item: pytest.Function) -> str:
    path, line, name = item.location
    return f"{path}:{(line or 0) + 1}  {name}"
