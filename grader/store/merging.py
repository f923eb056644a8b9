"""Take what one store holds into another, such as the results of a shard."""

from __future__ import annotations

from dataclasses import dataclass

from .store import Store


@dataclass(frozen=True)
class TakenOver:
    """The results of a store that another one has taken over."""

    added: int
    known: int
    """Those that were there already."""
    appeals: int = 0
    """The appeals that were taken over with them."""


def take_over(store: Store, other: Store) -> TakenOver:
    """Add every result, adjustment and appeal of another store that this one does not hold.

    Times stay as they were. Adjustments come after those that are here, so that of two of one kind
    the one taken over counts.

    Raises StoreError and WritingError.
    """
    here = {
        (kept.student, kept.inputs, kept.conditions.digest, kept.graded_at)
        for kept in store.history()
    }
    added = known = 0
    for kept in other.history():
        if (kept.student, kept.inputs, kept.conditions.digest, kept.graded_at) in here:
            known += 1
            continue
        store.keep(
            kept.student,
            kept.inputs,
            kept.conditions,
            kept.record,
            final=kept.final,
            at=kept.graded_at,
        )
        added += 1
    for student in other.adjusted_students():
        mine = set(store.adjustments(student))
        for adjustment in other.adjustments(student):
            if adjustment not in mine:
                store.adjust(adjustment)
    received = set(store.appeals())
    appeals = [appeal for appeal in other.appeals() if appeal not in received]
    for appeal in appeals:
        store.keep_appeal(appeal)
    return TakenOver(added, known, len(appeals))
