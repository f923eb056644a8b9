"""Why a student's module has no room for some role, in words."""

from __future__ import annotations

from ..faults import CheckFailed, StudentFault
from ..handles import RemoteModule
from .forms import Cell
from .modules import listed
from .plan import Plan

SHOWN = 2


def misfit(name: str, handle: RemoteModule, plan: Plan) -> CheckFailed:
    """Layers that are not registered, or registered twice; else which parameter is missing."""
    shapes = {spec.name: spec.shape for spec in handle.specs}
    lacking = [text for cell in plan.missing() for text in _wanted(cell, plan)]
    more = f" and {len(lacking) - SHOWN} more" if len(lacking) > SHOWN else ""
    wanted = f"{', '.join(lacking[:SHOWN])}{more}" or "some of them"
    observed = f"{name} has no parameters for {wanted}" if shapes else f"{name} has no parameters"
    plain, shared = _structure(handle)
    if shared:
        first, again = shared[0]
        observed += f": `{again}` is the same object as `{first}`"
        return CheckFailed(observed, "an object of its own in each place, as [f() for _ in ...]")
    if plain:
        where, kind = plain[0]
        observed += f": the layers in `{where}`, a plain {kind}, are not registered"
        return CheckFailed(observed, "layers in an nn.ModuleList, or as attributes")
    if shapes:
        observed += f"; it has {listed(shapes)}"
    return CheckFailed(observed, f"parameters for {wanted}, under any name")


def _wanted(cell: Cell, plan: Plan) -> list[str]:
    leaves = (cell.home, f"{cell.home}.weight", f"{cell.home}.bias")
    places = {name: plan.row.places[name] for name in leaves if name in plan.row.places}
    return [f"{name} {tuple(shape.shape)}" for name, shape in places.items()]


def _structure(handle: RemoteModule) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Layers in plain containers, and pairs of names for one module. Hints: they come from the
    untrusted side and decide nothing."""
    try:
        found = handle.structure()
    except StudentFault:
        return [], []
    return found
