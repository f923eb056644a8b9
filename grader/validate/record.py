"""Keep the record of who fails which check, as the author last saw it.

It is `kill_record.json` of the exercise. The rules do not notice that a check is gone if another
check catches the same mistakes. The record does: it is generated, committed, and compared.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..course.paths import CoursePaths
from ..course.rubric import Exercise
from ..files.writing import make_folder, write_files
from ..messages.answers import CheckFacts
from ..text.problem import Trail
from .data import CourseData
from .gap import Gap
from .rubric_lines import rubric_gap
from .rules import killers_by_check
from .trials import Evidence

OPERATORS = "operators"
WRITE = "grader validate --write"
ACCEPT = f"put it back, or accept it: {WRITE}"


@dataclass(frozen=True)
class KillRecord:
    """The checks of one exercise with the ids that fail them, its variants and its terms."""

    checks: Mapping[str, tuple[str, ...]]
    """Check without its slug -> the ids that fail it."""
    variants: tuple[str, ...]
    terms: tuple[tuple[str, str], ...]
    """The rubric's terms that grading does not show: a key of the exercise, and an entry."""


def records(data: CourseData, evidence: Evidence) -> dict[str, KillRecord]:
    """Return the record that grading showed for each exercise, by slug."""
    killers = killers_by_check(evidence)
    return {
        slug: KillRecord(
            {
                check.removeprefix(f"{slug}/"): tuple(ids)
                for check, ids in sorted(killers.items())
                if check.startswith(f"{slug}/")
            },
            tuple(sorted(v.entry.id for v in data.variants if slug in v.slugs)),
            tuple(_terms(exercise, data.course.rubric.operators)),
        )
        for slug, exercise in data.exercises.items()
    }


def _terms(exercise: Exercise, operators: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    follow_through = exercise.follow_through
    yield from (("requires", slug) for slug in exercise.requires)
    yield from (("follow_through", f"{n}: {slug}") for n, slug in follow_through.calls.items())
    if follow_through.copied:
        yield "follow_through", "copied: true"
    yield from (("banned", name) for name in exercise.banned)
    counted = ((name, one) for name in exercise.banned for one in operators.get(name, ()))
    yield from ((OPERATORS, f"{name}: {one}") for name, one in counted)
    yield from (("no_loops", name) for name in exercise.no_loops)


def to_text(record: KillRecord) -> str:
    content = {
        "terms": [list(term) for term in record.terms],
        "variants": list(record.variants),
        "checks": {check: list(ids) for check, ids in record.checks.items()},
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def write_records(paths: CoursePaths, records: Mapping[str, KillRecord]) -> None:
    for slug in records:
        make_folder(paths.exercise(slug).folder)
    write_files(
        {paths.exercise(slug).kill_record: to_text(record) for slug, record in records.items()}
    )


def read_record(paths: CoursePaths, slug: str) -> KillRecord | Gap:
    """Return the record of an exercise, or the gap if there is none that can be read."""
    path = paths.exercise(slug).kill_record
    shown = paths.shown(path)
    if not path.is_file():
        return Gap(shown, 1, f"no record of who fails which check of {slug}", WRITE)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        checks = {str(check): tuple(map(str, ids)) for check, ids in content["checks"].items()}
        terms = tuple((str(key), str(entry)) for key, entry in content["terms"])
        return KillRecord(checks, tuple(content["variants"]), terms)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"not a record: {type(error).__name__}: {error}"
        return Gap(shown, getattr(error, "lineno", 1), message, WRITE)


def static_differences(data: CourseData, slug: str, old: KillRecord) -> Iterator[Gap]:
    """Yield what is gone since the record was written, if it shows without grading."""
    present = {each.entry.id: each for each in data.edited}
    used = [id for ids in old.checks.values() for id in ids]
    paths = data.course.paths
    own = paths.exercise(slug)
    for id in dict.fromkeys(used):
        if id not in present and not id.startswith("blank: "):
            count = used.count(id)
            message = f"{id} is gone, which failed {count} check{'s' * (count != 1)} of {slug}"
            yield Gap(paths.shown(own.mistakes), 1, message, ACCEPT)
    for id in old.variants:
        if id not in present:
            message = f"{id} is gone, another right way to write {slug}"
            yield Gap(paths.shown(own.variants), 1, message, ACCEPT)
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
    rubric = data.course.rubric
    there = set(_terms(rubric.exercises[slug], rubric.operators))
    for key, entry in old.terms:
        if (key, entry) not in there:
            shared = key == OPERATORS
            place: Trail = (OPERATORS,) if shared else ("exercises", slug, key)
            why = f", which {slug} bans" if shared else ""
            message = f"{'.'.join(map(str, place))}: {entry} is gone{why}"
            yield rubric_gap(data.course, place, message, ACCEPT)


def differences(
    slug: str,
    old: KillRecord,
    new: KillRecord,
    checks: Sequence[CheckFacts],
    known: Collection[str],
) -> Iterator[Gap]:
    """Yield the differences between grading and the record; `known` are the graded ids."""
    places = {check.id.removeprefix(f"{slug}/"): check for check in checks}
    shown = CoursePaths(Path()).exercise(slug).kill_record.as_posix()
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
    """Return the file of another check of the same criterion; `shown` if there is none."""
    criterion = check.split("/", 1)[0]
    return next((each.file for each in checks if each.criterion == criterion), shown)


def _listed(ids: Sequence[str]) -> str:
    some = ", ".join(ids[:3])
    return f"{some} and {len(ids) - 3} more" if len(ids) > 3 else some or "nobody"
