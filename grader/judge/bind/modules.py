"""Check, fill and describe a student's module before anything is bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...text.language import _
from ..calls.faults import CheckFailed
from ..calls.handles import RemoteModule
from ..calls.module_description import require_drawable
from ..wording.differences import describe

UNBOUND_SCALE = 0.35


def module_of(value: Any, name: str) -> RemoteModule:
    """Return `value`, the result of calling the student's `name`, if it is a module.

    Raises:
        CheckFailed: it is something else.
    """
    if isinstance(value, RemoteModule):
        return value
    message = _("{call} made {value}", call=f"{name}(...)", value=describe(value))
    raise CheckFailed(message, _("an nn.Module"))


def randomised(
    handle: RemoteModule, names: Sequence[str], generator: torch.Generator
) -> dict[str, torch.Tensor]:
    """Draw values for the named parameters, in their shapes: default initialisation hides mistakes.

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
    """List names and shapes of a few parameters."""
    return few([f"{name} {shape}" for name, shape in shapes.items()], 6)


def few(texts: Sequence[str], most: int) -> str:
    """Join the first `most` texts, and say how many more there are."""
    listing, more = ", ".join(texts[:most]), len(texts) - most
    return _("{these} and {count} more", these=listing, count=more) if more > 0 else listing
