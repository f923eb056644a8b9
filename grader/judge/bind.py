"""Which of a student's parameters plays which role. For now: by contract name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from ..wire.values import Opaque
from .compare import describe
from .faults import CheckFailed
from .handles import RemoteModule

UNBOUND_SCALE = 0.35


def bind(
    handle: Any, roles: Mapping[str, torch.Tensor], name: str, generator: torch.Generator
) -> tuple[dict[str, torch.Tensor], list[str]]:
    """What to write into which parameter, and notes. Parameters without a role get random values.

    Raises:
        CheckFailed: a role's parameter is missing or of another shape, or this is no module.
    """
    if not isinstance(handle, RemoteModule):
        kind = f"an object of type {handle.type_name}" if isinstance(handle, Opaque) else ""
        raise CheckFailed(f"{name}(...) made {kind or describe(handle)}", "an nn.Module")
    shapes = {spec.name: spec.shape for spec in handle.specs}
    for role, tensor in roles.items():
        if shapes.get(role) != tuple(tensor.shape):
            raise CheckFailed(
                f"the parameters of {name} are {_listed(shapes)}",
                f"a parameter {role} of shape {tuple(tensor.shape)}",
            )
    extra = {n: shape for n, shape in shapes.items() if n not in roles}
    drawn = {
        n: torch.randn(shape, generator=generator, dtype=torch.float64) * UNBOUND_SCALE
        for n, shape in extra.items()
    }
    notes = [f"{name} has further parameters: {_listed(extra)}"] if extra else []
    return {**roles, **drawn}, notes


def _listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    if not shapes:
        return "none (a layer in a plain Python list is not registered)"
    rows = [f"{name} {shape}" for name, shape in shapes.items()]
    return ", ".join(rows[:8]) + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")
