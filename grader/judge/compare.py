"""Whether two values agree, and if not, where and by how much."""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..language import _
from ..wire.values import Opaque
from .handles import RemoteFunction, RemoteModule

_KNOWN_TYPES = ("generator", "module", "ndarray", "Generator", "SimpleNamespace")
_TOLD = (bool, int, float, complex, torch.dtype, torch.device)
_TENSOR = re.compile(r"(Tensor|Parameter) \(\w{1,16}, \w{1,16}, \w{1,8}\)")


@dataclass(frozen=True)
class Difference:
    """Why two values do not agree. `observed` and `expected` never hold inputs."""

    kind: str
    """`type`, `shape`, `dtype`, `device`, `nonfinite` or `value`."""
    observed: str
    expected: str
    size: float = math.inf
    """Of values: how far they are apart, for each unit of the largest expected magnitude."""


def describe(value: Any) -> str:
    """A value in a few words: its type and shape, and a number itself.

    Never a text or a name that a student's code chose when it ran: it can be made of hidden inputs.
    """
    if isinstance(value, torch.Tensor):
        return _("a tensor of shape {shape}", shape=tuple(value.shape))
    if isinstance(value, Opaque):
        return _described(value.type_name)
    if isinstance(value, str):
        return _("a text")
    if isinstance(value, (list, tuple)):
        kind = type(value).__name__
        return _("a {kind} of {count} items", kind=kind, count=len(value))
    if isinstance(value, dict):
        return _("a dict of {count} items", count=len(value))
    if isinstance(value, RemoteModule):
        return _("a module")
    if isinstance(value, RemoteFunction):
        return _("a function")
    if value is None:
        return "None"
    return f"{type(value).__name__} {value!r}"[:80] if isinstance(value, _TOLD) else _("an object")


def _described(type_name: str) -> str:
    """With its name only if the student did not make it up: one can be made of hidden inputs."""
    if hasattr(builtins, type_name) or type_name in _KNOWN_TYPES or _TENSOR.fullmatch(type_name):
        return _("an object of type {name}", name=type_name)
    if type_name.endswith(" (a Tensor subclass)"):
        return _("a Tensor subclass")
    return _("an object")


def told_as(what: str, value: Any) -> str:
    """What something is that should be something else."""
    return _("{what} is {value}", what=what, value=describe(value))


def shapes_told(what: str, observed: Sequence[int], expected: Sequence[int]) -> tuple[str, str]:
    """Two shapes that differ, as observed and expected."""
    told = _("{what} has shape {shape}", what=what, shape=tuple(observed))
    return told, _("shape {shape}", shape=tuple(expected))


def dtypes_told(what: str, observed: torch.dtype, expected: torch.dtype) -> tuple[str, str]:
    """Two dtypes that differ, as observed and expected."""
    names = [str(dtype).removeprefix("torch.") for dtype in (observed, expected)]
    return _("{what} has dtype {dtype}", what=what, dtype=names[0]), _(
        "dtype {dtype}", dtype=names[1]
    )


def difference(
    observed: Any, expected: Any, *, atol: float, rtol: float, what: str = ""
) -> Difference | None:
    """The first difference between two trees of tensors, or None if they agree.

    Values agree within `atol + rtol * max(1, largest expected magnitude)`; NaN and infinity
    agree only with themselves, at the same place.
    """
    what = what or _("output")
    if isinstance(expected, torch.Tensor):
        return _tensors(observed, expected, atol, rtol, what)
    if isinstance(expected, (list, tuple)):
        if not isinstance(observed, (list, tuple)) or len(observed) != len(expected):
            wanted = f"{what}: {describe(expected)}"
            return Difference("type", told_as(what, observed), wanted)
        for number, (left, right) in enumerate(zip(observed, expected, strict=True)):
            found = difference(left, right, atol=atol, rtol=rtol, what=f"{what}[{number}]")
            if found is not None:
                return found
        return None
    if type(observed) is not type(expected) or observed != expected:
        return Difference("type", told_as(what, observed), describe(expected))
    return None


def _tensors(
    observed: Any, expected: torch.Tensor, atol: float, rtol: float, what: str
) -> Difference | None:
    if not isinstance(observed, torch.Tensor):
        return Difference("type", told_as(what, observed), describe(expected))
    if observed.shape != expected.shape:
        return Difference("shape", *shapes_told(what, observed.shape, expected.shape))
    if observed.dtype != expected.dtype:
        return Difference("dtype", *dtypes_told(what, observed.dtype, expected.dtype))
    if observed.device.type != expected.device.type:
        told = _("{what} is on device {device}", what=what, device=observed.device.type)
        return Difference("device", told, _("device {device}", device=expected.device.type))
    if not expected.is_floating_point():
        return _exact(observed, expected, what)
    return _values(observed.detach().double(), expected.detach().double(), atol, rtol, what)


def _exact(observed: torch.Tensor, expected: torch.Tensor, what: str) -> Difference | None:
    wrong = (observed != expected).nonzero()
    if not len(wrong):
        return None
    place = wrong[0].tolist()
    return Difference(
        "value",
        _(
            "{what} differs at {place}, and at {count} places in all",
            what=what,
            place=place,
            count=len(wrong),
        ),
        _("the reference's values"),
    )


def _values(
    observed: torch.Tensor, expected: torch.Tensor, atol: float, rtol: float, what: str
) -> Difference | None:
    if not expected.numel() or _clearly_close(observed, expected, atol, rtol):
        return None
    strange = _nonfinite(observed, expected, what)
    if strange is not None:
        return strange
    # Infinities and NaN that are alike at the same place would give NaN below.
    alike = (observed == expected) | (observed.isnan() & expected.isnan())
    gap = torch.where(alike, 0.0, (observed - expected).abs())
    finite = expected[expected.isfinite()]
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    tolerance = atol + rtol * scale
    worst = float(gap.max())
    if worst <= tolerance:
        return None
    first = (gap > tolerance).nonzero()[0].tolist()
    return Difference(
        "value",
        _(
            "{what} differs by up to {worst}, first at {place}",
            what=what,
            worst=f"{worst:.2g}",
            place=first,
        ),
        _("the reference's values within {tolerance}", tolerance=f"{tolerance:.1g}"),
        worst / scale,
    )


def _clearly_close(
    observed: torch.Tensor, expected: torch.Tensor, atol: float, rtol: float
) -> bool:
    """Whether all is finite and within tolerance: the usual case, for a quarter of the price.

    A gap is finite only where both values are.
    """
    worst = float((observed - expected).abs().max())
    scale = max(1.0, float(expected.abs().max()))
    return math.isfinite(worst) and worst <= atol + rtol * scale


def _nonfinite(observed: torch.Tensor, expected: torch.Tensor, what: str) -> Difference | None:
    """NaN or infinity that the expected values do not have at the same place."""
    for name, test in ((_("NaN"), torch.isnan), (_("infinity"), torch.isinf)):
        wrong = test(observed) & ~test(expected)
        if bool(wrong.any()):
            place = wrong.nonzero()[0].tolist()
            count = int(wrong.sum())
            text = _("{what} is {value} at {place}", what=what, value=name, place=place)
            if count > 1:
                text = _("{these} and {count} more", these=text, count=count - 1)
            return Difference("nonfinite", text, _("finite values"))
    missing = (expected.isnan() != observed.isnan()) | (expected.isinf() & (observed != expected))
    if bool(missing.any()):
        place = missing.nonzero()[0].tolist()
        text = _("{what} is finite at {place}", what=what, place=place)
        return Difference("nonfinite", text, _("no finite value there"))
    return None


def largest(values: list[torch.Tensor | None]) -> float:
    """The largest finite magnitude among `values`, 0 if there is none."""
    magnitudes = [float(v.detach().abs().max()) for v in values if v is not None and v.numel()]
    return max((m for m in magnitudes if math.isfinite(m)), default=0.0)
