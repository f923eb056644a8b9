"""Put what a search found into words: arrays by name, and the arithmetic of one wrong entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ...grade.counterexample import Counterexample, SmallArray
from ...text.language import _, course_text, joined
from .difference import ClearDifference, parts_of
from .search import WrongCall
from .small_arrays import small_array, written
from .small_calls import TENSORS, Mask, SmallCalls
from .snippet import call_text, snippet

CLOSE = 1e-4


def counterexample(
    wrong_call: WrongCall, stored: Mapping[str, torch.Tensor], course: SmallCalls
) -> Counterexample:
    """Return the counterexample as people read it.

    `stored` are the parameters of a module, in the student's shapes.
    """
    names = _Names(wrong_call, course)
    filled, difference = wrong_call.filled, wrong_call.difference
    inputs = [
        small_array(name, value, names.words(name))
        for name, value in zip(filled.candidate.call.given, filled.arguments, strict=True)
        if isinstance(value, torch.Tensor)
    ]
    yours = difference.yours
    part = names.parts[difference.part]
    return Counterexample(
        call=call_text(filled),
        inputs=tuple(inputs) + tuple(_listed(wrong_call)),
        weights=tuple(small_array(name, value, ()) for name, value in stored.items()),
        expected=_expected(difference, part, names),
        yours=None if yours is None else small_array(part, yours, names.words(part)),
        instead=difference.instead,
        wrong=difference.wrong,
        words=tuple(_arithmetic(wrong_call, names)),
        snippet=snippet(wrong_call, stored, part),
    )


def _expected(difference: ClearDifference, part: str, names: _Names) -> SmallArray:
    """Return the right part of an answer; an error stands as the only entry of its array."""
    if difference.error:
        return SmallArray(part, (), (difference.error,))
    return small_array(part, difference.right, names.words(part))


def _listed(wrong_call: WrongCall) -> list[SmallArray]:
    """Return the tensors of arguments that are lists."""
    pairs = zip(wrong_call.filled.candidate.call.given, wrong_call.filled.arguments, strict=True)
    return [
        small_array(f"{name}[{number}]", one, ())
        for name, value in pairs
        if isinstance(value, list)
        for number, one in enumerate(value)
    ]


class _Names:
    """The axes of all arrays of a call, by letter and in words."""

    def __init__(self, wrong_call: WrongCall, course: SmallCalls) -> None:
        call = wrong_call.filled.candidate.call
        self.parts = list(call.returns)
        self.axes = {name: axes.split() for name, axes in call.returns.items()}
        for name, given in call.given.items():
            if isinstance(given, TENSORS):
                self.axes[name] = given.axes.split()
        self._words, self._are_steps = course.axes, bool(call.steps)

    def words(self, name: str) -> tuple[str, ...]:
        """Return a word for each axis of an array, empty where there is none."""
        return tuple(course_text(self._words.get(axis, "")) for axis in self.axes.get(name, ()))

    def titled(self, name: str, sentence: str, between: str = ": ") -> str:
        """Put the name of a part before what is said of it, if there are several parts."""
        return f"{name}{between}{sentence}" if len(self.parts) > 1 else sentence

    def place(self, name: str, index: Sequence[int]) -> str:
        """Return a place in an array: `query 0, key 1`; axes that have no letter are left out."""
        axes = self.axes.get(name, ())
        words = self.words(name)
        if not index and self._are_steps:
            return name
        if len(axes) != len(index):
            return str(list(index))
        named = [
            f"{word or axis} {at}"
            for axis, word, at in zip(axes, words, index, strict=True)
            if not axis.isdigit()
        ]
        return ", ".join(named) or _("the only entry")


def _arithmetic(wrong_call: WrongCall, names: _Names) -> list[str]:
    """Return the arithmetic of the first wrong entry, a sentence each."""
    difference = wrong_call.difference
    yours, right = difference.yours, difference.right
    name = names.parts[difference.part]
    if difference.error:
        return [_("expected: {answer}", answer=difference.error)]
    if yours is None:
        return []
    if not difference.has_numbers:
        own, wanted = tuple(yours.shape), tuple(right.shape)
        return [_("yours has the shape {own}, expected {wanted}", own=own, wanted=wanted)]
    index = _index(difference.wrong, right.shape)
    if _is_share(right, index):
        return [names.titled(name, _row(wrong_call, names, name, index))]
    place = names.titled(name, names.place(name, index), ", ")
    sums = _sums(wrong_call, names, name, index)
    one = written(yours[tuple(index)].item())
    other = written(right[tuple(index)].item())
    return [
        _("{place}: yours {yours}, expected {expected}", place=place, yours=one, expected=other),
        *sums,
    ]


def _index(number: int, shape: Sequence[int]) -> list[int]:
    """Return the place of an entry that is counted row by row.

    >>> _index(5, (2, 3))
    [1, 2]
    """
    places: list[int] = []
    for length in reversed(shape):
        number, at = divmod(number, length)
        places.insert(0, at)
    return places


def _is_share(right: torch.Tensor, index: Sequence[int]) -> bool:
    """Tell whether an entry is of a row that adds up to 1, of more than one entry."""
    # right: any shape.
    if right.dim() == 0 or not right.is_floating_point():
        return False
    row = right[tuple(index[:-1])]
    near = abs(float(row.sum()) - 1) < CLOSE
    return len(row) > 1 and bool((row >= 0).all()) and near


def _row(wrong_call: WrongCall, names: _Names, name: str, index: Sequence[int]) -> str:
    yours, right = wrong_call.difference.yours, wrong_call.difference.right
    assert yours is not None
    rows = [" + ".join(map(written, one[tuple(index[:-1])].tolist())) for one in (yours, right)]
    row = names.place(name, index[:-1]) if names.axes.get(name, ("",))[:-1] else ""
    if len(names.axes.get(name, ())) == right.dim() and right.dim() > 1:
        row = _Leading(names, name).place(index[:-1])
    sentence = _("yours {yours}, expected {expected}", yours=rows[0], expected=rows[1])
    hidden = _hidden(wrong_call, names, name, index)
    sentence = f"{row}: {sentence}" if row else sentence
    return f"{sentence}: {hidden}" if hidden else sentence


class _Leading:
    """The places of a row, which is an array without its last axis."""

    def __init__(self, names: _Names, name: str) -> None:
        self._axes, self._words = names.axes[name][:-1], names.words(name)[:-1]

    def place(self, index: Sequence[int]) -> str:
        pieces = zip(self._axes, self._words, index, strict=True)
        return ", ".join(f"{w or axis} {at}" for axis, w, at in pieces if not axis.isdigit())


def _hidden(wrong_call: WrongCall, names: _Names, name: str, index: Sequence[int]) -> str:
    """Say which entries of a row a mask hides; return "" if there is no mask of these axes."""
    call = wrong_call.filled.candidate.call
    for (given, spec), value in zip(call.given.items(), wrong_call.filled.arguments, strict=True):
        if not isinstance(spec, Mask) or names.axes[given] != names.axes.get(name):
            continue
        word = names.words(name)[-1] or names.axes[name][-1]
        row = value[tuple(index[:-1])].tolist()
        places = [f"{word} {at}" for at, may in enumerate(row) if not may]
        if places:
            return _("{places}: hidden by the mask", places=joined(places))
    return ""


def _sums(wrong_call: WrongCall, names: _Names, name: str, index: Sequence[int]) -> list[str]:
    """Write the sum of products that the right entry is, if the course says which it is."""
    pair = wrong_call.filled.candidate.call.sums.get(name)
    parts = parts_of(wrong_call.answers.right)
    if pair is None or parts is None:
        return []
    known = dict(zip(names.parts, parts, strict=True))
    known |= dict(
        zip(wrong_call.filled.candidate.call.given, wrong_call.filled.arguments, strict=True)
    )
    at = dict(zip(names.axes[name], index, strict=True))
    summed = [axis for axis in names.axes[pair[0]] if axis not in at]
    if len(summed) != 1:
        return []
    length = known[pair[0]].shape[names.axes[pair[0]].index(summed[0])]
    products = []
    for step in range(length):
        places = at | {summed[0]: step}
        left, right = (
            known[array][tuple(places.get(axis, 0) for axis in names.axes[array])].item()
            for array in pair
        )
        products.append(f"{written(left)}·{_factor(right)}")
    total = written(wrong_call.difference.right[tuple(index)].item())
    sentence = " + ".join(products)
    return [_("the right one is {sum} = {total}", sum=sentence, total=total)]


def _factor(number: float) -> str:
    text = written(number)
    return f"({text})" if text.startswith("-") else text
