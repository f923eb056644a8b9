"""Who fails which check, as it was when the author last looked: `reference/kills/<slug>.json`.

The rules alone do not see a check go whose mistakes another check also catches. The record does:
it is generated, committed, and compared.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..hello import CheckFacts
from ..rubric import Exercise
from .data import CourseData
from .gap import Gap
from .rubric_lines import rubric_gap
from .rules import killers_by_check
from .trials import Evidence

FOLDER = "reference/kills"
WRITE = "grader validate --write"
ACCEPT = f"put it back, or accept it: {WRITE}"


@dataclass(frozen=True)
class Record:
    """What the course knew about one exercise."""

    checks: Mapping[str, tuple[str, ...]]
    """Check without its slug -> the ids that fail it."""
    variants: tuple[str, ...]
    terms: tuple[tuple[str, str], ...]
    """What the rubric says that no grading shows: a key of the exercise, and an entry under it."""


def records(data: CourseData, evidence: Evidence) -> dict[str, Record]:
    """What grading showed, by slug."""
    killers = killers_by_check(evidence)
    return {
        slug: Record(
            {
                check.removeprefix(f"{slug}/"): tuple(ids)
                for check, ids in sorted(killers.items())
                if check.startswith(f"{slug}/")
            },
            tuple(sorted(v.entry.id for v in data.variants if slug in v.slugs)),
            tuple(_terms(exercise)),
        )
        for slug, exercise in data.exercises.items()
    }


def _terms(exercise: Exercise) -> Iterator[tuple[str, str]]:
    follow_through = exercise.follow_through
    yield from (("requires", slug) for slug in exercise.requires)
    yield from (("follow_through", f"{n}: {slug}") for n, slug in follow_through.calls.items())
    if follow_through.copied:
        yield "follow_through", "copied: true"
    yield from (("banned", name) for name in exercise.banned)
    yield from (("no_loops", name) for name in exercise.no_loops)


def to_text(record: Record) -> str:
    content = {
        "terms": [list(term) for term in record.terms],
        "variants": list(record.variants),
        "checks": {check: list(ids) for check, ids in record.checks.items()},
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write_records(root: Path, found: Mapping[str, Record]) -> None:
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for slug, record in found.items():
        (folder / f"{slug}.json").write_text(to_text(record), encoding="utf-8", newline="\n")


def read_record(root: Path, slug: str) -> Record | Gap:
    """The record of an exercise, or why there is none."""
    shown = f"{FOLDER}/{slug}.json"
    path = root / shown
    if not path.is_file():
        return Gap(shown, 1, f"no record of who fails which check of {slug}", WRITE)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        checks = {str(check): tuple(map(str, ids)) for check, ids in content["checks"].items()}
        terms = tuple((str(key), str(entry)) for key, entry in content["terms"])
        return Record(checks, tuple(content["variants"]), terms)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"not a record: {type(error).__name__}: {error}"
        return Gap(shown, getattr(error, "lineno", 1), message, WRITE)


def stray_records(data: CourseData) -> Iterator[Gap]:
    """Records of exercises that the rubric does not have."""
    for path in sorted((data.course.root / FOLDER).glob("*.json")):
        if path.stem not in data.course.rubric.exercises:
            message = f"a record of {path.stem}, which rubric.yaml does not have"
            next = "put the exercise back, or delete this file"
            yield Gap(f"{FOLDER}/{path.name}", 1, message, next)


def static_differences(data: CourseData, slug: str, old: Record) -> Iterator[Gap]:
    """What is gone since the record was written, as far as reading the course tells."""
    present = {each.entry.id: each for each in data.edited}
    used = [id for ids in old.checks.values() for id in ids]
    stem = data.course.rubric.exercises[slug].assignment
    for id in dict.fromkeys(used):
        if id not in present and not id.startswith("blank: "):
            count = used.count(id)
            message = f"{id} is gone, which failed {count} check{'s' * (count != 1)} of {slug}"
            yield Gap(f"reference/misconceptions/{stem}.py", 1, message, ACCEPT)
    for id in old.variants:
        if id not in present:
            message = f"{id} is gone, another right way to write {slug}"
            yield Gap(f"reference/variants/{stem}.py", 1, message, ACCEPT)
    criteria = [check.split("/", 1)[0] for check in old.checks]
    for name in dict.fromkeys(criteria):
        if name not in data.course.rubric.exercises[slug].criteria:
            count = criteria.count(name)
            message = (
                f"exercises.{slug}.criteria.{name} is gone, for which {count}"
                f" check{'s' * (count != 1)} stood"
            )
            trail = ("exercises", slug, "criteria")
            yield rubric_gap(data.course, trail, message, ACCEPT)
    there = set(_terms(data.course.rubric.exercises[slug]))
    for key, entry in old.terms:
        if (key, entry) not in there:
            message = f"exercises.{slug}.{key}: {entry} is gone"
            yield rubric_gap(data.course, ("exercises", slug, key), message, ACCEPT)


def differences(
    slug: str, old: Record, new: Record, checks: Sequence[CheckFacts], known: Collection[str]
) -> Iterator[Gap]:
    """What grading shows otherwise than the record says; `known` are the ids that were graded."""
    places = {check.id.removeprefix(f"{slug}/"): check for check in checks}
    shown = f"{FOLDER}/{slug}.json"
    for check, ids in old.checks.items():
        if check not in new.checks:
            message = f"the check {slug}/{check} is gone, which {_listed(ids)} failed"
            yield Gap(_suite(check, checks, shown), 1, message, ACCEPT)
            continue
        place = places[check]
        lost = [id for id in ids if id not in new.checks[check] and id in known]
        if lost:
            message = f"{slug}/{check}: no longer failed by {_listed(lost)}"
            next = f"make the check as strict as it was, or accept it: {WRITE}"
            yield Gap(place.file, place.line, message, next)
        won = [id for id in new.checks[check] if id not in ids]
        if won:
            message = f"{slug}/{check}: now also failed by {_listed(won)}"
            yield Gap(place.file, place.line, message, f"if that is right: {WRITE}")
    for check in new.checks:
        if check not in old.checks:
            place = places[check]
            message = f"{slug}/{check} is new and not in {shown}"
            yield Gap(place.file, place.line, message, WRITE)
    for id in new.variants:
        if id not in old.variants:
            yield Gap(shown, 1, f"the variant {id} is new", WRITE)
    for key, entry in new.terms:
        if (key, entry) not in old.terms:
            yield Gap(shown, 1, f"{key}: {entry} is new in rubric.yaml", WRITE)


def _suite(check: str, checks: Sequence[CheckFacts], shown: str) -> str:
    """The file that other checks of the same criterion stand in."""
    criterion = check.split("/", 1)[0]
    return next((each.file for each in checks if each.criterion == criterion), shown)


def _listed(ids: Sequence[str]) -> str:
    some = ", ".join(ids[:3])
    return f"{some} and {len(ids) - 3} more" if len(ids) > 3 else some or "nobody"
