"""Match what a student's lines computed with what the reference computed, on two draws."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from ...grade.evidence import Where
from ...grade.right_lines import Likeness, RightKind, RightLines, RightValue
from ...worker.recording import RETURNED
from .alignment import Alignment, Comparable, align, comparable
from .draws import RecordedCall
from .received import NO_PART, OwnValue
from .reference_trace import ReferenceValue

MAX_PART = 80
EQUAL_FACTORS = 1e-3

PartText = Callable[[Where, int, int], str]


@dataclass(frozen=True)
class _Candidate:
    """A value of the reference that a value of the student's may be."""

    number: int
    """Its number among all values of the reference."""
    alignment: Alignment
    has_the_name: bool


@dataclass(frozen=True)
class _Compared:
    """A value of the student's, and what it may be."""

    own: OwnValue
    value: Comparable
    candidates: tuple[_Candidate, ...]
    is_compared: bool = True
    """False if another draw has none, or the same; it may still be what was given before."""
    is_named: bool = False
    """True if the reference gives the name to some value."""

    @property
    def match(self) -> Alignment | None:
        """Return the plainest way in which the value is one of the reference's.

        A name that the reference gives to other values only is no match: there the student mixed up
        two that are both computed.
        """
        if self.is_named and not any(one.has_the_name for one in self.candidates):
            return None
        ways = (one.alignment for one in self.candidates)
        return min(ways, key=lambda one: len(one.likeness), default=None)


@dataclass(frozen=True)
class SideBySide:
    """The student's values of one call beside the reference's, as far as some draws tell."""

    names: tuple[str, ...]
    """The names of all values of the reference; empty for a part of a line."""
    rows: tuple[_Compared, ...]

    def lines(self, text: PartText) -> RightLines | None:
        """Return the values that are right; None if none is. `text` gives a part of a line."""
        compared: list[tuple[OwnValue, Alignment | None]] = []
        earlier: list[tuple[OwnValue, Comparable]] = []
        for row in self.rows:
            match = row.match
            if row.is_compared and not _is_multiple(row.own, row.value, match, earlier, text):
                compared.append((row.own, match))
            earlier.append((row.own, row.value))
        return _lines_of(compared, {name for name in self.names if name}, text)

    def confirmed(self, draw: RecordedCall) -> SideBySide:
        """Return what is left if the same call with other numbers is looked at, too."""
        own = {one.key: one.value for one in draw.yours}
        right = draw.right if _names(draw) == self.names else ()
        known = _Known([one.value for one in right])
        return replace(
            self, rows=tuple(_still(row, own.get(row.own.key), known) for row in self.rows)
        )


def side_by_side(first: RecordedCall, second: RecordedCall) -> SideBySide | None:
    """Compare the values of one call on two draws; None if other ones are computed on each."""
    if _names(first) != _names(second):
        return None
    numbers = _numbers(first.given)  # n
    right = [comparable(one.value) for one in first.right]
    # What only holds what was given is compared with nothing.
    right = [None if one is None or _is_part(one.value, numbers) else one for one in right]
    again = {one.key: value for one, value in own_comparable(second)}
    known, rows = _Known([one.value for one in second.right]), list[_Compared]()
    for one, value in own_comparable(first):
        if _is_again(one, value, [(row.own, row.value) for row in rows]):
            continue
        other = again.get(one.key)
        if other is None or _is_constant(value, other):
            rows.append(_Compared(one, value, (), is_compared=False))
            continue
        is_named = bool(one.name) and one.name in _names(first)
        row = _Compared(
            one, value, tuple(_candidates(one, value, first.right, right)), True, is_named
        )
        rows.append(_kept(row, other, known))
    return SideBySide(_names(first), tuple(rows))


def _names(call: RecordedCall) -> tuple[str, ...]:
    return tuple(one.name for one in call.right)


class _Known:
    """Tensors, of any shape, each made comparable once, when it is asked for."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        """Take tensors of any shape."""
        self._tensors, self._made = tensors, dict[int, Comparable | None]()

    def at(self, number: int) -> Comparable | None:
        """Return one of them; None if there is none, or too little in it to be compared."""
        if number not in self._made:
            there = number < len(self._tensors)
            self._made[number] = comparable(self._tensors[number]) if there else None
        return self._made[number]


def _candidates(
    one: OwnValue,
    value: Comparable,
    right: Sequence[ReferenceValue],
    known: Sequence[Comparable | None],
) -> Iterator[_Candidate]:
    """Yield the values of the reference that are alike on the first draw.

    What a function of the reference's returns is compared with that alone.
    """
    has_name = [bool(one.name) and theirs.name == one.name for theirs in right]
    is_returned = one.name.endswith(RETURNED) and any(has_name)
    for number, other in enumerate(known):
        if other is not None and (has_name[number] or not is_returned):
            alignment = align(value, other)
            if alignment is not None:
                yield _Candidate(number, alignment, has_name[number])


def _still(row: _Compared, tensor: torch.Tensor | None, known: _Known) -> _Compared:
    """Return what is left of a row if its value on another draw is that tensor, of any shape."""
    if not row.candidates:
        return row
    value = None if tensor is None else comparable(tensor)
    return replace(row, candidates=()) if value is None else _kept(row, value, known)


def _kept(row: _Compared, value: Comparable, known: _Known) -> _Compared:
    """Return the row with the candidates that are alike in the same way on another draw."""

    def holds(one: _Candidate) -> bool:
        other = known.at(one.number)
        again = None if other is None else align(value, other)
        if again is None or again.likeness != one.alignment.likeness:
            return False
        return abs(one.alignment.factor / again.factor - 1) < EQUAL_FACTORS

    return replace(row, candidates=tuple(filter(holds, row.candidates)))


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


def _is_beside(one: Where, other: Where) -> bool:
    """Tell whether two lines are of the same file, or of the same cell."""
    return (one.file, one.cell) == (other.file, other.cell)


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
