"""Match what a student's lines computed with what the reference computed, on two draws."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import torch

from ...grade.evidence import Where
from ...grade.right_lines import Likeness, RightKind, RightLines, RightValue
from ...worker.recording import RETURNED
from .alignment import Alignment, Comparable, align, comparable
from .draws import RecordedCall
from .received import NO_PART, OwnValue

MAX_PART = 80
EQUAL_FACTORS = 1e-3

PartText = Callable[[Where, int, int], str]


def right_lines(
    first: RecordedCall, second: RecordedCall, text: PartText = lambda where, start, end: ""
) -> RightLines | None:
    """Return the student's values that the reference computes too, on both draws; None if none.

    `text` gives a part of a line of the student's.
    """
    if [one.name for one in first.right] != [one.name for one in second.right]:
        return None  # what it computes hangs on its numbers
    right = list(_rights(first, second))
    again = {one.key: value for one, value in own_comparable(second)}
    compared: list[tuple[OwnValue, Alignment | None]] = []
    earlier: list[tuple[OwnValue, Comparable]] = []
    for one, value in own_comparable(first):
        other = again.get(one.key)
        if _is_again(one, value, earlier):
            continue
        if other is not None and not _is_constant(value, other):
            match = _match(one.name, value, other, right)
            if not _is_multiple(one, value, match, earlier, text):
                compared.append((one, match))
        earlier.append((one, value))
    return _lines_of(compared, {one.name for one in right if one.name}, text)


def returned(call: RecordedCall) -> RightLines | None:
    """Return the line that returned a right answer, be it nothing but what was given.

    Heads that are split are a view of the tokens, and dropout in eval mode gives its input.
    """
    lines = [one.where for one in call.yours if one.name == RETURNED]
    values = tuple(RightValue(where, RightKind.RETURNED, "") for where in lines[-1:])
    return RightLines(values) if values else None


def _is_again(
    one: OwnValue, value: Comparable, earlier: Sequence[tuple[OwnValue, Comparable]]
) -> bool:
    """Tell whether another line gave this value already: to compute it again proves nothing.

    Attention among one token gives its value; where there must be several, that is a mistake. So is
    a mask that hides nothing, after which a name has the value that it had before.
    """
    alike = (
        align(value, known)
        for old, known in earlier
        if old.where != one.where and (one.part != NO_PART or old.name == one.name)
    )
    return any(match is not None and not match.likeness for match in alike)


def _is_multiple(
    one: OwnValue,
    value: Comparable,
    match: Alignment | None,
    earlier: Sequence[tuple[OwnValue, Comparable]],
    text: PartText,
) -> bool:
    """Tell whether a value is right but for a factor, and says nothing of its line for that.

    A product: `1.7 * wide` of a GELU by another formula is a multiple of what a layer gave. A name
    whose value another line gave before, but for the factor, as if it was halved in between.
    """
    if match is None or Likeness.SCALED not in match.likeness:
        return False
    if one.part != NO_PART:
        return _is_product(text(one.where, *one.part))
    before = (known for old, known in earlier if old.name == one.name and old.where != one.where)
    return any(align(value, known) is not None for known in before)


def _is_product(part: str) -> bool:
    """Tell whether a part of a line multiplies or divides outside of its brackets.

    Student text is not parsed here. True for none, of which nothing is known.

    >>> _is_product("1.7 * wide"), _is_product("softmax(a / 2)"), _is_product("q @ k.T")
    (True, False, False)
    """
    depth = 0
    for letter in part:
        depth += (letter in "([{") - (letter in ")]}")
        if depth <= 0 and letter in "*/":
            return True
    return not part.strip()


def _lines_of(
    compared: Sequence[tuple[OwnValue, Alignment | None]], known: Collection[str], text: PartText
) -> RightLines | None:
    """Return the right ones among compared values; `known` are the reference's names."""
    mixed_up = {one.where for one, match in compared if match is None and one.name in known}
    values: list[RightValue] = []
    after: list[Where] = []
    for one, match in compared:
        # A part that only moves numbers is not worth a word.
        if match is not None and one.part != NO_PART and {*match.likeness} - {Likeness.SCALED}:
            continue
        # A part of a line that gives a known name another value may be what was mixed up.
        if match is None or (one.part != NO_PART and one.where in mixed_up):
            after.append(one.where)
            continue
        after.clear()
        values.append(_right_value(one, match, text))
    if not values:
        return None
    last = values[-1].where
    below = max(one.where.line or 0 for one in values if _is_beside(one.where, last))
    rest = [one for one in after if _is_beside(one, last) and (one.line or 0) > below]
    named = {one.where for one in values if one.kind is RightKind.NAMED}
    once = [one for one in values if one.kind is not RightKind.PART or one.where not in named]
    return RightLines(tuple(dict.fromkeys(once)), rest[0] if rest else None)


def _right_value(one: OwnValue, match: Alignment, text: PartText) -> RightValue:
    if one.part != NO_PART:
        part = text(one.where, *one.part)
        return RightValue(one.where, RightKind.PART, part[:MAX_PART], match.likeness)
    if one.name.endswith(RETURNED):
        return RightValue(one.where, RightKind.RETURNED, "", match.likeness)
    return RightValue(one.where, RightKind.NAMED, one.name, match.likeness)


def is_below(one: Where, other: Where) -> bool:
    """Tell whether a line stands below another one of the same file, or of the same cell."""
    return _is_beside(one, other) and (one.line or 0) > (other.line or 0)


def _is_beside(one: Where, other: Where) -> bool:
    """Tell whether two lines are of the same file, or of the same cell."""
    return (one.file, one.cell) == (other.file, other.cell)


@dataclass(frozen=True)
class _BothDraws:
    """A value of the reference on both draws."""

    name: str
    first: Comparable | None
    second: Comparable | None


def _rights(first: RecordedCall, second: RecordedCall) -> Iterator[_BothDraws]:
    """Yield the reference's values; of those that only hold what was given the name alone."""
    numbers = _numbers(first.given)  # n
    for one, other in zip(first.right, second.right, strict=True):
        value, again = comparable(one.value), comparable(other.value)
        if value is not None and _is_part(value.value, numbers):
            value = again = None
        if one.name or (value is not None and again is not None):
            yield _BothDraws(one.name, value, again)


def own_comparable(call: RecordedCall) -> Iterator[tuple[OwnValue, Comparable]]:
    """Yield the student's values that may be compared: neither small, nor given to them."""
    known = [value for value in map(comparable, _floats(call.given)) if value is not None]
    numbers = _numbers(call.given)  # n
    for one in call.yours:
        value = comparable(one.value)
        if value is None or _is_part(value.value, numbers):
            continue
        if not any(align(value, given) for given in known):
            yield one, value


_NONE = torch.zeros(0, dtype=torch.float64)


def _numbers(given: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return all floats of tensors of any shape, sorted. Shape (n,)."""
    flat = [value.flatten().double() for value in _floats(given)]
    return torch.cat(flat or [_NONE]).sort().values


def _floats(values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return those of the tensors, of any shape, that hold floats."""
    return [value for value in values if value.is_floating_point()]


def _is_part(value: torch.Tensor, numbers: torch.Tensor) -> bool:
    """Tell whether a tensor of any shape holds nothing but numbers (n) that were given, and 0."""
    mine = value[value.isfinite() & (value != 0)]  # m
    if not len(numbers):
        return False
    after = torch.searchsorted(numbers, mine).clamp(max=len(numbers) - 1)  # m
    before = (after - 1).clamp(min=0)  # m
    far = torch.minimum((numbers[after] - mine).abs(), (numbers[before] - mine).abs())  # m
    return bool((far <= 1e-6 * mine.abs()).all())


def _is_constant(value: Comparable, again: Comparable) -> bool:
    """Tell whether a value is the same on other inputs."""
    return value.value.shape == again.value.shape and torch.allclose(value.value, again.value)


def _match(
    name: str, value: Comparable, again: Comparable, right: Sequence[_BothDraws]
) -> Alignment | None:
    """Return the plainest way in which a value is one of the reference's, the same on both draws.

    A name that the reference gives to other values only is no match: there the student mixed up
    two that are both computed. What a function of the reference's returns is compared with that.
    """
    named = [one for one in right if one.name == name] if name else []
    among = _alignments(value, again, named)
    if named and not among:
        return None
    if not (named and name.endswith(RETURNED)):
        among += _alignments(value, again, right)
    return min(among, key=lambda one: len(one.likeness), default=None)


def _alignments(
    value: Comparable, again: Comparable, right: Sequence[_BothDraws]
) -> list[Alignment]:
    result = []
    for one in right:
        if one.first is None or one.second is None:
            continue
        alignment, other = align(value, one.first), None
        if alignment is not None:
            other = align(again, one.second)
        if alignment is None or other is None or other.likeness != alignment.likeness:
            continue
        if abs(alignment.factor / other.factor - 1) < EQUAL_FACTORS:
            result.append(alignment)
    return result
