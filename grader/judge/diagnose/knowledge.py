"""Read what a course tells about its subject for diagnosis, from `reference/diagnosis.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...course.paths import CoursePaths
from ...sealed.imports import module_of
from ...text.language import course_text

Sizes = Mapping[str, int]
"""Constants of a suite by their names: `{"B": 2, "T": 5}`."""


def _nothing_more(sizes: Sizes) -> Sizes:
    return {}


@dataclass(frozen=True)
class Family:
    """A right function with one number in it that people get wrong, and a factor on its result.

    The student's answer is compared with `factor * compute(..., number)`.
    """

    id: str
    targets: tuple[str, ...]
    compute: Callable[..., Any]
    """Computes what the right function does, from the same arguments and `number`."""
    named: Callable[..., Mapping[str, float]]
    """Numbers and factors that somebody may have meant, by name, computed from the same
    arguments."""
    right: str
    """The name of the right number. The right factor is 1."""
    text: str
    """In words, with `{number}`, `{right}` and `{factor}`. The factor ends in a multiplication dot,
    and is empty if it is 1."""


@dataclass(frozen=True)
class Knowledge:
    """All that a course tells for diagnosis. Everything may be left out."""

    axes: Mapping[str, str] = field(default_factory=dict)
    """Constant of the suites -> a word for the axis of that length."""
    more_sizes: Callable[[Sizes], Sizes] = _nothing_more
    """Lengths that follow from a suite's constants."""
    empty_row: str = ""
    """The reason, in words, why a row is not finite in which every entry is masked."""
    families: tuple[Family, ...] = ()

    def words(self, constants: Sizes) -> dict[int, str]:
        """Return length -> axis, for lengths that only one axis of the suite has.

        `constants` are those of the suite.
        """
        words_of: dict[int, list[str]] = {}
        sizes = {**constants, **self.more_sizes(constants)}
        for name, word in self.axes.items():
            if sizes.get(name, 0) < 1:
                continue  # a width of heads is 0 where a suite has more heads than features
            if word not in words_of.setdefault(sizes[name], []):
                words_of[sizes[name]].append(word)
        return {
            length: course_text(words[0]) for length, words in words_of.items() if len(words) == 1
        }


def load_knowledge(root: Path) -> Knowledge:
    """Return `KNOWLEDGE` of the course's `reference/diagnosis.py`; empty if there is none."""
    path = CoursePaths(root).diagnosis
    if not path.is_file():
        return Knowledge()
    knowledge: Knowledge = module_of("reference_diagnosis", path).KNOWLEDGE
    return knowledge


def constants_of(module: object) -> dict[str, int]:
    """Return the lengths that a suite defines at its top, as in `B, T = 2, 5`."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.isupper() and type(value) is int and value > 1
    }


def shown(shape: Sequence[int], words: Mapping[int, str]) -> str:
    """Write a shape with the names of its axes, as far as they are known.

    >>> shown((2, 5, 9), {2: "batch", 5: "tokens"})
    '(batch, tokens, 9)'
    """
    return "(" + ", ".join(words.get(length, str(length)) for length in shape) + ")"
