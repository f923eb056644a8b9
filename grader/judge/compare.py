"""Whether two values agree, and if not, where and by how much."""

from __future__ import annotations

import builtins
import math
import re
from dataclasses import dataclass
from typing import Any

import torch

from ..wire.values import Opaque

_KNOWN_TYPES = ("generator", "module", "ndarray", "Generator", "SimpleNamespace")
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
    """A value in a few words: its type and shape, not its numbers."""
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, Opaque):
        return _described(value.type_name)
    if isinstance(value, str):
        return "a text"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)} items"
    if value is None:
        return "None"
    return f"{type(value).__name__} {value!r}"[:80]


def _described(type_name: str) -> str:
    """With its name only if the student did not make it up: one can be made of hidden inputs."""
    if hasattr(builtins, type_name) or type_name in _KNOWN_TYPES or _TENSOR.fullmatch(type_name):
        return f"an object of type {type_name}"
    return "a Tensor subclass" if type_name.endswith(" (a Tensor subclass)") else "an object"


def difference(
    observed: Any, expected: Any, *, atol: float, rtol: float, what: str = "output"
) -> Difference | None:
    """The first difference between two trees of tensors, or None if they agree.

    Values agree within `atol + rtol * max(1, largest expected magnitude)`; NaN and infinity
    agree only with themselves, at the same place.
    """
    if isinstance(expected, torch.Tensor):
        return _tensors(observed, expected, atol, rtol, what)
    if isinstance(expected, (list, tuple)):
        if not isinstance(observed, (list, tuple)) or len(observed) != len(expected):
            wanted = f"{what}: {describe(expected)}"
            return Difference("type", f"{what} is {describe(observed)}", wanted)
        for number, (left, right) in enumerate(zip(observed, expected, strict=True)):
            found = difference(left, right, atol=atol, rtol=rtol, what=f"{what}[{number}]")
            if found is not None:
                return found
        return None
    if type(observed) is not type(expected) or observed != expected:
        return Difference("type", f"{what} is {describe(observed)}", describe(expected))
    return None


def _tensors(
    observed: Any, expected: torch.Tensor, atol: float, rtol: float, what: str
) -> Difference | None:
    if not isinstance(observed, torch.Tensor):
        wanted = f"a tensor of shape {tuple(expected.shape)}"
        return Difference("type", f"{what} is {describe(observed)}", wanted)
    if observed.shape != expected.shape:
        shape = f"{what} has shape {tuple(observed.shape)}"
        return Difference("shape", shape, f"shape {tuple(expected.shape)}")
    if observed.dtype != expected.dtype:
        names = [str(t.dtype).removeprefix("torch.") for t in (observed, expected)]
        return Difference("dtype", f"{what} has dtype {names[0]}", f"dtype {names[1]}")
    if observed.device.type != expected.device.type:
        devices = [f"device {t.device.type}" for t in (observed, expected)]
        return Difference("device", f"{what} is on {devices[0]}", devices[1])
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
        f"{what} differs at {place}, and at {len(wrong)} places in all",
        "the reference's values",
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
        f"{what} differs by up to {worst:.2g}, first at {first}",
        f"the reference's values within {tolerance:.1g}",
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
    for name, test in (("NaN", torch.isnan), ("infinity", torch.isinf)):
        wrong = test(observed) & ~test(expected)
        if bool(wrong.any()):
            place = wrong.nonzero()[0].tolist()
            count = int(wrong.sum())
            text = f"{what} is {name} at {place}" + (f" and {count - 1} more" if count > 1 else "")
            return Difference("nonfinite", text, "finite values")
    missing = (expected.isnan() != observed.isnan()) | (expected.isinf() & (observed != expected))
    if bool(missing.any()):
        place = missing.nonzero()[0].tolist()
        return Difference("nonfinite", f"{what} is finite at {place}", "no finite value there")
    return None


def largest(values: list[torch.Tensor | None]) -> float:
    """The largest finite magnitude among `values`, 0 if there is none."""
    magnitudes = [float(v.detach().abs().max()) for v in values if v is not None and v.numel()]
    return max((m for m in magnitudes if math.isfinite(m)), default=0.0)
