"""What a course knows about its subject, for diagnosis: `reference/diagnosis.py`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...language import course_text

Sizes = Mapping[str, int]
"""Constants of a suite by their names: `{"B": 2, "T": 5}`."""


def _nothing_more(sizes: Sizes) -> Sizes:
    return {}


@dataclass(frozen=True)
class Family:
    """A right function with one number in it that people get wrong, and a factor on what comes
    out: `factor * compute(..., number)`."""

    id: str
    targets: tuple[str, ...]
    compute: Callable[..., Any]
    """What the right function computes, called with its arguments and `number`."""
    named: Callable[..., Mapping[str, float]]
    """Numbers and factors that somebody may have meant, by their names, of the same arguments."""
    right: str
    """The name of the right number. The right factor is 1."""
    text: str
    """In words, with `{number}`, `{right}` and `{factor}`, which ends in a dot for times if there
    is one."""


@dataclass(frozen=True)
class Knowledge:
    """All that is of use. Everything may be left out."""

    axes: Mapping[str, str] = field(default_factory=dict)
    """Constant of the suites -> the axis that is so long, in a word."""
    more_sizes: Callable[[Sizes], Sizes] = _nothing_more
    """Lengths that follow from a suite's constants."""
    empty_row: str = ""
    """Why a row is not finite of which nothing may be seen, in words."""
    families: tuple[Family, ...] = ()

    def words(self, constants: Sizes) -> dict[int, str]:
        """Length -> the one axis that is so long in a suite with these constants."""
        found: dict[int, list[str]] = {}
        sizes = {**constants, **self.more_sizes(constants)}
        for name, word in self.axes.items():
            if name in sizes and word not in found.setdefault(sizes[name], []):
                found[sizes[name]].append(word)
        return {length: course_text(words[0]) for length, words in found.items() if len(words) == 1}


def load_knowledge(root: Path) -> Knowledge:
    """`KNOWLEDGE` of the course's `reference/diagnosis.py`; none if there is no such file."""
    path = root / "reference" / "diagnosis.py"
    if not path.is_file():
        return Knowledge()
    spec = importlib.util.spec_from_file_location("reference_diagnosis", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Knowledge = module.KNOWLEDGE
    return found


def constants_of(module: object) -> dict[str, int]:
    """The lengths that a suite writes at its top, `B, T = 2, 5`."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.isupper() and type(value) is int and value > 1
    }


def shown(shape: Sequence[int], words: Mapping[int, str]) -> str:
    """A shape by the names of its axes, as far as they are known.

    >>> shown((2, 5, 9), {2: "batch", 5: "tokens"})
    '(batch, tokens, 9)'
    """
    return "(" + ", ".join(words.get(length, str(length)) for length in shape) + ")"
