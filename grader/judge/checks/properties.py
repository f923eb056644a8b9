"""Require properties of values that the check itself holds: numbers, shape, dtype, conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_map

from ...text.language import _, course_text
from ..calls.faults import CheckFailed
from ..compare.compare import (
    Difference,
    WrongDtype,
    WrongShape,
    difference,
    first_place,
    summary,
)
from ..compare.precision import to_double, tolerance_of
from ..wording.differences import in_words, is_instead
from .comparisons import Comparisons
from .gradients import require_floats

Why = Callable[[], tuple[str, str] | None]
"""Looks for the reason of a failure: its id and a sentence, or None if nothing proves one."""


class Properties:
    """The requirements on values at hand; nothing is called for them."""

    def __init__(self, record: Comparisons) -> None:
        self._record = record

    def close(
        self,
        observed: Any,
        expected: Any,
        what: str = "",
        atol: float | None = None,
        why: Why | None = None,
    ) -> None:
        """Require that the numbers of two trees of tensors agree, to the coarser dtype's tolerance.

        `atol` replaces that tolerance. `why` is asked only if they do not agree.
        """
        self._record.count += 1
        self._record.compared.append(observed)
        tolerance = tolerance_of((observed, expected)) if atol is None else atol
        wide = [tree_map(to_double, tree) for tree in (observed, expected)]
        result = difference(*wide, atol=tolerance, rtol=tolerance)
        if result is not None:
            self._record.details.keep(*wide)
            self._explain(why)
            raise CheckFailed(*in_words(result, _named(what)))

    def shape(self, tensor: Any, shape: Sequence[int], what: str = "") -> None:
        """Require a tensor of that shape."""
        self._record.count += 1
        self._record.compared.append(tensor)
        self._tensor(tensor, what, _("a tensor of shape {shape}", shape=tuple(shape)))
        if tuple(tensor.shape) != tuple(shape):
            self._record.details.keep(tensor, torch.empty(tuple(shape), device="meta"))
            wrong = Difference(WrongShape(tuple(tensor.shape), tuple(shape)))
            raise CheckFailed(*in_words(wrong, _named(what)))

    def floats(self, tensor: Any, shape: Sequence[int], what: str = "") -> None:
        """Require numbers that the check can compute with.

        That is a floating-point tensor of that shape, not on the meta device.
        """
        self.shape(tensor, shape, what)
        require_floats(tensor, _named(what))

    def dtype(self, tensor: Any, dtype: torch.dtype, what: str = "") -> None:
        """Require a tensor of that dtype, of any shape."""
        self._record.count += 1
        self._record.compared.append(tensor)
        self._tensor(tensor, what, _("a tensor of {dtype}", dtype=dtype))
        if tensor.dtype != dtype:
            wrong = Difference(WrongDtype(tensor.dtype, dtype))
            self._record.details.see_other_dtype()
            raise CheckFailed(*in_words(wrong, _named(what)))

    def finite(self, tensor: Any, what: str = "", why: Why | None = None) -> None:
        """Require a tensor of any shape without NaN and infinity; `why` is asked if it has some."""
        self._record.count += 1
        self._record.compared.append(tensor)
        self._tensor(tensor, what, _("a tensor"))
        what = _named(what)
        if tensor.is_meta:
            raise CheckFailed(_("{what} is on the meta device", what=what), _("values"))
        place = first_place(~tensor.isfinite())
        if place is not None:
            self._record.details.keep(tensor, None)
            self._explain(why)
            name = _("NaN") if bool(tensor[tuple(place)].isnan()) else _("infinity")
            message = _("{what} is {value} at {place}", what=what, value=name, place=place)
            raise CheckFailed(message, _("finite values"))

    def true(self, condition: Any, observed: str, expected: str, why: Why | None = None) -> None:
        """Require a condition; `observed` and `expected` say what is wrong if it does not hold."""
        self._record.count += 1
        if not bool(condition):
            self._record.compared.append(observed)
            self._explain(why)
            raise CheckFailed(course_text(observed), course_text(expected))

    def items(self, value: Any, count: int, what: str = "") -> tuple[Any, ...]:
        """Require a tuple or list of `count` items; return it as a tuple."""
        self._record.count += 1
        if not isinstance(value, (tuple, list)) or len(value) != count:
            self._record.compared.append(summary(value))
            wanted = _("a tuple of {count} items", count=count)
            raise CheckFailed(is_instead(course_text(what) or _("result"), value), wanted)
        return tuple(value)

    def _explain(self, why: Why | None) -> None:
        with self._record.aside():
            self._record.details.explain(why)

    def _tensor(self, value: Any, what: str, wanted: str) -> None:
        if not isinstance(value, torch.Tensor):
            raise CheckFailed(is_instead(_named(what), value), wanted)


def _named(what: str) -> str:
    """Return the name for a compared value; "output" by default."""
    return course_text(what) or _("output")
