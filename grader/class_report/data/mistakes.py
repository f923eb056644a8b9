"""Count the mistakes of a class: named ones, and wrong functions that nobody has named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from grader.class_report.data.class_data import ClassData, Failure
from grader.grade.evidence import Outcome

Signature = frozenset[tuple[int, str]]
"""The failed checks of an exercise with their fingerprints: equal for equal wrong functions."""


@dataclass(frozen=True)
class ClassMistake:
    """A known mistake, over the class."""

    cause: str
    rows: tuple[int, ...]
    """The graded students who have it, in order."""
    mean_lost: float
    """The mean of the points that it cost each of them."""
    slugs: tuple[str, ...]
    """The exercises in which it failed a check, in the order of the rubric."""
    carried: tuple[int, ...]
    """Those to whom it came up once more, where it cost nothing."""
    carried_in: tuple[str, ...]
    """The exercises in which it did, in the order of the rubric."""
    together: tuple[tuple[str, int], ...]
    """Other mistakes of the same students, the most frequent first."""
    sample: int
    """One who has hardly any other mistake: a good example to read."""


@dataclass(frozen=True)
class Lookalikes:
    """Students whose code computes the same wrong numbers in one exercise."""

    slug: str
    rows: tuple[int, ...]
    signature: Signature
    causes: tuple[str, ...]
    """The known mistakes or patterns that were seen, if any."""
    observed: str
    """What the first failed check saw."""
    is_named: bool

    @property
    def checks(self) -> tuple[int, ...]:
        return tuple(sorted(check for check, _ in self.signature))


@dataclass(frozen=True)
class Coverage:
    """The failed checks of a class, by how much is known of each."""

    named: int
    seen: int
    """Those with a pattern, such as two axes swapped, or an exception, and no more."""
    unexplained: int

    @property
    def all(self) -> int:
        return self.named + self.seen + self.unexplained


class FailuresByKnowledge(NamedTuple):
    """The row of each failed check, once for every check."""

    named: list[int]
    seen: list[int]
    unexplained: list[int]


@dataclass(frozen=True)
class MistakeCounts:
    """All mistakes of a class. Made by `mistakes_of`."""

    data: ClassData

    @cached_property
    def known(self) -> tuple[ClassMistake, ...]:
        """Return the known mistakes, the most frequent first."""
        by_cause: dict[str, list[Failure]] = defaultdict(list)
        of_row: dict[int, set[str]] = defaultdict(set)
        for one in self.data.failures:
            if one.named:
                by_cause[one.named].append(one)
                of_row[one.row].add(one.named)
        lost = self._lost
        matches = (self._mistake(id, own, of_row, lost) for id, own in by_cause.items())
        return tuple(sorted(matches, key=lambda one: (-len(one.rows), one.cause)))

    @cached_property
    def lookalikes(self) -> tuple[Lookalikes, ...]:
        """Return the groups of two or more with the same wrong numbers, the biggest first."""
        groups: dict[tuple[str, Signature], list[int]] = defaultdict(list)
        samples: dict[tuple[str, Signature], tuple[Failure, ...]] = {}
        for (row, slug), own in self._by_exercise.items():
            signature = frozenset((one.check, one.fingerprint) for one in own)
            groups[slug, signature].append(row)
            samples.setdefault((slug, signature), own)
        matches = (
            self._group(key, tuple(rows), samples[key])
            for key, rows in groups.items()
            if len(rows) > 1
        )
        return tuple(sorted(matches, key=lambda one: (-len(one.rows), one.slug, one.checks)))

    @cached_property
    def unknown(self) -> tuple[Lookalikes, ...]:
        """Return the groups whose mistake has no name."""
        return tuple(one for one in self.lookalikes if not one.is_named)

    @cached_property
    def coverage(self) -> Coverage:
        """Return how many failed checks are named, seen and unexplained; carried ones aside."""
        own = self.by_knowledge
        return Coverage(len(own.named), len(own.seen), len(own.unexplained))

    @cached_property
    def by_knowledge(self) -> FailuresByKnowledge:
        """Return the rows of all failed checks, by how much is known; carried ones aside."""
        named: list[int] = []
        seen: list[int] = []
        unexplained: list[int] = []
        carried = Outcome.CARRIED  # looked up once: a big class has 160,000 failures
        for one in self.data.failures:
            if one.outcome is not carried:
                (named if one.named else seen if one.is_seen else unexplained).append(one.row)
        return FailuresByKnowledge(named, seen, unexplained)

    @cached_property
    def _by_exercise(self) -> Mapping[tuple[int, str], tuple[Failure, ...]]:
        """Map student and exercise to the failures with wrong numbers.

        What broke off with an exception has computed none.
        """
        matches: dict[tuple[int, str], list[Failure]] = defaultdict(list)
        for one in self.data.failures:
            if one.fingerprint and one.outcome is Outcome.FAILED:
                matches[one.row, self.data.checks[one.check].slug].append(one)
        return {key: tuple(own) for key, own in matches.items()}

    @cached_property
    def _lost(self) -> np.ndarray:
        """Return the points that each check cost that earned nothing. Shape (students, checks).

        What a criterion lost is dealt evenly to those of its checks that earned nothing.
        """
        data = self.data
        lost = np.zeros(data.codes.shape)
        for place, one in enumerate(data.criteria):
            if one.checks:
                without = ~data.earned[:, list(one.checks)]
                missing = one.max_points - np.nan_to_num(data.points[:, place], nan=one.max_points)
                each = missing / np.maximum(without.sum(axis=1), 1)
                lost[:, list(one.checks)] = without * each[:, None]
        return lost

    def _mistake(
        self,
        cause: str,
        own: list[Failure],
        of_row: Mapping[int, set[str]],
        lost: np.ndarray,
    ) -> ClassMistake:
        rows = tuple(dict.fromkeys(one.row for one in own))
        points = sum(float(lost[one.row, one.check]) for one in own if not one.is_carried)
        slugs = {self.data.checks[one.check].slug for one in own}
        again = {self.data.checks[one.check].slug for one in own if one.is_carried}
        together = Counter(other for row in rows for other in of_row[row] if other != cause)
        ordered = sorted(together.items(), key=lambda pair: (-pair[1], pair[0]))
        return ClassMistake(
            cause,
            rows,
            points / len(rows),
            tuple(slug for slug in self.data.slugs if slug in slugs),
            tuple(dict.fromkeys(one.row for one in own if one.is_carried)),
            tuple(slug for slug in self.data.slugs if slug in again),
            tuple(ordered),
            min(rows, key=lambda row: (len(of_row[row]), -self.data.totals[row], row)),
        )

    def _group(
        self, key: tuple[str, Signature], rows: tuple[int, ...], own: tuple[Failure, ...]
    ) -> Lookalikes:
        slug, signature = key
        causes = tuple(dict.fromkeys(one.causes[0] for one in own if one.causes))
        is_named = any(one.named for one in own)
        return Lookalikes(slug, rows, signature, causes, own[0].observed, is_named)


def mistakes_of(data: ClassData) -> MistakeCounts:
    """Return the mistakes of a class, counted when they are asked for."""
    return MistakeCounts(data)


def rare_groups(counts: MistakeCounts, most_share: float) -> Iterator[tuple[Lookalikes, int]]:
    """Yield groups with the same wrong numbers whose mistake at most this share of the class has.

    Each comes with the number of students who have the mistake, by its name or else by its numbers.
    """
    students = len(counts.data.graded)
    have = {one.cause: len(one.rows) for one in counts.known}
    for group in counts.lookalikes:
        base = max([len(group.rows), *(have.get(cause, 0) for cause in group.causes)])
        if base <= max(2, most_share * students):
            yield group, base
