"""A student's module as it comes, before anything is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..compare import describe
from ..faults import CheckFailed
from ..handles import RemoteModule, require_drawable

UNBOUND_SCALE = 0.35


def module_of(value: Any, name: str) -> RemoteModule:
    """`value`, which calling the student's `name` gave, if it is a module.

    Raises:
        CheckFailed: it is something else.
    """
    if isinstance(value, RemoteModule):
        return value
    raise CheckFailed(f"{name}(...) made {describe(value)}", "an nn.Module")


def randomised(
    handle: RemoteModule, names: Sequence[str], generator: torch.Generator
) -> dict[str, torch.Tensor]:
    """Drawn values for the named parameters: default initialisation hides mistakes.

    Raises:
        CheckFailed: there are absurdly many.
    """
    require_drawable(handle.specs, handle.type_name)
    shapes = {spec.name: spec.shape for spec in handle.specs}
    return {
        n: torch.randn(shapes[n], generator=generator, dtype=torch.float64) * UNBOUND_SCALE
        for n in names
    }


def listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Names and shapes of a few parameters."""
    rows = [f"{name} {shape}" for name, shape in shapes.items()]
    return ", ".join(rows[:6]) + (f" and {len(rows) - 6} more" if len(rows) > 6 else "")
