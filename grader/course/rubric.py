"""Define the rubric: the exercises of a course, their criteria, and what each is worth.

Points are exact fractions. `rubric_file` reads one from `rubric.yaml`, the only place with points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from grader.course.attempts import AttemptRule
from grader.course.feedback import Feedback
from grader.course.follow_through import FollowThrough
from grader.course.late import LatePolicy
from grader.course.questions import WrittenItem, items_of
from grader.course.totals import Totals

POLICY = "policy"
"""The criterion whose checks are made from `banned` and `no_loops`, and stand in no suite."""


class Visibility(StrEnum):
    """The people who see the details of a criterion's checks."""

    PUBLIC = "public"
    HIDDEN = "hidden"
    AFTER_DUE = "after_due"


class Scoring(StrEnum):
    """The way in which the checks of a criterion become points."""

    PARTIAL = "partial"
    """Each check earns its share."""
    ALL_OR_NOTHING = "all_or_nothing"


@dataclass(frozen=True)
class Criterion:
    """A named group of checks with points."""

    name: str
    points: Fraction
    visibility: Visibility
    scoring: Scoring = Scoring.PARTIAL
    requires: tuple[str, ...] = ()
    """Names of criteria of the same exercise."""


@dataclass(frozen=True)
class Exercise:
    """One entry of `exercises`, with at least one target and one criterion.

    >>> shapes = Criterion("shapes", Fraction("1/3"), Visibility.PUBLIC)
    >>> masking = Criterion("masking", Fraction("2.5"), Visibility.HIDDEN)
    >>> criteria = {"shapes": shapes, "masking": masking}
    >>> exercise = Exercise("a1.sdpa", "a1_attention", ("attend",), criteria)
    >>> exercise.points, exercise.suite
    (Fraction(17, 6), 'test_sdpa.py')
    """

    slug: str
    assignment: str
    """The stem of the assignment's files, such as `a1_attention`."""
    targets: tuple[str, ...]
    criteria: Mapping[str, Criterion]
    requires: tuple[str, ...] = ()
    """`slug` or `slug/criterion` of other exercises."""
    banned: tuple[str, ...] = ()
    """Dotted names that the targets, and what they reach, may not use."""
    no_loops: tuple[str, ...] = ()
    """Targets that, with what they reach, may not loop in Python."""
    follow_through: FollowThrough = field(default_factory=FollowThrough)

    @property
    def points(self) -> Fraction:
        return sum((criterion.points for criterion in self.criteria.values()), Fraction(0))

    @property
    def suite(self) -> str:
        return f"test_{self.slug.partition('.')[2]}.py"


@dataclass(frozen=True)
class Rubric:
    """The course's exercises, criteria and points, in the order of the file."""

    course: str
    seed: str
    """The course seed: fresh checks derive their inputs from it."""
    assignments: Mapping[str, str]
    """Slug prefix to file stem: `a1` to `a1_attention`."""
    exercises: Mapping[str, Exercise]
    operators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """A banned name -> the operators of torch that run for it, however it is called."""
    written: Mapping[str, WrittenItem] = field(default_factory=dict)
    """The questions that a person grades; no part of `points`."""
    name_hidden_checks: bool = False
    """True if students' reports may name the checks of hidden criteria, one by one."""
    late: LatePolicy | None = None
    """What it costs to hand in late; None if that costs nothing."""
    totals: Totals | None = None
    """What is left out, given and capped beside what the checks earn; None if nothing is."""
    feedback: Feedback = field(default_factory=Feedback)
    """What a student has to find out before a report says it."""
    rests_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """A criterion -> those that earn nothing in an exercise where nothing of it is right."""
    attempts: AttemptRule | None = None
    """The hand-in that counts of several; None if the course does not say."""

    @property
    def points(self) -> Fraction:
        return sum((exercise.points for exercise in self.exercises.values()), Fraction(0))

    def written_for(self, only: Iterable[str] = ()) -> tuple[WrittenItem, ...]:
        """Return the questions that a person grades with these exercises; all if none are given."""
        stems = {slug: exercise.assignment for slug, exercise in self.exercises.items()}
        chosen = tuple(only)
        return items_of(self.written, stems, chosen) if chosen else tuple(self.written.values())
