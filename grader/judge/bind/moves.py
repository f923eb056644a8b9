"""Find the pieces whose layers can be exchanged, as neither names nor shapes tell which is whose.

Two norms have one shape, and so have all square maps. Where a name of a student's tells nothing,
numbers decide which layer holds what: in all blocks of a model alike, as each is made like the
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .forms import Piece
from .layers import Assignment

Slot = tuple[tuple[str, str, str], int]
"""A kind of group, and the index of a piece in its form: one place in each block of a model."""
MAX_SLOTS = 12
"""More of one shape are taken as names and order say."""


@dataclass(frozen=True)
class MoveClass:
    """Slots of one shape, of which at least one has no name that tells anything."""

    slots: tuple[Slot, ...]
    open: frozenset[Slot]
    """Those whose layers have no telling names."""
    pieces: dict[Slot, tuple[int, ...]]
    """The number of the piece that each slot has in each block, in one order of the blocks."""

    def moves(self, sources: Sequence[Slot], before: Sequence[int]) -> tuple[int, ...]:
        """Return the moves `before`, changed so that each slot takes the layers of its source."""
        moves = list(before)
        for slot, source in zip(self.slots, sources, strict=False):
            for piece, other in zip(self.pieces[slot], self.pieces[source], strict=True):
                moves[piece] = other
        return tuple(moves)

    def contradicts(self, sources: Sequence[Slot]) -> bool:
        """Decide whether layers with telling names are exchanged among themselves.

        Names are taken at their word: only what has none, or lacks one, can stand elsewhere.
        """
        source_of = dict(zip(self.slots, sources, strict=True))
        for slot in self.slots:
            ring, at = [slot], source_of[slot]
            while at != slot:
                ring.append(at)
                at = source_of[at]
            if len(ring) > 1 and not self.open.intersection(ring):
                return True
        return False


def move_classes(
    slots: Sequence[tuple[Slot, Piece]], assignment: Assignment
) -> tuple[MoveClass, ...]:
    """Group the slots whose layers can be exchanged; none where every name tells its role."""
    pieces: dict[Slot, list[int]] = {}
    for number, (slot, _piece) in enumerate(slots):
        pieces.setdefault(slot, []).append(number)
    classes: dict[object, list[Slot]] = {}
    for slot, numbers in pieces.items():
        layers = [assignment.layers[number] for number in numbers]
        outlines = tuple((layer.outline, layer.raw) for layer in layers)
        exact = slots[numbers[0]][1].exact
        classes.setdefault((outlines, exact), []).append(slot)
    result = []
    for alike in classes.values():
        is_open = {slot for slot in alike if assignment.guessed.intersection(pieces[slot])}
        if is_open and 1 < len(alike) <= MAX_SLOTS:
            numbers_of = {slot: tuple(pieces[slot]) for slot in alike}
            result.append(MoveClass(tuple(alike), frozenset(is_open), numbers_of))
    return tuple(result)
