"""A student's module as it comes, before anything is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...language import _
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
    told = _("{call} made {value}", call=f"{name}(...)", value=describe(value))
    raise CheckFailed(told, _("an nn.Module"))


def randomised(
    handle: RemoteModule, names: Sequence[str], generator: torch.Generator
) -> dict[str, torch.Tensor]:
    """Drawn values for the named parameters: default initialisation hides mistakes.

    Raises:
        CheckFailed: there are absurdly many.
    """
    require_drawable(handle.specs)
    shapes = {spec.name: spec.shape for spec in handle.specs}
    return {
        n: torch.randn(shapes[n], generator=generator, dtype=torch.float64) * UNBOUND_SCALE
        for n in names
    }


def listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Names and shapes of a few parameters."""
    return few([f"{name} {shape}" for name, shape in shapes.items()], 6)


def few(texts: Sequence[str], most: int) -> str:
    """The first of them, and how many there are besides."""
    told, more = ", ".join(texts[:most]), len(texts) - most
    return _("{these} and {count} more", these=told, count=more) if more > 0 else told
