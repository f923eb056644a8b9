"""Define the message in which the parent describes an exercise to a judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ExercisePlan:
    """One exercise, as the parent describes it to a judge."""

    slug: str
    assignment: str
    targets: tuple[str, ...]
    suites: tuple[str, ...]
    """Paths of the suite files, hidden and public."""
    hidden: frozenset[str]
    """Criteria whose details nobody but the course staff may see."""
    calls: Mapping[str, str] = field(default_factory=dict)
    """A function or class used here -> the exercise where a mistake in it was paid for."""
    copied: bool = False
    """True if a mistake that was paid for there costs nothing when it is written here once more."""
    banned: tuple[str, ...] = ()
    no_loops: tuple[str, ...] = ()
    """Targets that must do without loops."""
    operators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """A banned name -> the operators of torch that run for it."""
    policy: bool = False
    """True if the rubric has points for keeping to the rules `banned` and `no_loops`."""
