"""Explain in words why a student's module has no room for some role."""

from __future__ import annotations

from ...text.language import _
from ..calls.faults import CheckFailed, StudentFault
from ..calls.handles import RemoteModule
from .forms import Piece
from .modules import few, listed
from .plan import Plan

SHOWN = 2


def misfit(name: str, handle: RemoteModule, plan: Plan) -> CheckFailed:
    """Return the failure that names layers not registered or shared, or missing parameters."""
    shapes = {spec.name: spec.shape for spec in handle.specs}
    lacking = [text for piece in plan.missing() for text in _wanted(piece, plan)]
    wanted = few(lacking, SHOWN) or _("some of them")
    observed = _("{name} has no parameters", name=name)
    if shapes:
        observed = _("{name} has no parameters for {roles}", name=name, roles=wanted)
    plain, shared = _structure(handle)
    if shared:
        first, again = shared[0]
        why = _("`{again}` is the same object as `{first}`", again=again, first=first)
        wanted = _("an object of its own in each place, as [f() for _ in ...]")
        return CheckFailed(f"{observed}: {why}", wanted)
    if plain:
        where, kind = plain[0]
        why = _(
            "the layers in `{where}`, a plain {kind}, are not registered", where=where, kind=kind
        )
        return CheckFailed(f"{observed}: {why}", _("layers in an nn.ModuleList, or as attributes"))
    if shapes:
        observed = _("{told}; it has {names}", told=observed, names=listed(shapes))
    return CheckFailed(observed, _("parameters for {roles}, under any name", roles=wanted))


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
