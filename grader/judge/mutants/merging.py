"""Put two changes of one text into one text, also where both change the same line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, takewhile

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
Change = tuple[int, int, tuple[str, ...]]
"""From which token to which one, and what stands there then."""


def merged(base: str, one: str, other: str) -> str | None:
    """Return `base` with what was changed in `one` and in `other`.

    None if they change the same place in two ways.

    >>> merged("softmax(x, dim=-1)", "softmax(x / 2, dim=-1)", "softmax(x, dim=0)")
    'softmax(x / 2, dim=0)'
    >>> merged("f(a, b)  # T", "f(2 * a, b)", "f(a, c)")
    'f(2 * a, c)'
    >>> merged("softmax(x, dim=-1)", "softmax(x, dim=1)", "softmax(x, dim=0)") is None
    True
    """
    texts = [text.splitlines(keepends=True) for text in (base, one, other)]
    first = _alike(texts)
    last = _alike([list(reversed(lines[first:])) for lines in texts])
    middle = ["".join(lines[first : len(lines) - last]) for lines in texts]
    tokens, *others = [_TOKEN.findall(text) for text in middle]
    changes = sorted({change for each in others for change in _changes(tokens, each)})
    if any(behind[0] <= before[1] for before, behind in pairwise(changes)):
        return None
    result, place = list[str](), 0
    for start, end, new in changes:
        result += [*tokens[place:start], *new]
        place = end
    inside = "".join([*result, *tokens[place:]])
    lines = texts[0]
    return "".join([*lines[:first], inside, *lines[len(lines) - last :]])


def _alike(texts: Sequence[Sequence[str]]) -> int:
    """Count the lines with which all texts begin."""
    return sum(1 for _ in takewhile(lambda lines: len({*lines}) == 1, zip(*texts, strict=False)))


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    for kind, start, end, begin, until in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            yield start, end, tuple(new[begin:until])
