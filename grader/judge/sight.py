"""What a check saw of somebody's code, and whether two runs of it saw the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..evidence import Outcome
from .compare import describe, difference
from .leaks import Leaks
from .precision import TOLERANCES

MAX_KEPT = 1 << 16
"""Numbers of one tensor."""
PLAIN = (bool, int, float, str, type(None), torch.dtype)


@dataclass(frozen=True)
class Draw:
    """What is drawn otherwise than when a submission is graded."""

    inputs: str = ""
    """Not empty: other inputs of the same kind."""
    stirred: bool = False
    """Whether the global generator, by which dropout and the like draw, has another seed."""


@dataclass(frozen=True)
class Pair:
    """What a comparison was given when it failed: hidden inputs, never to be shown."""

    observed: Any
    expected: Any
    """A meta tensor where only the shape was asked for; None where there is no right answer."""
    given: tuple[Any, Any] | None = None
    """Arguments of the student's last call."""
    function: str = ""
    """The student's function, where it was compared with the reference's."""


@dataclass(frozen=True)
class Sight:
    """What came of a check, and what it saw of the code."""

    outcome: Outcome
    seen: Sequence[Any] = ()
    """What comparisons were given, in order."""
    said: str = ""
    """The words of what was raised. Compared, and never shown."""
    drawn: Sequence[Any] = ()
    """The parameters of modules whose weights were drawn by their own names and shapes."""
    drew: bool = False
    """Whether the check's inputs were drawn: on another draw it is another probe."""
    pair: Pair | None = None
    leaks: Leaks | None = None
    """Which outputs depend on which inputs, if that is not as it should be."""
    mixes_samples: bool = False


class Match(Enum):
    """What a check says of two answers to it."""

    SAME = "same"
    OTHER = "other"
    UNTOLD = "untold"
    """The numbers cannot be compared: each run drew its own."""


def match(student: Sight, made: Sight) -> Match:
    """Whether both gave the check the same, as exactly as right answers have to agree."""
    if student.outcome is not made.outcome:
        return Match.OTHER
    if same(student.seen, made.seen):
        return Match.SAME if student.said == made.said else Match.UNTOLD
    return Match.OTHER if list(student.drawn) == list(made.drawn) else Match.UNTOLD


def telling(made: Sight, right: Sight) -> bool:
    """Whether a check sees anything else of a mistake than of the right answer."""
    return match(made, right) is Match.OTHER


def numbers(made: Sight, right: Sight) -> bool:
    """Whether it sees other numbers: such that nobody arrives at by chance."""
    if len(made.seen) != len(right.seen):
        return any(_odd(leaf) for leaf in tree_leaves(list(made.seen)))
    pairs = zip(made.seen, right.seen, strict=True)
    others = [left for left, other in pairs if not same([left], [other])]
    return any(_odd(leaf) for leaf in tree_leaves(others))


def has_numbers(sight: Sight) -> bool:
    """Whether it saw any numbers that nobody arrives at by chance."""
    return any(_odd(leaf) for leaf in tree_leaves(list(sight.seen)))


def _odd(leaf: Any) -> bool:
    if not isinstance(leaf, torch.Tensor) or leaf.is_meta or not leaf.numel():
        return False
    if not leaf.is_floating_point():
        return bool((leaf != leaf.flatten()[0]).any())
    values = leaf.detach().double()
    values = values[values.isfinite()]
    return bool((values != values.round()).any())


def same(student: Sequence[Any], mistaken: Sequence[Any]) -> bool:
    """Whether two runs of a check saw the same: as exactly as right answers have to agree."""
    if len(student) != len(mistaken):
        return False
    for left, right in zip(student, mistaken, strict=True):
        found, expected = _plain(left), _plain(right)
        tolerance = _tolerance((found, expected))
        if difference(found, expected, atol=tolerance, rtol=tolerance) is not None:
            return False
    return True


def is_large(value: Any) -> bool:
    """Whether it is more than a suite asks for: what a student sends is not kept at any size."""
    return isinstance(value, torch.Tensor) and value.numel() > MAX_KEPT


def frozen(value: Any) -> Any:
    """A value as something to be kept and compared: without graphs, handles and objects."""
    if isinstance(value, torch.Tensor):
        if value.device.type == "cpu" and not is_large(value):
            return value.detach()
        return f"{describe(value)} of {value.dtype} on {value.device.type}"
    if isinstance(value, Mapping):
        return [[frozen(key), frozen(item)] for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [frozen(item) for item in value]
    return value if isinstance(value, PLAIN) else describe(value)


def _plain(value: Any) -> Any:
    """Gradients come by name; trees are compared as lists."""
    return list(value.items()) if isinstance(value, Mapping) else value


def _tolerance(trees: Any) -> float:
    dtypes = [leaf.dtype for leaf in tree_leaves(trees) if isinstance(leaf, torch.Tensor)]
    return max((TOLERANCES[dtype] for dtype in dtypes if dtype in TOLERANCES), default=0.0)
