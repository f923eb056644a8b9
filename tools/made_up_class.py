"""Makes up a class, to look at a class report without grading a class: `make demo` ends with one.

Nobody in it exists. Each student is put together, exercise by exercise, from records of submissions
that were really graded; who gets what is drawn with a seed. The store, gradebook and records are
written as `grader batch` writes them.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.batch.class_results import RECORDS, ByPerson, write_class_results  # noqa: E402
from grader.batch.gradebook import row_of  # noqa: E402
from grader.batch.records import record_text  # noqa: E402
from grader.course.course import find_course  # noqa: E402
from grader.course.rubric import Rubric  # noqa: E402
from grader.files.writing import make_folder, write_file  # noqa: E402
from grader.grade.evidence import Outcome  # noqa: E402
from grader.store.conditions import Conditions  # noqa: E402
from grader.store.store import STORE_FILE, open_store  # noqa: E402
from grader.text.points import exact, shown  # noqa: E402

Record = Mapping[str, Any]
USAGE = "usage: python tools/made_up_class.py RESULTS OUT STUDENTS [SEED]"
_CONDITIONS = Conditions(*["made up"] * 8)
_TRIES = (1, 1, 1, 2, 3, 5)
"""How often somebody hands in, each as likely as the others."""
_AGAIN = 0.4
"""The chance of solving in the next try what was wrong before."""


def drawn(records: Sequence[Record], rubric: Rubric, students: int, seed: int) -> Iterator[Record]:
    """Yields the records of each student's tries, one student after the other."""
    chance = random.Random(seed)
    slugs = [one["slug"] for one in records[0]["exercises"]]
    pool = {slug: _pool(records, slug) for slug in slugs}
    hard = {slug: chance.gauss(0.6, 0.7) for slug in slugs}
    for number in range(1, students + 1):
        able = chance.gauss(0, 1.2)
        parts = {slug: _drawn(pool[slug], able + hard[slug], able, chance) for slug in slugs}
        for _try in range(chance.choice(_TRIES)):
            yield _record(records[0], f"student-{number:04}", parts, number + _try * students)
            for slug, part in parts.items():
                right = pool[slug][0]
                if right and part not in right and chance.random() < _AGAIN:
                    parts[slug] = chance.choice(right)


def _pool(records: Sequence[Record], slug: str) -> tuple[list[Any], list[Any], list[Any]]:
    """What there is of an exercise: solved, wrong, and not tried.

    What is paid for in another exercise is left out: it would come without that exercise.
    """
    every = (e for record in records for e in record["exercises"] if e["slug"] == slug)
    own = [e for e in every if all(c["outcome"] != Outcome.CARRIED for c in e["checks"])]
    idle = [e for e in own if all(c["outcome"] == Outcome.NOT_ATTEMPTED for c in e["checks"])]
    right = [e for e in own if e["points"] == e["max_points"]]
    return right, [e for e in own if e not in idle and e not in right], idle


def _drawn(
    pool: tuple[list[Any], list[Any], list[Any]], easy: float, able: float, chance: random.Random
) -> Any:
    right, wrong, idle = pool
    if idle and chance.random() < 0.25 / (1 + math.exp(2 * able)):
        return idle[0]
    if right and (not wrong or chance.random() < 1 / (1 + math.exp(-easy))):
        return chance.choice(right)
    # Few mistakes are frequent, and many rare.
    weights = [1 / place for place in range(1, len(wrong) + 1)]
    return chance.choices(wrong, weights)[0] if wrong else idle[0]


def _record(model: Record, id: str, parts: Mapping[str, Any], number: int) -> Record:
    own = list(parts.values())
    points = sum((Fraction(one["points"] or 0) for one in own), Fraction(0))
    most = sum((Fraction(one["max_points"]) for one in own), Fraction(0))
    return {
        **model,
        "submission": {"id": id, "digest": f"{number:064x}", "entries": {}},
        "points": exact(points),
        "max_points": exact(most),
        "unchecked_points": "0",
        "total": shown(points),
        "complete": points == most,
        "exercises": own,
        "notes": [],
        "flags": [],
    }


def write(records: Sequence[Record], rubric: Rubric, students: int, seed: int, out: Path) -> None:
    """Writes a made-up class as `grader batch` writes one."""
    make_folder(out / RECORDS)
    last: dict[str, Record] = {}
    with open_store(out / STORE_FILE) as store:
        for record in drawn(records, rubric, students, seed):
            id = record["submission"]["id"]
            store.keep(id, record["submission"]["digest"], _CONDITIONS, record, final=True)
            last[id] = record
    slugs = tuple(one["slug"] for one in records[0]["exercises"])
    # The text of each record is large: a big class would fill the disk with what nobody reads.
    for id, record in list(last.items())[:20]:
        write_file(out / RECORDS / f"{id}.json", record_text(record))
    names = {id: f"{id}.json" for id in last}
    rows = [row_of({**record, "written": {}}) for record in last.values()]
    unasked = Rubric(rubric.course, rubric.seed, rubric.assignments, rubric.exercises)
    write_class_results(rows, names, unasked, slugs, ByPerson(), out)


def main(arguments: Sequence[str]) -> int:
    """Makes up a class from the records in a folder of results."""
    if len(arguments) not in (3, 4):
        print(USAGE, file=sys.stderr)
        return 2
    results, out, students = Path(arguments[0]), Path(arguments[1]), int(arguments[2])
    paths = sorted((results / RECORDS).glob("*.json"))
    records = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    known = [record for record in records if "problem" not in record]
    seed = int(arguments[3]) if len(arguments) == 4 else 1
    write(known, find_course(ROOT).rubric, students, seed, out)
    print(f"{students} students who do not exist: {out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
