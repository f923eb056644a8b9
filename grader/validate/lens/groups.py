"""Read from the results of a class who wrote the same wrong function that has no name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...class_report.data.class_data import JUDGED_WRONG, ClassData
from ...class_report.data.mistakes import Lookalikes, mistakes_of
from ...grade.evidence import Outcome
from ...store.store import STORE_FILE, Record, Store, open_store
from ...store.summary import short_print
from .likeness import FailedChecks


@dataclass(frozen=True)
class UnnamedGroup:
    """Students who wrote the same wrong function, for which there is no name."""

    slug: str
    students: tuple[str, ...]
    failed: FailedChecks
    observed: str
    """What the first failed check saw."""


def unnamed_groups(
    results: Path, data: ClassData, slugs: Sequence[str] = ()
) -> tuple[UnnamedGroup, ...]:
    """Return the groups of a class without a name, the biggest first; those of `slugs`, if any.

    `data` was read from the same results. Raises StoreError.
    """
    groups = [one for one in mistakes_of(data).unknown if not slugs or one.slug in slugs]
    with open_store(results / STORE_FILE) as store:
        return tuple(made for one in groups for made in _group(data, one, store))


def _group(data: ClassData, group: Lookalikes, store: Store) -> Iterator[UnnamedGroup]:
    """Yield the group with the fingerprints of a member; nothing if no record has them any more.

    A class is read from summaries, which keep only enough of a fingerprint to compare it.
    """
    students = tuple(data.people[person].id for person in data.people_of(group.rows))
    wanted = {data.checks[check].id: print_ for check, print_ in group.signature}
    for student in students:
        kept = store.newest(student)
        if kept is None:
            continue
        failed = _failed(kept.record, group.slug)
        if wanted == {id: short_print(print_) for id, print_ in failed.numbers.items()}:
            yield UnnamedGroup(group.slug, students, failed, group.observed)
            return


def _failed(record: Record, slug: str) -> FailedChecks:
    checks = [one for part in record["exercises"] if part["slug"] == slug for one in part["checks"]]
    judged = [one for one in checks if Outcome(one["outcome"]) in JUDGED_WRONG]
    numbers = {
        one["check"]: one["fingerprint"]
        for one in judged
        if one["outcome"] == Outcome.FAILED and one.get("fingerprint")
    }
    others = frozenset(one["check"] for one in judged) - numbers.keys()
    judging = (Outcome.PASSED, *JUDGED_WRONG)
    unjudged = frozenset(one["check"] for one in checks if Outcome(one["outcome"]) not in judging)
    return FailedChecks(numbers, others, unjudged)
