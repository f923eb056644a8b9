"""Compare two values: tell whether they agree, and if not, in which way and where.

A difference is data, and so is the summary of a value: `grader.judge.wording` puts both into words.
"""

from __future__ import annotations

import builtins
import math
import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import torch

from ...wire.values import Opaque
from ..calls.handles import RemoteFunction, RemoteModule

_KNOWN_TYPES = ("generator", "module", "ndarray", "Generator", "SimpleNamespace")
_PLAIN_TYPES = (bool, int, float, complex, torch.dtype, torch.device)
_TENSOR = re.compile(r"(Tensor|Parameter) \(\w{1,16}, \w{1,16}, \w{1,8}\)")
MAX_REPR = 80


class ValueKind(Enum):
    """The kinds of values that a message tells apart."""

    TENSOR = "tensor"
    TENSOR_SUBCLASS = "tensor subclass"
    SEQUENCE = "sequence"
    MAPPING = "mapping"
    MODULE = "module"
    FUNCTION = "function"
    TEXT = "text"
    PLAIN = "plain"
    """A number and the like, which is its own description."""
    NAMED_OBJECT = "named object"
    OBJECT = "object"


@dataclass(frozen=True)
class ValueSummary:
    """A value in a few facts. It holds no text or name that a student's code chose when it ran."""

    kind: ValueKind
    name: str = ""
    """The type of a sequence or an object; of a plain value its type and itself."""
    shape: tuple[int, ...] = ()
    """The shape of a tensor, and the length of a sequence or mapping."""


def summary(value: Any) -> ValueSummary:
    """Summarise a value: its type, its shape if it is a tensor of any shape, a number itself.

    Never tell a text or a name that a student's code chose when it ran: it can be made of hidden
    inputs.
    """
    if isinstance(value, torch.Tensor):
        return ValueSummary(ValueKind.TENSOR, shape=tuple(value.shape))
    if isinstance(value, Opaque):
        return _object(value.type_name)
    if isinstance(value, str):
        return ValueSummary(ValueKind.TEXT)
    if isinstance(value, (list, tuple)):
        return ValueSummary(ValueKind.SEQUENCE, type(value).__name__, (len(value),))
    if isinstance(value, dict):
        return ValueSummary(ValueKind.MAPPING, shape=(len(value),))
    if isinstance(value, RemoteModule):
        return ValueSummary(ValueKind.MODULE)
    if isinstance(value, RemoteFunction):
        return ValueSummary(ValueKind.FUNCTION)
    if value is None:
        return ValueSummary(ValueKind.PLAIN, "None")
    if isinstance(value, _PLAIN_TYPES):
        return ValueSummary(ValueKind.PLAIN, f"{type(value).__name__} {value!r}"[:MAX_REPR])
    return ValueSummary(ValueKind.OBJECT)


def _object(type_name: str) -> ValueSummary:
    """Summarise an object of that type; name the type only if the student did not make it up.

    A made-up name can be made of hidden inputs.
    """
    if hasattr(builtins, type_name) or type_name in _KNOWN_TYPES or _TENSOR.fullmatch(type_name):
        return ValueSummary(ValueKind.NAMED_OBJECT, type_name)
    if type_name.endswith(" (a Tensor subclass)"):
        return ValueSummary(ValueKind.TENSOR_SUBCLASS)
    return ValueSummary(ValueKind.OBJECT)


@dataclass(frozen=True)
class WrongType:
    """A value of another type, or a sequence of another length."""

    observed: ValueSummary
    expected: ValueSummary


@dataclass(frozen=True)
class WrongShape:
    """A tensor of another shape."""

    observed: tuple[int, ...]
    expected: tuple[int, ...]


@dataclass(frozen=True)
class WrongDtype:
    """A tensor of another dtype."""

    observed: torch.dtype
    expected: torch.dtype


@dataclass(frozen=True)
class WrongDevice:
    """A tensor on another device."""

    observed: str
    expected: str


class NonFinite(Enum):
    """A number that is not finite, or is finite where it must not be."""

    NAN = "nan"
    INFINITY = "infinity"
    MISSING = "missing"
    """Finite, where NaN or infinity is right."""


@dataclass(frozen=True)
class WrongNonFinite:
    """Numbers that are not finite where they should be, or the reverse; `place` is the first."""

    value: NonFinite
    place: tuple[int, ...]
    count: int = 1


@dataclass(frozen=True)
class WrongNumbers:
    """Numbers beyond the tolerance; `place` is the index of the first, `worst` the largest gap."""

    place: tuple[int, ...]
    worst: float
    tolerance: float


@dataclass(frozen=True)
class WrongEntries:
    """Entries of a tensor of integers or booleans that differ; `place` is the first."""

    place: tuple[int, ...]
    count: int


@dataclass(frozen=True)
class NoGradient:
    """No gradient where there should be one."""


Reason = (
    WrongType
    | WrongShape
    | WrongDtype
    | WrongDevice
    | WrongNonFinite
    | WrongNumbers
    | WrongEntries
    | NoGradient
)


@dataclass(frozen=True)
class Difference:
    """One reason why two values do not agree. It never holds inputs."""

    reason: Reason
    at: tuple[int, ...] = ()
    """Indices into nested sequences, the outermost first."""
    size: float = math.inf
    """The largest distance of two values, per unit of the largest expected magnitude (or of 1)."""
    gradient_of: str | int | None = None
    """The argument or parameter whose gradient differs, by name, or by position if it has none."""

    @property
    def is_of_values(self) -> bool:
        """Tell whether type, shape and dtype agree, and only the numbers differ."""
        return isinstance(self.reason, (WrongNumbers, WrongEntries))


def difference(observed: Any, expected: Any, *, atol: float, rtol: float) -> Difference | None:
    """Return the first difference between two trees of tensors of any shape; None if they agree.

    Values agree within `atol + rtol * max(1, largest expected magnitude)`; NaN and infinity
    agree only with themselves, at the same place.
    """
    if isinstance(expected, torch.Tensor):
        return _tensors(observed, expected, atol, rtol)
    if isinstance(expected, (list, tuple)):
        if not isinstance(observed, (list, tuple)) or len(observed) != len(expected):
            return _wrong_type(observed, expected)
        for number, (left, right) in enumerate(zip(observed, expected, strict=True)):
            inner = difference(left, right, atol=atol, rtol=rtol)
            if inner is not None:
                return replace(inner, at=(number, *inner.at))
        return None
    if type(observed) is not type(expected) or observed != expected:
        return _wrong_type(observed, expected)
    return None


def are_equal(observed: Any, expected: Any) -> bool:
    """Tell whether two tensors of any shape are the same to the last bit, and not NaN.

    False for what is no tensor. The same code gives the same bits: the usual case, found cheaply.
    """
    return (
        type(observed) is torch.Tensor
        and type(expected) is torch.Tensor
        and observed.dtype == expected.dtype
        and observed.device.type == expected.device.type == "cpu"
        and torch.equal(observed, expected)
    )


def _wrong_type(observed: Any, expected: Any) -> Difference:
    return Difference(WrongType(summary(observed), summary(expected)))


def _tensors(observed: Any, expected: torch.Tensor, atol: float, rtol: float) -> Difference | None:
    # Both may have any shape.
    if are_equal(observed, expected):
        return None
    if not isinstance(observed, torch.Tensor):
        return _wrong_type(observed, expected)
    if observed.shape != expected.shape:
        return Difference(WrongShape(tuple(observed.shape), tuple(expected.shape)))
    if observed.dtype != expected.dtype:
        return Difference(WrongDtype(observed.dtype, expected.dtype))
    if observed.device.type != expected.device.type:
        return Difference(WrongDevice(observed.device.type, expected.device.type))
    if not expected.is_floating_point():
        return _exact(observed, expected)
    return _values(observed.detach().double(), expected.detach().double(), atol, rtol)


def _exact(observed: torch.Tensor, expected: torch.Tensor) -> Difference | None:
    # Both have one shape.
    wrong = (observed != expected).nonzero()
    return Difference(WrongEntries(_index(wrong[0]), len(wrong))) if len(wrong) else None


def _index(place: torch.Tensor) -> tuple[int, ...]:
    """Turn a row of `nonzero`, (axes,), into an index."""
    return tuple(place.tolist())


def _values(
    observed: torch.Tensor, expected: torch.Tensor, atol: float, rtol: float
) -> Difference | None:
    # Both have one shape.
    if not expected.numel() or _clearly_close(observed, expected, atol, rtol):
        return None
    nonfinite = _nonfinite(observed, expected)
    if nonfinite is not None:
        return Difference(nonfinite)
    # Infinities and NaN that are alike at the same place would give NaN below.
    alike = (observed == expected) | (observed.isnan() & expected.isnan())
    gap = torch.where(alike, 0.0, (observed - expected).abs())
    finite = expected[expected.isfinite()]
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    tolerance = atol + rtol * scale
    worst = float(gap.max())
    if worst <= tolerance:
        return None
    first = _index((gap > tolerance).nonzero()[0])
    return Difference(WrongNumbers(first, worst, tolerance), size=worst / scale)


def _clearly_close(
    observed: torch.Tensor, expected: torch.Tensor, atol: float, rtol: float
) -> bool:
    """Tell whether two tensors of one shape are finite and agree: the usual case, found cheaply.

    A gap is finite only where both values are.
    """
    worst = float((observed - expected).abs().max())
    scale = max(1.0, float(expected.abs().max()))
    return math.isfinite(worst) and worst <= atol + rtol * scale


def _nonfinite(observed: torch.Tensor, expected: torch.Tensor) -> WrongNonFinite | None:
    """Tell where NaN or infinity is not as in the expected values, of the same shape."""
    for value, test in ((NonFinite.NAN, torch.isnan), (NonFinite.INFINITY, torch.isinf)):
        wrong = test(observed) & ~test(expected)
        if bool(wrong.any()):
            return WrongNonFinite(value, _index(wrong.nonzero()[0]), int(wrong.sum()))
    missing = (expected.isnan() != observed.isnan()) | (expected.isinf() & (observed != expected))
    if bool(missing.any()):
        return WrongNonFinite(NonFinite.MISSING, _index(missing.nonzero()[0]))
    return None


def first_place(wrong: torch.Tensor) -> list[int] | None:
    """Return the first index where `wrong` (any shape, boolean) is true, or None if none is.

    Unlike `nonzero`, without a row of numbers for every place.

    >>> first_place(torch.tensor([[False, False], [True, True]]))
    [1, 0]
    """
    if not bool(wrong.any()):
        return None
    place, left = [], int(wrong.flatten().to(torch.uint8).argmax())
    for length in reversed(wrong.shape):
        place.append(left % length)
        left //= length
    return place[::-1]


def largest(values: list[torch.Tensor | None]) -> float:
    """Return the largest finite magnitude among `values` (any shapes), or 0 if there is none."""
    magnitudes = [float(v.detach().abs().max()) for v in values if v is not None and v.numel()]
    return max((m for m in magnitudes if math.isfinite(m)), default=0.0)
