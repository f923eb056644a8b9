"""Small classes that nobody is in, written as `grader batch` writes a class."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from grader.batch.class_results import ByPerson, write_class_results
from grader.batch.gradebook import Row, row_of
from grader.course.rubric import Rubric
from grader.grade.evidence import Outcome
from grader.store.conditions import Conditions
from grader.store.store import STORE_FILE, Record, open_store
from grader.text.points import exact

CONDITIONS = Conditions(*["made up"] * 8)
CHECKS = ("s1.add/shapes/one", "s1.add/outputs/one", "s1.add/outputs/two", "s2.mean/outputs/one")
WORTH = {
    "s1.add/shapes": Fraction(1),
    "s1.add/outputs": Fraction(5, 2),
    "s2.mean/outputs": Fraction(3),
}
LETTERS = {
    "p": Outcome.PASSED,
    "f": Outcome.FAILED,
    "n": Outcome.NOT_ATTEMPTED,
    "e": Outcome.STUDENT_ERROR,
    "b": Outcome.BLOCKED,
    "c": Outcome.CARRIED,
    "u": Outcome.COULD_NOT_CHECK,
}


@dataclass(frozen=True)
class Made:
    """One submission: an outcome by letter for each of CHECKS."""

    student: str
    outcomes: str
    causes: Mapping[int, str] = field(default_factory=dict)
    """By place of a failed check; others have none."""
    prints: Mapping[int, str] = field(default_factory=dict)
    """Fingerprints by place of a failed check; others have one that nobody shares."""
    flags: tuple[str, ...] = ()
    observed: str = "output differs"
    inputs: str = ""
    tier: str = "full"


def record_of(made: Made) -> Record:
    """The record of a submission, with what it earns by share of checks."""
    outcomes = [LETTERS[letter] for letter in made.outcomes]
    checks = [_check(made, place, outcome) for place, outcome in enumerate(outcomes)]
    points: dict[str, Fraction | None] = {}
    for name, worth in WORTH.items():
        own = [o for c, o in zip(CHECKS, outcomes, strict=True) if c.startswith(f"{name}/")]
        earned = sum(one in (Outcome.PASSED, Outcome.CARRIED) for one in own)
        unknown = Outcome.COULD_NOT_CHECK in own
        points[name] = None if unknown else worth * Fraction(earned, len(own))
    known = sum((one for one in points.values() if one is not None), Fraction(0))
    missing = sum((WORTH[name] for name, one in points.items() if one is None), Fraction(0))
    return {
        "submission": {"id": made.student, "digest": made.inputs or "d" * 64, "entries": {}},
        "points": exact(known),
        "max_points": "6.5",
        "unchecked_points": exact(missing),
        "isolation": {"tier": made.tier, "weak": []},
        "notes": [],
        "flags": [{"text": text, "where": None} for text in made.flags],
        "exercises": [_exercise(slug, points, checks) for slug in ("s1.add", "s2.mean")],
        "timings": {"duration_ms": 1.0, "checks_ms": {}},
    }


def _check(made: Made, place: int, outcome: Outcome) -> dict[str, object]:
    cause = made.causes.get(place)
    print_ = made.prints.get(place, f"{made.student} {place}")
    return {
        "check": CHECKS[place],
        "title": f"Title of {CHECKS[place]}.",
        "outcome": outcome.value,
        "observed": made.observed,
        "cause": None if cause is None else {"id": cause, "text": f"{cause}!", "fits": 1, "of": 1},
        "also": [],
        **({"fingerprint": print_} if outcome is Outcome.FAILED else {}),
    }


def _exercise(
    slug: str, points: Mapping[str, Fraction | None], checks: list[dict[str, object]]
) -> dict[str, object]:
    own = {name: points[name] for name in WORTH if name.startswith(f"{slug}/")}
    known = [one for one in own.values() if one is not None]
    return {
        "slug": slug,
        "points": exact(sum(known, Fraction(0))),
        "max_points": exact(sum((WORTH[name] for name in own), Fraction(0))),
        "criteria": [
            {
                "name": name.partition("/")[2],
                "visibility": "public",
                "points": None if one is None else exact(one),
                "max_points": exact(WORTH[name]),
            }
            for name, one in own.items()
        ],
        "checks": [one for one in checks if str(one["check"]).startswith(f"{slug}/")],
    }


def write_class(
    out: Path,
    made: Iterable[Made],
    rubric: Rubric,
    rows: Iterable[Row] = (),
    at: Mapping[str, str] | None = None,
    forced: Collection[str] = (),
) -> Path:
    """A folder of results; the last submission of a student counts. `rows` are further rows.

    `at` is when each student's was graded; now, if it is not said. `forced` are those whom
    `grader regrade --force` graded.
    """
    last: dict[str, Record] = {}
    out.mkdir(parents=True, exist_ok=True)
    with open_store(out / STORE_FILE) as store:
        for one in made:
            last[one.student] = record_of(one)
            time = (at or {}).get(one.student)
            inputs, record = one.inputs or "i", last[one.student]
            store.keep(one.student, inputs, CONDITIONS, record, final=True, at=time)
    by_hand = {"forced": {"reason": "a broken machine", "author": "TA 1"}}
    last |= {one: {**last[one], **by_hand} for one in forced}
    everybody = [*map(row_of, last.values()), *rows]
    names = {row.id: f"{row.id}.json" for row in everybody}
    write_class_results(everybody, names, rubric, (), ByPerson(), out)
    return out
