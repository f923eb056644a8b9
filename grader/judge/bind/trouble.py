"""Explain in words why a student's module has no room for some role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...text.language import _
from ..calls.faults import CheckFailed, StudentFault
from ..calls.handles import RemoteModule
from .forms import Piece
from .layers import Layer
from .modules import few, listed
from .no_bias import layers_without_bias
from .plan import Plan

SHOWN = 2
Shown = tuple[str, str] | None
"""An id and a sentence of what a failure shows, see `CheckFailed`."""


def misfit(name: str, handle: RemoteModule, plan: Plan) -> CheckFailed:
    """Return the failure that names layers not registered or shared, or missing parameters."""
    pieces, left = plan.missing()
    lacking = [text for piece in pieces for text in _wanted(piece, plan)]
    shown = _shown(pieces, left, plan) or _shown_by_buffers(pieces, handle)
    failed = _in_words(name, handle, plan, pieces, lacking, shown)
    failed.lacks = tuple(lacking)
    return failed


def _in_words(
    name: str,
    handle: RemoteModule,
    plan: Plan,
    pieces: Sequence[Piece],
    lacking: Sequence[str],
    shown_by_layers: Shown,
) -> CheckFailed:
    shapes = {spec.name: spec.shape for spec in handle.specs}
    wanted = few(lacking, SHOWN) or _("some of them")
    observed = _("{name} has no parameters", name=name)
    if shapes:
        observed = _("{name} has no parameters for {roles}", name=name, roles=wanted)
    plain, shared = _structure(handle)
    shared = [(one, other) for one, other in shared if _is_missed(one, other, pieces, plan)]
    if shared:
        first, again = shared[0]
        why = _("`{again}` is the same object as `{first}`", again=again, first=first)
        wanted = _("an object of its own in each place, as [f() for _ in ...]")
        shown = _("one layer stands in several places, each of which needs its own")
        return _failure(f"{observed}: {why}", wanted, ("layers.shared", shown))
    if plain:
        where, kind = plain[0]
        why = _(
            "the layers in `{where}`, a plain {kind}, are not registered", where=where, kind=kind
        )
        shown = _("layers in a plain list, tuple or dict are not registered: nothing trains them")
        wanted = _("layers in an nn.ModuleList, or as attributes")
        return _failure(f"{observed}: {why}", wanted, ("layers.not_registered", shown))
    if shapes:
        observed = _("{told}; it has {names}", told=observed, names=listed(shapes))
    wanted = _("parameters for {roles}, under any name", roles=wanted)
    return _failure(observed, wanted, shown_by_layers)


def _is_missed(first: str, again: str, pieces: Sequence[Piece], plan: Plan) -> bool:
    """Tell whether what stands in two places may be the reason why one of the pieces is missing.

    A second name for one and the same layer, as where an attribute stands for one of another
    module, is none.
    """
    if first.count(".") != again.count("."):
        return False  # one of the two leads into another module
    every = plan.pieces(dict.fromkeys(plan.kinds, 0))
    for layer in plan.own_layers:
        if not f"{layer.prefix}.".startswith(f"{first}."):
            continue
        other = replace(layer, prefix=again + layer.prefix.removeprefix(first))
        is_alias = any(_names(layer, piece) and _names(other, piece) for piece in every)
        if not is_alias and any(layer.outline == piece.shapes for piece in pieces):
            return True
    return False


def _names(layer: Layer, piece: Piece) -> bool:
    is_called = layer.is_called(piece.words) and layer.stands_in(piece.block)
    return layer.prefix == piece.home or is_called


def _failure(observed: str, expected: str, shows: Shown) -> CheckFailed:
    failed = CheckFailed(observed, expected)
    failed.shows = shows
    return failed


def _shown(pieces: Sequence[Piece], left: Sequence[Layer], plan: Plan) -> Shown:
    """Tell how the first layer without room differs from one that is left over.

    None if no layer stands where it should: then there may be none, or another way of storing.
    """
    return (
        _shown_by_bias(pieces, left)
        or _shown_by_missing_biases(plan, pieces, left)
        or _shown_by_norms(pieces, left)
        or _shown_by_sizes(pieces, left)
    )


def _shown_by_bias(pieces: Sequence[Piece], left: Sequence[Layer]) -> Shown:
    for piece in pieces:
        for layer in left:
            if layer.raw or piece.raw:
                continue
            if layer.outline == piece.shapes[:1] and len(piece.shapes) == 2:
                return _no_bias(layer)
            if layer.outline[:1] == piece.shapes and len(layer.outline) == 2:
                text = _("`{name}` has a bias, and should have none", name=layer.prefix)
                return "layers.bias", text
    return None


def _shown_by_missing_biases(plan: Plan, pieces: Sequence[Piece], left: Sequence[Layer]) -> Shown:
    lacking = layers_without_bias(plan, pieces, left)
    return _no_bias(lacking[0]) if lacking else None


def _no_bias(layer: Layer) -> tuple[str, str]:
    return "layers.no_bias", _("`{name}` has no bias, and should have one", name=layer.prefix)


def _shown_by_norms(pieces: Sequence[Piece], left: Sequence[Layer]) -> Shown:
    for layer in left:
        if any(map(_is_norm, pieces)) and not any(layer.outline):
            text = _(
                "`{name}` is one number for all features: a norm has a gain and a shift for "
                "each of them",
                name=layer.prefix,
            )
            return "layers.norm_of_one_number", text
    return None


def _shown_by_sizes(pieces: Sequence[Piece], left: Sequence[Layer]) -> Shown:
    for piece in pieces:
        meant = [la for la in left if la.is_meant_for(piece) and la.stands_in(piece.block)]
        # Of several, one for each head or two in place of one, none has to hold all of it.
        if len(meant) == 1 and meant[0].outline != piece.shapes:
            return "layers.other_size", _other_size(meant[0])
    return None


def _shown_by_buffers(pieces: Sequence[Piece], handle: RemoteModule) -> Shown:
    """Tell of a buffer that has the name and the shape of a parameter that is missing."""
    try:
        buffers = handle.named_buffers()
    except StudentFault:
        return None
    for name, buffer in buffers:
        layer = Layer(name, (name,), (tuple(buffer.shape),), raw=True)
        if any(layer.is_meant_for(piece) and layer.outline == piece.shapes for piece in pieces):
            text = _("`{name}` is a buffer and no parameter: nothing trains it", name=name)
            return "layers.buffer", text
    return None


def _is_norm(piece: Piece) -> bool:
    return not piece.raw and [len(shape) for shape in piece.shapes] == [1, 1]


def _other_size(layer: Layer) -> str:
    if layer.raw:
        return _("`{name}` has another size than what it has to hold", name=layer.prefix)
    return _(
        "`{name}` has another size than what it has to hold: one of its two widths is "
        "not the one that the exercise gives",
        name=layer.prefix,
    )


def _wanted(piece: Piece, plan: Plan) -> list[str]:
    leaves = (piece.home, f"{piece.home}.weight", f"{piece.home}.bias")
    places = {name: plan.vector.places[name] for name in leaves if name in plan.vector.places}
    return [f"{name} {tuple(shape.shape)}" for name, shape in places.items()]


def _structure(handle: RemoteModule) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return layers in plain containers, and pairs of names for one module.

    Only hints: they come from the untrusted side and decide nothing.
    """
    try:
        structure = handle.structure()
    except StudentFault:
        return [], []
    return structure
