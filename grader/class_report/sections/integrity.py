"""List identical rare wrong numbers, with care: they are a reason to talk, and never a proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from grader.class_report.data.class_data import ClassData
from grader.class_report.data.mistakes import Lookalikes, MistakeCounts, rare_groups
from grader.class_report.outline import Column, Section, Sheet, TableCell, count, proportion, text
from grader.statistics.proportion import Proportion
from grader.statistics.reliability import FEWEST
from grader.text.language import _

ID = "integrity"
RARE = 0.05
"""The largest share of a class that has a rare mistake."""
_LARGEST = 12
"""The most students of a group whose pairs are compared."""


def integrity(
    data: ClassData, counts: MistakeCounts, others: Sequence[MistakeCounts] = ()
) -> Section:
    """Return the section with identical rare wrong numbers; nothing below FEWEST results.

    `others` are the mistakes of other classes: how many of all their students have the same.
    """
    title = _("Identical rare wrong numbers")
    if len(data.graded) < FEWEST:
        few = _(
            "Nothing is listed for fewer than {fewest} results: in a small class every mistake is "
            "rare.",
            fewest=FEWEST,
        )
        return Section(ID, title, (few,))
    groups = tuple(rare_groups(counts, RARE))
    return Section(
        ID,
        title,
        lead=(
            _(
                "Whoever makes the same mistake computes the same numbers, so equal numbers prove "
                "nothing: working from one lecture, one forum post or one book gives them as well. "
                "Listed is only what at most one in twenty has."
            ),
            _(
                "The more exercises in which the same students share a rare mistake, the less "
                "likely it is by chance. Ask each of them to explain their own code before you "
                "think any further, and read both submissions yourself."
            ),
        ),
        tables=(_listed(data, groups, others),),
    )


def _listed(
    data: ClassData, groups: Sequence[tuple[Lookalikes, int]], others: Sequence[MistakeCounts]
) -> Sheet:
    shared = _exercises_shared(groups)
    elsewhere = Column(
        _("In other classes"),
        _("How many of all other classes that were named have it. Many: it comes by itself."),
        is_number=True,
    )
    columns = (
        Column(_("Exercise")),
        Column(_("Students"), _("Who computes the same wrong numbers."), is_number=True),
        Column(
            _("Other exercises"),
            _("In how many others some two of them share rare wrong numbers. 0: leave it."),
            is_number=True,
        ),
        Column(
            _("Base rate"),
            _("How many of this class have this mistake at all. The more, the less it says."),
            is_number=True,
        ),
        *([elsewhere] if others else []),
        Column(_("Mistake or pattern")),
        Column(_("Observed")),
    )
    ordered = sorted(groups, key=lambda pair: (-_others(pair[0], shared), pair[1], pair[0].slug))
    rows = tuple(_row(data, group, base, _others(group, shared), others) for group, base in ordered)
    empty = _("No rare wrong numbers are shared.")
    title = _("Groups with the same rare wrong numbers")
    return Sheet("identical-numbers", title, columns, rows, empty, shown=30)


def _row(
    data: ClassData,
    group: Lookalikes,
    base: int,
    exercises: int,
    others: Sequence[MistakeCounts],
) -> tuple[TableCell, ...]:
    people = data.people_of(group.rows)
    return (
        text(group.slug),
        count(len(people), people),
        count(exercises),
        proportion(Proportion(base, len(data.graded))),
        *([proportion(_in_all(data, group, others))] if others else []),
        text(", ".join(group.causes)),
        text(group.observed),
    )


def _in_all(data: ClassData, group: Lookalikes, others: Sequence[MistakeCounts]) -> Proportion:
    every = [_elsewhere(data, group, other) for other in others]
    return Proportion(sum(one.count for one in every), sum(one.of for one in every))


def _elsewhere(data: ClassData, group: Lookalikes, other: MistakeCounts) -> Proportion:
    """Return how many of another class have a group's mistake, by its name or else its numbers."""
    have = {one.cause: len(one.rows) for one in other.known}
    wanted = {(data.checks[check].id, print_) for check, print_ in group.signature}
    same = [
        len(one.rows)
        for one in other.lookalikes
        if one.slug == group.slug
        and {(other.data.checks[check].id, print_) for check, print_ in one.signature} == wanted
    ]
    most = max([0, *same, *(have.get(cause, 0) for cause in group.causes)])
    return Proportion(most, len(other.data.graded))


def _exercises_shared(groups: Sequence[tuple[Lookalikes, int]]) -> Counter[tuple[int, int]]:
    """Count for each two students the exercises in which they share rare wrong numbers."""
    shared: Counter[tuple[int, int]] = Counter()
    for group, _base in groups:
        if len(group.rows) <= _LARGEST:
            shared.update(combinations(sorted(group.rows), 2))
    return shared


def _others(group: Lookalikes, shared: Counter[tuple[int, int]]) -> int:
    pairs = combinations(sorted(group.rows), 2)
    return max((shared[pair] - 1 for pair in pairs if pair in shared), default=0)
