"""A small course of another subject, and graded submissions of it, for the tests of the front."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from grader.course.rubric import Criterion, Exercise, Rubric, Visibility
from grader.grade.evidence import Cause, Note, Observation, Outcome
from grader.report.content import Graded, Grader
from grader.submission.submission import Submission, digest_of
from grader.wire.isolation_record import IsolationRecord

RUBRIC_TEXT = """\
course: sums
seed: a-seed
assignments: {s1: s1_sums, s2: s2_means}
exercises:
  s1.add:
    targets: [add]
    criteria:
      shapes: {points: 1, visibility: public}
      outputs: {points: 2.5, visibility: hidden}
  s2.mean:
    targets: [Mean]
    criteria:
      outputs: {points: 3, visibility: public}
"""

RUBRIC = Rubric(
    course="sums",
    seed="a-seed",
    assignments={"s1": "s1_sums", "s2": "s2_means"},
    exercises={
        "s1.add": Exercise(
            "s1.add",
            "s1_sums",
            ("add",),
            {
                "shapes": Criterion("shapes", Fraction(1), Visibility.PUBLIC),
                "outputs": Criterion("outputs", Fraction(5, 2), Visibility.HIDDEN),
            },
        ),
        "s2.mean": Exercise(
            "s2.mean",
            "s2_means",
            ("Mean",),
            {"outputs": Criterion("outputs", Fraction(3), Visibility.PUBLIC)},
        ),
    },
)

FILES = {
    "s1_sums.py": b"import math\n\n\ndef add(a, b):\n    raise NotImplementedError\n",
    "s2_means.py": b"class Mean:\n    pass\n",
}

CHECKS = ("s1.add/shapes/test_shape", "s1.add/outputs/test_sum", "s2.mean/outputs/test_mean")


def submission(
    id: str = "student-001", files: Mapping[str, bytes] = FILES, path: str = "class/student-001"
) -> Submission:
    return Submission(id, files, digest_of(files), path)


def observations(
    outcome: Outcome, observed: str = "", expected: str = "", needs: tuple[str, ...] = ()
) -> tuple[Observation, ...]:
    """Every check with the same outcome."""
    return tuple(
        Observation(check, f"Title of {check}.", outcome, observed, expected, needs=needs)
        for check in CHECKS
    )


@dataclass(frozen=True)
class SampleResult:
    """A graded submission, as the engine would give it."""

    submission: Submission = field(default_factory=submission)
    observations: tuple[Observation, ...] = field(
        default_factory=lambda: observations(Outcome.PASSED)
    )
    loading: tuple[Note, ...] = ()
    tier: str = "partial"
    isolation: IsolationRecord | None = None
    duration_ms: float = 12.5

    @property
    def entries(self) -> Mapping[str, str]:
        files = self.submission.files
        stems = RUBRIC.assignments.values()
        return {stem: f"{stem}.py" for stem in stems if f"{stem}.py" in files}


@dataclass
class SampleGrader:
    """Gives every submission the outcome that the text of its first file begins with."""

    backwards: bool = False
    forgets: tuple[str, ...] = ()
    options: object = None
    notes: tuple[Note, ...] = ()
    """What is said of every submission as a whole."""
    cause: Cause | None = None

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        known = list(submissions)
        for one in reversed(known) if self.backwards else known:
            if one.id in self.forgets:
                continue
            first = next(iter(one.files.values())).decode().split()[0].strip("#")
            outcome = Outcome(first) if first in list(Outcome) else Outcome.NOT_ATTEMPTED
            seen = (replace(found, cause=self.cause) for found in observations(outcome))
            yield SampleResult(one, tuple(seen), self.notes)

    @contextmanager
    def opened(self, course: object, options: object) -> Iterator[Grader]:
        """Stands where the engine's constructor does."""
        self.options = options
        yield self


def write_course(root: Path) -> Path:
    """A course folder with the sample rubric and hand-outs."""
    (root / "assignments").mkdir(parents=True)
    (root / "rubric.yaml").write_text(RUBRIC_TEXT, encoding="utf-8")
    for name, content in FILES.items():
        (root / "assignments" / name).write_bytes(content)
    return root
