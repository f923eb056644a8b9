"""Find keyword arguments that change nothing in a student's answer, and should."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .compare import difference

Function = Callable[..., Any]
CLOSE = 1e-6
"""A smaller change is none: chance and rounding make as much."""


def ignored_argument(
    student: Function, reference: Function, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str | None:
    """Return the first keyword without which the student's answer is the same, or None.

    Only those count that change the reference's answer. Outputs may be of any shape.
    """
    for name in kwargs:
        rest = {other: value for other, value in kwargs.items() if other != name}
        try:
            is_needed = _differ(reference(*args, **kwargs), reference(*args, **rest))
        except (TypeError, ValueError):
            continue  # it has no default
        if is_needed and not _differ(student(*args, **kwargs), student(*args, **rest)):
            return name
    return None


def _differ(one: Any, other: Any) -> bool:
    return difference(one, other, atol=CLOSE, rtol=CLOSE) is not None
