"""Keep the values that one check compared, and decide whether two runs compared equal values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import zip_longest
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from ...grade.evidence import Outcome
from ..compare.compare import ValueSummary, are_equal, difference, summary
from ..compare.leaks import Leaks
from ..compare.precision import TOLERANCES
from .leaf_print import LeafPrint, alike, print_of

MAX_KEPT = 1 << 16
"""The most numbers of one tensor that are kept."""
MAX_WHOLE = 32
"""The most numbers of one tensor that `in_short` keeps: a print takes as much room."""
NOT_REFUSED = "not refused: "
"""How what is compared begins where arguments were to be refused and were not, or otherwise."""
SEVERAL = 4
"""So many rounded numbers in one tensor are no chance, even where a check has no second draw; of
tokens and truths it takes twice as many."""
OF_NAMES = ("AttributeError", "NameError", "NotImplementedError", "TypeError")
"""Exceptions about a name that is not there, or a function that is called by other arguments."""
PLAIN = (bool, int, float, str, type(None), torch.dtype, ValueSummary)


@dataclass(frozen=True)
class Draw:
    """Deviations from the random draws with which a submission is graded."""

    inputs: str = ""
    """If not empty, other inputs of the same kind are drawn."""
    reseeded: bool = False
    """True to seed torch's global generator, which dropout and the like use, differently."""


@dataclass(frozen=True)
class FailedComparison:
    """The two values of a failed comparison. They hold hidden inputs: never to be shown."""

    observed: Any
    expected: Any
    """A meta tensor if only the shape was asked for; None if there is no right answer."""
    given: tuple[Any, Any] | None = None
    """The arguments of the student's last call."""
    function: str = ""
    """The name of the student's function, if it was compared with the reference's."""


@dataclass(frozen=True)
class CheckTrace:
    """The outcome of one run of a check, and the values that the check compared."""

    outcome: Outcome
    compared: Sequence[Any] = ()
    """The student's values in comparisons, in order."""
    error_text: str = ""
    """The messages of what was raised. Compared, and never shown."""
    drawn: Sequence[Any] = ()
    """The layouts of modules whose numbers hang on them: drawn, loaded or read by own names.

    Of a module that has no room for the reference's layers, those that are missing."""
    drew: bool = False
    """True if the check's inputs were drawn: on another draw it is another probe."""
    refused: bool = False
    """True if a `raise` of the student's own code ended the check with a ValueError."""
    failure: FailedComparison | None = None
    leaks: Leaks | None = None
    """The dependence of outputs on inputs, if it is not as it should be."""
    mixes_samples: bool = False
    reason: tuple[str, str] | None = None
    """The reason that the check itself proved: its id, and a sentence of the course's."""


class Match(Enum):
    """The result of comparing two runs of a check."""

    SAME = "same"
    OTHER = "other"
    UNDECIDED = "undecided"
    """The numbers cannot be compared: each run drew its own."""


def match(student: CheckTrace, made: CheckTrace, room: float = 0.0) -> Match:
    """Compare two runs of a check, as exactly as right answers have to agree.

    `room`: a larger difference that is allowed, absolute and relative.
    """
    if student.outcome is not made.outcome:
        return Match.OTHER
    if not shows_something(student) and not shows_something(made):
        return Match.UNDECIDED if has_other_layout(student, made) else Match.SAME
    if same(student.compared, made.compared, room):
        return Match.SAME if student.error_text == made.error_text else Match.UNDECIDED
    return Match.UNDECIDED if has_other_layout(student, made) else Match.OTHER


def is_same_where_finite(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether two runs that both gave NaN or infinities agree wherever neither did.

    How far those spread hangs on the way in which the rest is written. Something has to be left
    that is finite in both.
    """
    if len(student.compared) != len(made.compared):
        return False
    pairs = list(zip(student.compared, made.compared, strict=True))
    return all(_agrees_where_finite(one, other) for one, other in pairs) and not same(
        student.compared, made.compared
    )


def _agrees_where_finite(one: Any, other: Any) -> bool:
    # Both: anything that was kept, tensors of any shape among it.
    if same([one], [other]):
        return True
    leaves, others = tree_leaves(_plain(one)), tree_leaves(_plain(other))
    return len(leaves) == len(others) and all(
        same([left], [right]) or _tensors_agree_where_finite(left, right)
        for left, right in zip(leaves, others, strict=True)
    )


def _tensors_agree_where_finite(left: Any, right: Any) -> bool:
    # Both: tensors of any shape, or something else.
    if not (isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)):
        return False
    if left.shape != right.shape or left.is_meta or right.is_meta:
        return False
    if left.dtype != right.dtype or not left.is_floating_point():
        return False
    finite = left.isfinite() & right.isfinite()
    both_show_some = not bool(left.isfinite().all()) and not bool(right.isfinite().all())
    return both_show_some and bool(finite.any()) and same([left[finite]], [right[finite]])


def is_other_in_kind_alone(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether two runs compared the same numbers, here plain and there in a tensor."""
    return same(_as_numbers(student.compared), _as_numbers(made.compared))


def _as_numbers(values: Sequence[Any]) -> list[Any]:
    """Return values with a plain number in place of each tensor without axes."""
    return [float(value) if _is_number(value) else value for value in values]


def _is_number(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.dim() == 0 and not value.is_meta and not value.is_complex()
    return isinstance(value, (bool, int, float))


def is_same_but_for_ones(student: CheckTrace, made: CheckTrace, room: float) -> bool:
    """Tell whether two runs compared the same numbers, where axes of length 1 do not count.

    Whoever forgets an axis in a mistake of another kind has made the same mistake.
    """
    return same(_without_ones(student.compared), _without_ones(made.compared), room)


def _without_ones(values: Sequence[Any]) -> Any:
    """Return values with the tensors, or their prints, of any shape without axes of length 1."""

    def squeezed(leaf: Any) -> Any:
        if str(getattr(leaf, "dtype", "")).endswith("bool"):
            return leaf  # of a mask, they say whom it is for
        if isinstance(leaf, LeafPrint):
            return replace(leaf, shape=tuple(n for n in leaf.shape if n != 1))
        return leaf.squeeze() if isinstance(leaf, torch.Tensor) else leaf

    return tree_map(squeezed, list(values))


def has_other_layout(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether the numbers of two runs hang on names and shapes that differ."""
    return list(student.drawn) != list(made.drawn)


def tells_apart(made: CheckTrace, right: CheckTrace) -> bool:
    """Tell whether a check that ran on a mistake ends differently from one on the reference."""
    return match(made, right) is Match.OTHER


def is_same_run(made: CheckTrace, right: CheckTrace) -> bool:
    """Tell whether a run on a mistake shows nothing that the one on the reference does not."""
    return (
        made.drew == right.drew
        and match(made, right) is Match.SAME
        and not has_other_layout(made, right)
    )


def has_other_numbers(made: CheckTrace, right: CheckTrace) -> bool:
    """Tell whether a run compared other numbers than the right one, such as no chance gives.

    Of one that broke off, all that it saw counts: it is not known what the rest would have been.
    """
    if len(made.compared) != len(right.compared):
        return any(_is_distinctive(leaf) for leaf in tree_leaves(list(made.compared)))
    pairs = zip(made.compared, right.compared, strict=True)
    others = [left for left, other in pairs if not same([left], [other])]
    return any(_is_distinctive(leaf) for leaf in tree_leaves(others))


def has_wrong_numbers(made: CheckTrace, right: CheckTrace) -> bool:
    """Tell whether a run compared a wrong number at some place, and not only further ones.

    What is paid for hangs on this: right numbers before an exception prove nothing.
    """
    # One that stopped at a comparison is shorter; of a right one some comparisons keep nothing.
    pairs = zip_longest(made.compared, right.compared)
    return any(_is_distinctive(leaf) for left, other in pairs for leaf in _others(left, other))


def _others(left: Any, right: Any) -> list[Any]:
    """Return what is in the leaves of `left` and not the same at its place in `right`."""
    pairs = zip_longest(tree_leaves(left), tree_leaves(right))
    return [_other_values(one, other) for one, other in pairs if not same([one], [other])]


def _other_values(one: Any, other: Any) -> Any:
    """Return those numbers of a tensor that are others than the right one's; else all of `one`.

    Where rows are NaN, the right numbers beside them are no evidence of one mistake or another.
    """
    if not (isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)):
        return one
    if one.shape != other.shape or one.is_meta or other.is_meta or not one.is_floating_point():
        return one
    left, right = one.detach().double(), other.detach().double()  # of any shape, the same
    return left[(left - right).abs() > _tolerance([one, other])]


def has_numbers(trace: CheckTrace) -> bool:
    """Tell whether the check compared any numbers that nobody arrives at by chance."""
    return any(_is_distinctive(leaf) for leaf in tree_leaves(list(trace.compared)))


def has_fractions(trace: CheckTrace) -> bool:
    """Tell whether the check compared numbers that are rounded: no tokens, counts or truths."""
    return any(_is_distinctive(leaf) and _is_rounded(leaf) for leaf in tree_leaves(trace.compared))


def _is_rounded(leaf: Any) -> bool:
    # leaf: a tensor of any shape, or its print, which holds the dtype's name.
    return "float" in str(leaf.dtype)


def numbers_in(trace: CheckTrace) -> int:
    """Return how many numbers of tensors a run has compared."""
    leaves = tree_leaves(list(trace.compared))
    return sum(leaf.numel() for leaf in leaves if isinstance(leaf, torch.Tensor))


def shows_something(trace: CheckTrace) -> bool:
    """Tell whether a failing check got as far as a value or an exception of the student's.

    One that could not begin, since its module has no room for the numbers, shows nothing.
    """
    return bool(trace.compared) or bool(trace.error_text)


def is_proof_alone(trace: CheckTrace) -> bool:
    """Tell whether one run says enough, of a check whose inputs are the same in every draw.

    Several numbers agree by no chance, and whoever does not refuse what a mistake does not refuse
    either has made that mistake.
    """
    leaves = tree_leaves(trace.compared)
    last = leaves[-1] if leaves else None
    if isinstance(last, str) and last.startswith(NOT_REFUSED):
        return True
    return any(
        _is_distinctive(leaf)
        and math.prod(leaf.shape) >= (SEVERAL if _is_rounded(leaf) else 2 * SEVERAL)
        for leaf in leaves
    )


def ended_alike(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether two runs ended in exceptions of one kind at one place, in whatever words."""
    both = bool(student.error_text) and bool(made.error_text)
    return both and same(student.compared, made.compared)


def raised_a_name(trace: CheckTrace) -> bool:
    """Tell whether the student's code ended in an exception whose words give a name in it."""
    return bool(trace.error_text) and list(trace.compared[-1:]) in [[kind] for kind in OF_NAMES]


def raised_alike(student: CheckTrace, made: CheckTrace) -> bool:
    """Tell whether two runs ended in the same exception, word by word, whatever came before it."""
    return raised_a_name(student) and (student.compared[-1], student.error_text) == (
        made.compared[-1] if raised_a_name(made) else None,
        made.error_text,
    )


def _is_distinctive(leaf: Any) -> bool:
    if isinstance(leaf, LeafPrint):
        return leaf.distinctive
    if not isinstance(leaf, torch.Tensor) or leaf.is_meta or not leaf.numel():
        return False
    if not leaf.is_floating_point():
        return bool((leaf != leaf.flatten()[0]).any())
    values = leaf.detach().double()
    values = values[values.isfinite()]
    return bool((values != values.round()).any())


def same(student: Sequence[Any], mistaken: Sequence[Any], room: float = 0.0) -> bool:
    """Tell whether two runs compared the same values (tensors of any shape).

    They have to agree as exactly as right answers have to, or within `room` if that is larger.
    """
    if len(student) != len(mistaken):
        return False
    if _holds_prints(student) or _holds_prints(mistaken):
        return alike(student, mistaken, room)
    for left, right in zip(student, mistaken, strict=True):
        if are_equal(left, right):
            continue
        observed, expected = _plain(left), _plain(right)
        tolerance = max(room, _tolerance((observed, expected)))
        if difference(observed, expected, atol=tolerance, rtol=tolerance) is not None:
            return False
    return True


def _holds_prints(values: Sequence[Any]) -> bool:
    """Tell whether there are prints in place of tensors; most values are tensors, and no trees."""
    trees = [value for value in values if not isinstance(value, (torch.Tensor, str, float))]
    return any(isinstance(leaf, LeafPrint) for leaf in tree_leaves(trees))


def printed(value: Any) -> Any:
    """Return a kept value with a print in place of each tensor, whatever its shape."""
    if isinstance(value, torch.Tensor):
        return print_of(value, distinctive=_is_distinctive(value))
    if isinstance(value, (list, tuple)):
        return [printed(item) for item in value]
    return value


def in_short(trace: CheckTrace) -> CheckTrace:
    """Return a run with prints in place of its larger tensors: enough to compare it by.

    Numbers of half precision stay: right ones differ by more than prints allow.
    """
    return replace(trace, compared=tree_map(_in_short, list(trace.compared)))


def _in_short(leaf: Any) -> Any:
    # leaf: a tensor of any shape, or something else.
    is_large = isinstance(leaf, torch.Tensor) and not leaf.is_meta and leaf.numel() > MAX_WHOLE
    return printed(leaf) if is_large and leaf.dtype not in (torch.float16, torch.bfloat16) else leaf


def is_large(value: Any) -> bool:
    """Tell whether a tensor is larger than a suite asks for: a student can send one of any size."""
    return isinstance(value, torch.Tensor) and value.numel() > MAX_KEPT


def frozen(value: Any) -> Any:
    """Convert a value (tensors of any shape) for keeping: without graphs, handles and objects."""
    if isinstance(value, torch.Tensor):
        if value.device.type == "cpu" and not is_large(value):
            return value.detach()
        return f"{tuple(value.shape)} of {value.dtype} on {value.device.type}"
    if isinstance(value, Mapping):
        return [[frozen(key), frozen(item)] for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [frozen(item) for item in value]
    return value if isinstance(value, PLAIN) else summary(value)


def _plain(value: Any) -> Any:
    """Turn a mapping, such as gradients by name, into a list of pairs to be compared."""
    return list(value.items()) if isinstance(value, Mapping) else value


def _tolerance(trees: Sequence[Any]) -> float:
    leaves = trees if all(isinstance(tree, torch.Tensor) for tree in trees) else tree_leaves(trees)
    dtypes = [leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return max((TOLERANCES[dtype] for dtype in dtypes if dtype in TOLERANCES), default=0.0)
