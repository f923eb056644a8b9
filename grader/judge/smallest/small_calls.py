"""Read what small calls of each target a course allows, from the folders of its exercises."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...course.paths import CoursePaths
from ...sealed.imports import module_of
from ..reference.references import ReferenceBroken

Sizes = Mapping[str, int]
"""The length of each axis, by its letter."""
SMALLEST = (1, 2)


@dataclass(frozen=True)
class Numbers:
    """A tensor of small whole numbers of float type; `axes` are letters, as in `S Dh`."""

    axes: str
    positive: bool = False
    """True for numbers above 0 only."""
    distinct: bool = False
    """True for numbers of which no two are alike."""


@dataclass(frozen=True)
class Mask:
    """A tensor of bools, True = may attend, with a True in every row."""

    axes: str


@dataclass(frozen=True)
class Whole:
    """A tensor of integers from `low` up to, and without, `high`: a length's letter or a number."""

    axes: str
    high: str | int
    low: int = 0


@dataclass(frozen=True)
class Shares:
    """A tensor of numbers that are at least 0 and add up to 1 in every row."""

    axes: str


@dataclass(frozen=True)
class Fixed:
    """A tensor of these numbers of float type; `axes` are its lengths, as in `3 2`."""

    axes: str
    numbers: Sequence[float]
    """The numbers, row by row."""


@dataclass(frozen=True)
class Size:
    """A plain number: the length of an axis."""

    letter: str


Tensor = Numbers | Mask | Whole | Shares | Fixed
TENSORS = (Numbers, Mask, Whole, Shares, Fixed)
Given = Tensor | Size | Sequence[Tensor] | int | float | bool | None
"""An argument: a tensor to be filled, a list of them, a length, or a constant."""


@dataclass(frozen=True)
class SmallCall:
    """One way to call a target with few numbers, by the roles of its arguments."""

    target: str
    given: Mapping[str, Given]
    """The arguments, in the order of the signature, by the names that a reader sees."""
    returns: Mapping[str, str]
    """The parts of what comes back, and their axes; more than one for a tuple."""
    made: Sequence[Any] | None = None
    """The arguments that make the module, if the target is a class: `Size`s and constants."""
    methods: Sequence[str] = ()
    """Methods to call, each with the next argument, in place of the module itself."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Constants to pass by keyword."""
    steps: Sequence[str] = ()
    """Lines of code in place of the call, which run on both sides and end in `shown = ...`.

    They may use the arguments, the target and, if one is made, `module`. What a call shows by more
    than its value is shown so: parameters, an argument that was changed, a view of an argument.
    """
    learns: bool = False
    """True if the steps need gradients."""
    raises: str = ""
    """The name of the error that the last step has to raise."""
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The lengths to try, for axes whose smallest are not 1 and 2."""
    sums: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Part of the answer -> the two arrays whose products it adds up: arguments or other parts."""

    @property
    def takes_any_numbers(self) -> bool:
        """Return whether it is a plain call, whose numbers may be drawn."""
        return not self.steps and not any(isinstance(one, Fixed) for one in self._tensors())

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the letters of all axes, each once."""
        texts = [one.axes for one in self._tensors()]
        texts += [one.letter for one in (*self.given.values(), *(self.made or ())) if _sized(one)]
        words = [piece for text in texts for axis in text.split() for piece in axis.split("*")]
        return tuple(dict.fromkeys(word for word in words if not word.isdigit()))

    def all_sizes(self) -> Iterator[dict[str, int]]:
        """Yield the lengths to try."""
        choices = [self.sizes.get(letter, SMALLEST) for letter in self.letters]
        for lengths in itertools.product(*choices):
            yield dict(zip(self.letters, lengths, strict=True))

    def count(self, sizes: Sizes) -> int:
        """Return how many numbers the arguments hold."""
        return sum(math.prod(shape_of(one.axes, sizes)) for one in self._tensors())

    def _tensors(self) -> Iterator[Tensor]:
        # Each names its own shape, by its axes.
        for one in self.given.values():
            for part in one if isinstance(one, (list, tuple)) else (one,):
                if isinstance(part, TENSORS):
                    yield part


@dataclass(frozen=True)
class SmallCalls:
    """The small calls of a course, and words for axes."""

    calls: Sequence[SmallCall] = ()
    axes: Mapping[str, str] = field(default_factory=dict)
    """Letter of an axis -> a word for one place along it: `query`."""

    def of(self, targets: Sequence[str]) -> tuple[SmallCall, ...]:
        """Return the calls of these targets."""
        return tuple(call for call in self.calls if call.target in targets)

    def drawn(self, targets: Sequence[str]) -> tuple[SmallCall, ...]:
        """Return the calls of these targets whose numbers may be drawn."""
        return tuple(call for call in self.of(targets) if call.takes_any_numbers)


def shape_of(axes: str, sizes: Sizes) -> tuple[int, ...]:
    """Return the shape that axes have at these lengths.

    >>> shape_of("1 S H*Dh", {"S": 2, "H": 2, "Dh": 3})
    (1, 2, 6)
    """
    return tuple(length_of(axis, sizes) for axis in axes.split())


def length_of(axis: str, sizes: Sizes) -> int:
    """Return the length of an axis: a letter, a number, or a product of these."""
    pieces = axis.split("*")
    return math.prod(int(piece) if piece.isdigit() else sizes[piece] for piece in pieces)


def load_small_calls(root: Path, slugs: Iterable[str]) -> SmallCalls:
    """Return `SMALL_CALLS` of these exercises' `small_calls.py`, and the course's words for axes.

    Raises:
        ReferenceBroken: a file cannot be run; the message starts with its path.
    """
    paths = CoursePaths(root)
    files = [paths.exercise(slug).small_calls for slug in slugs]
    calls = [call for file in files for call in _constant(file, "SMALL_CALLS", ())]
    return SmallCalls(calls, _constant(paths.axis_words, "AXIS_WORDS", {}))


def _constant(path: Path, name: str, otherwise: Any) -> Any:
    """Return a constant of a file of the course's; `otherwise` if there is no such file."""
    if not path.is_file():
        return otherwise
    try:
        return getattr(module_of(f"reference_{path.stem}", path), name)
    except Exception as error:
        raise ReferenceBroken(f"{path}  {type(error).__name__}: {error}") from error


def _sized(value: Any) -> bool:
    return isinstance(value, Size)
