"""Read what a student's side says of one of its modules, and believe nothing that it may not say.

Everything here comes from a process in which student code runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from ...text.language import _, marked
from ...wire.faults import Violation
from ...wire.tensors import DTYPES, device_in_use
from ...wire.values import text
from .faults import CheckFailed

MAX_PARAMETER_NUMBERS = 1 << 22
"""The most numbers in all parameters of a module that the judge holds or draws values for.

Drawn and sent in float64, they take 32 MiB."""
MAX_PARAMETERS = 2000
MAX_NAME_CHARACTERS = 1 << 18
"""The most characters in the names of all parameters of a module together."""
MAX_ROWS = 10_000
PARAMETERS_STAY = marked("the parameters that the module was made with, each in its shape")
CHANGED = (
    "input.parameter_changed",
    marked(
        "a parameter is no longer what its module was made with: something replaces it, or assigns "
        "to its `.data`"
    ),
)


@dataclass(frozen=True)
class ParameterSpec:
    """One parameter of a student's module, as the worker described it."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    requires_grad: bool
    in_linear: bool = False
    """True if it belongs to an `nn.Linear`, as the student's side says: its weight is (out, in)."""


@dataclass(frozen=True)
class ModuleDescription:
    """A student's module, as the worker described it."""

    type_name: str
    is_unfinished: bool
    """True if lazy layers wait for a first call, or parameters are parametrized."""
    training: bool
    parameters: tuple[ParameterSpec, ...]


def description_in(answer: Any) -> ModuleDescription:
    """Read the description of a module.

    Raises:
        Violation: it is none.
    """
    rows = answer.get("parameters") if isinstance(answer, dict) else None
    if type(rows) is not list or len(rows) > MAX_ROWS:
        raise Violation("description of a module")
    parameters = tuple(_spec(row) for row in rows)
    if len({spec.name for spec in parameters}) != len(parameters):
        raise Violation("two parameters of one name")
    return ModuleDescription(
        type_name=text(answer.get("type"), 200),
        is_unfinished=answer.get("unfinished") is True,
        training=answer.get("training") is True,
        parameters=parameters,
    )


def structure_in(answer: Any) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Read layers in plain containers (place and kind), and pairs of names for one module.

    Raises:
        Violation: it is something else.
    """
    if not isinstance(answer, dict):
        raise Violation("structure of a module")
    return pairs_in(answer.get("plain")), pairs_in(answer.get("shared"))


def pairs_in(rows: Any) -> list[tuple[str, str]]:
    """Read pairs of short texts. Raises Violation: it is something else."""
    if not isinstance(rows, list) or len(rows) > 100:
        raise Violation("structure of a module")
    pairs = []
    for row in rows:
        if not isinstance(row, tuple) or len(row) != 2 or not all(type(t) is str for t in row):
            raise Violation("structure of a module")
        pairs.append((row[0][:200], row[1][:200]))
    return pairs


def _spec(row: Any) -> ParameterSpec:
    if not isinstance(row, (list, tuple)) or len(row) != 5:
        raise Violation("description of a parameter")
    name, dtype, shape, requires_grad, in_linear = row
    if type(name) is not str or len(name) > 1000 or type(dtype) is not str or dtype not in DTYPES:
        raise Violation("description of a parameter")
    if not isinstance(shape, (list, tuple)) or len(shape) > 8:
        raise Violation("shape of a parameter")
    for length in shape:
        if type(length) is not int or not 0 <= length <= 1 << 31:
            raise Violation("shape of a parameter")
    return ParameterSpec(
        name, DTYPES[dtype], tuple(shape), requires_grad is True, in_linear is True
    )


def require_drawable(specs: Iterable[ParameterSpec]) -> None:
    """Raise CheckFailed if a module has more or larger parameters than any course needs.

    A description of them takes a few bytes; the numbers themselves would fill the judge's memory.
    """
    if device_in_use() == "meta":
        return
    specs = tuple(specs)
    count = 0
    for spec in specs:
        numbers = math.prod(spec.shape)
        # without any numbers, and larger than torch can count all the same
        extent = numbers or math.prod(filter(None, spec.shape))
        if extent > MAX_PARAMETER_NUMBERS:
            observed = _("the module has a parameter of shape {shape}", shape=spec.shape)
            wanted = _("at most {count} numbers", count=f"{MAX_PARAMETER_NUMBERS:,}")
            raise CheckFailed(observed, wanted)
        count += numbers
    if count > MAX_PARAMETER_NUMBERS:
        raise CheckFailed(
            _("the module has parameters of {count} numbers", count=f"{count:,}"),
            _("at most {count} numbers", count=f"{MAX_PARAMETER_NUMBERS:,}"),
        )
    names = sum(len(spec.name) for spec in specs)
    if len(specs) > MAX_PARAMETERS or names > MAX_NAME_CHARACTERS:
        raise CheckFailed(
            _(
                "the module has {count} parameters, with names of {size} characters together",
                count=f"{len(specs):,}",
                size=f"{names:,}",
            ),
            _(
                "at most {count}, and {size} characters",
                count=MAX_PARAMETERS,
                size=MAX_NAME_CHARACTERS,
            ),
        )


def values_by_name(values: Any) -> dict[str, Any]:
    """Return the worker's answer if it is a dict by name, and raise Violation otherwise.

    The worker's own code answers so, unless somebody replaced it.
    """
    if not isinstance(values, dict) or not all(type(name) is str for name in values):
        raise Violation("values by name")
    return values


def value_like(values: dict[str, Any], name: str, like: torch.Tensor) -> torch.Tensor:
    """Return a parameter's value, which must have the shape and the device of `like`.

    Raises:
        CheckFailed: the student's code has taken the parameter away since, or turned it.
        Violation: it is no tensor.
    """
    value = values.get(name)
    if value is None:
        raise _changed(_("the module has no parameter {name} any more", name=name))
    if not isinstance(value, torch.Tensor):
        raise Violation("value of a parameter")
    if value.shape != like.shape:
        shapes = {"now": tuple(value.shape), "before": tuple(like.shape)}
        raise _changed(_("{name} has shape {now}, and had {before}", name=name, **shapes))
    if value.device != like.device:
        places = {"now": str(value.device), "before": str(like.device)}
        raise _changed(_("{name} is on {now}, and was on {before}", name=name, **places))
    return value


def _changed(observed: str) -> CheckFailed:
    failed = CheckFailed(observed, _(PARAMETERS_STAY))
    kind, sentence = CHANGED
    failed.shows = kind, _(sentence)
    return failed
