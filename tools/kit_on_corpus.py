"""Compare what a kit says of submissions with what the course says, check by check.

    .venv/bin/grader release --out /tmp/kit
    .venv/bin/python tools/kit_on_corpus.py /tmp/kit --keep /tmp/course.json

Grades the submissions of `tests/corpus` (all, or those named) with both, and prints each public
check on which outcome or cause differ. What differs is then compared with the course without its
hidden checks, which draws as the kit does: what that says as well hangs on hidden checks, of which
no kit knows. Exit code 1 if anything else is another verdict or another cause.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.course.course import Course, find_course
from grader.course.public_view import public_rubric
from grader.course.rubric import POLICY, Visibility
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Observation, Outcome
from grader.release.public_pack import pack_seed
from grader.submission.submission import Submission, read_submission

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests" / "corpus"
SAME, LEFT, HIDDEN = "same", "left to the course", "hangs on hidden checks"
MISSING = ("no such check", ())

Verdict = tuple[str, tuple[str, ...]]
"""An outcome, and the ids of causes."""
Verdicts = Mapping[str, Verdict]
"""Public check -> its verdict."""


def verdicts(course: Course, observations: Iterable[Observation]) -> dict[str, Verdict]:
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


def kept(path: Path | None, submissions: Sequence[Submission]) -> dict[str, Verdicts]:
    """Grade submissions with the course, unless a file has its verdicts; keep them there."""
    if path is not None and path.is_file():
        known = json.loads(path.read_text(encoding="utf-8"))
        return {
            one.id: {
                check: (outcome, tuple(causes))
                for check, (outcome, causes) in known[one.id].items()
            }
            for one in submissions
        }
    result = graded(ROOT, submissions)
    if path is not None:
        path.write_text(json.dumps(result), encoding="utf-8")
    return result


def without_hidden(course: Course, folder: Path) -> Path:
    """Write the course with its public checks alone, which draw as those of its kit do."""
    for name in ("reference", "assignments"):
        shutil.copytree(
            course.root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for path in course.root.glob("tests/suites/*/public/*.py"):
        target = folder / path.relative_to(course.root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    text = (course.root / "rubric.yaml").read_text(encoding="utf-8")
    public = public_rubric(text, course.rubric, list(course.rubric.exercises), pack_seed(course))
    (folder / "rubric.yaml").write_text(public, encoding="utf-8")
    return folder


def difference(course: Verdict, kit: Verdict) -> str:
    """Name the difference between two verdicts on a check."""
    if course == kit:
        return SAME
    if kit[0] == Outcome.COULD_NOT_CHECK.value:
        return LEFT
    return "another cause" if course[0] == kit[0] else "another verdict"


def differences(
    course: Mapping[str, Verdicts], kit: Mapping[str, Verdicts]
) -> Iterator[tuple[str, str, str]]:
    """Yield each submission, check, and how they differ, if they do."""
    for name, of_course in course.items():
        for check in sorted(of_course.keys() | kit[name].keys()):
            kind = difference(of_course.get(check, MISSING), kit[name].get(check, MISSING))
            if kind != SAME:
                yield name, check, kind


def main() -> int:
    """Grade with both, and print differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kit", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--keep", type=Path, help="a file for what the course says")
    given = parser.parse_args()
    names = given.names or sorted(path.parent.name for path in CORPUS.glob("*/expect.yaml"))
    submissions = [read_submission(CORPUS / name, id=name) for name in names]
    course, kit = kept(given.keep, submissions), graded(given.kit, submissions)
    found = list(differences(course, kit))
    open_ones = {name for name, _check, kind in found if kind != LEFT}
    again = [one for one in submissions if one.id in open_ones]
    public: dict[str, Verdicts] = {}
    if again:
        with tempfile.TemporaryDirectory() as scratch:
            public = graded(without_hidden(find_course(ROOT), Path(scratch) / "course"), again)
    counts: Counter[str] = Counter()
    for name, check, kind in found:
        own = kit[name].get(check, MISSING)
        if kind != LEFT and public[name].get(check, MISSING) == own:
            kind = HIDDEN
        counts[kind] += 1
        print(f"{name}: {check}: {kind}: course {course[name].get(check)}, kit {own}", flush=True)
    every = sum(len(one) for one in course.values())
    print({SAME: every - len(found), **counts})
    return 1 if counts.keys() - {LEFT, HIDDEN} else 0


if __name__ == "__main__":
    raise SystemExit(main())
