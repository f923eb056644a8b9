"""Which of a student's parameters plays which role. For now: by contract name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .compare import describe
from .faults import CheckFailed
from .handles import RemoteModule, require_drawable

UNBOUND_SCALE = 0.35


def module_of(value: Any, name: str) -> RemoteModule:
    """`value`, which calling the student's `name` gave, if it is a module.

    Raises:
        CheckFailed: it is something else.
    """
    if isinstance(value, RemoteModule):
        return value
    raise CheckFailed(f"{name}(...) made {describe(value)}", "an nn.Module")


def bind(
    handle: RemoteModule,
    roles: Mapping[str, torch.Tensor],
    name: str,
    generator: torch.Generator,
    free: Sequence[str] = (),
) -> tuple[dict[str, torch.Tensor], list[str]]:
    """What to write into which parameter, and notes. Parameters without a role get random values.

    Parts that are `free` may have any parameters: they are randomised without a word.

    Raises:
        CheckFailed: a role's parameter is missing or of another shape.
    """
    shapes = {spec.name: spec.shape for spec in handle.specs}
    for role, tensor in roles.items():
        shape = tuple(tensor.shape)
        if role not in shapes or _without_ones(shapes[role]) != _without_ones(shape):
            raise CheckFailed(
                f"the parameters of {name} are {_listed(shapes)}",
                f"a parameter {role} of shape {shape}",
            )
    extra = [n for n in shapes if n not in roles]
    told = {n: shapes[n] for n in extra if not within(n, free)}
    notes = [f"{name} has further parameters: {_listed(told)}"] if told else []
    bound = {role: tensor.reshape(shapes[role]) for role, tensor in roles.items()}
    return {**bound, **randomised(handle, extra, generator)}, notes


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


def within(name: str, parts: Sequence[str]) -> bool:
    """Whether a parameter belongs to one of the parts.

    >>> within("head.linear.weight", ["head"]), within("header.weight", ["head"])
    (True, False)
    """
    return any(name == part or name.startswith(f"{part}.") for part in parts)


def _without_ones(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape without leading axes of length 1, which broadcasting supplies: (1, N, D) and
    (N, D) hold the same table."""
    start = next((i for i, length in enumerate(shape) if length != 1), len(shape))
    return tuple(shape[start:])


def _listed(shapes: Mapping[str, tuple[int, ...]]) -> str:
    if not shapes:
        return "none (a layer in a plain Python list is not registered)"
    rows = [f"{name} {shape}" for name, shape in shapes.items()]
    return ", ".join(rows[:8]) + (f" and {len(rows) - 8} more" if len(rows) > 8 else "")
