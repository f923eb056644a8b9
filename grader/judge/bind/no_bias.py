"""Find the layers that would hold all of the reference's numbers if they had a bias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from .forms import Form, Outline, Piece, forms_of
from .instances import Instance
from .layers import Layer, assign
from .plan import Plan


def layers_without_bias(
    plan: Plan, pieces: Sequence[Piece], left: Sequence[Layer]
) -> tuple[Layer, ...]:
    """Return the layers, of those left over, that hold weights of missing pieces but no bias.

    Empty unless all that is left over holds something then: else the one without a bias may be a
    layer that should not be there.
    """
    free, lacking, missing = list(left), list[Layer](), {*pieces}
    for members in plan.kinds.values():
        own = [instance for instance, forms in members if missing.intersection(forms[0].pieces)]
        held = _held(own, free)
        without = () if held else _held([replace(each, bias=None) for each in own], free)
        lacking += without
        free = [layer for layer in free if layer not in held + without]
    return () if free else tuple(lacking)


def _held(instances: Sequence[Instance], free: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the free layers that can hold these groups, all stored in one way; or none."""
    stored = [list(_forms(instance, free)) for instance in instances]
    for forms in zip(*stored, strict=True):
        pieces = [piece for form in forms for piece in form.pieces]
        assignment = assign(pieces, free)
        if assignment is not None:
            return assignment.layers
    return ()


def _forms(instance: Instance, free: Sequence[Layer]) -> Iterator[Form]:
    def fits(piece: Piece) -> bool:
        return any(layer.fits(piece) for layer in free if not layer.raw)

    def has_room(outline: Outline, raw: bool | None) -> bool:
        return not raw and any(layer.outline == outline for layer in free if not layer.raw)

    return forms_of(instance, fits, has_room)
