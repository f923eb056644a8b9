"""Compare what a kit says of submissions with what the course says, check by check.

    .venv/bin/grader release --checks --out /tmp/kit
    .venv/bin/python tools/kit_on_corpus.py /tmp/kit

Grades the submissions of `tests/corpus` (all, or those named) with both, and prints each public
check on which outcome or cause differ. Exit code 1 if a verdict is another one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.course.course import Course, find_course
from grader.course.rubric import POLICY, Visibility
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation, Outcome
from grader.submission.submission import Submission, read_submission

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "corpus"

Verdicts = Mapping[str, tuple[str, tuple[str, ...]]]
"""Public check -> its outcome, and the ids of its causes."""


def verdicts(course: Course, observations: Iterable[Observation]) -> Verdicts:
    """Return what was seen in public checks, without those of rules, which no kit changes."""
    public = {
        (slug, name)
        for slug, exercise in course.rubric.exercises.items()
        for name, criterion in exercise.criteria.items()
        if criterion.visibility is Visibility.PUBLIC and name != POLICY
    }
    return {
        one.check: (one.outcome.value, tuple(cause.id for cause in (one.cause, *one.also) if cause))
        for one in observations
        if tuple(one.check.split("/")[:2]) in public
    }


def graded(root: Path, submissions: Sequence[Submission]) -> dict[str, Verdicts]:
    """Grade submissions with the course, or the kit, at `root`."""
    course = find_course(root)
    with Engine(course, Options()) as engine:
        return {
            one.submission.id: verdicts(course, one.observations)
            for one in engine.grade(submissions)
        }


def difference(course: tuple[str, tuple[str, ...]], kit: tuple[str, tuple[str, ...]]) -> str:
    """Name the difference between two verdicts on a check."""
    if course == kit:
        return "same"
    if kit[0] == Outcome.COULD_NOT_CHECK.value:
        return "left to the course"
    return "another cause" if course[0] == kit[0] else "another verdict"


def main() -> int:
    """Grade with both, and print differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kit", type=Path)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    names = given.names or sorted(path.parent.name for path in CORPUS.glob("*/expect.yaml"))
    submissions = [read_submission(CORPUS / name, id=name) for name in names]
    course, kit = graded(ROOT, submissions), graded(given.kit, submissions)
    counts: Counter[str] = Counter()
    for name in names:
        for check in sorted(course[name].keys() | kit[name].keys()):
            pair = [side[name].get(check, ("no such check", ())) for side in (course, kit)]
            kind = difference(pair[0], pair[1])
            counts[kind] += 1
            if kind != "same":
                print(f"{name}: {check}: {kind}: course {pair[0]}, kit {pair[1]}", flush=True)
    print(dict(counts))
    return 1 if counts["another verdict"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
