"""The parts of a student's code that a report speaks of, with the lines that it means.

Read as lines, never parsed: the text is the student's, and this side parses none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.evidence import Observation, Where
from grader.language import _, ngettext
from grader.report.cleaning import one_line
from grader.report.sources import sources

LIMIT_LINES = 400
LIMIT_WIDTH = 240
AROUND = 4
"""Lines shown before and after a marked one where a definition is long."""
LONG = 30
SHORTEST_FOLD = 6
LIMIT_SAYINGS = 3
_WORDS = 200

INDENTS = tuple(range(0, 33, 4))
"""Blanks at the beginning of a line, as far as a page tells them apart."""

_BEGINNING = re.compile(r"(?:async\s+def|def|class)\b|@")
_GOES_ON = re.compile(r"\s|[)\]}#]|$|(?:else|elif|except|finally)\b")


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    sayings: tuple[str, ...] = ()
    """What is the matter here; empty for a line that nothing is said of."""

    @property
    def indent(self) -> int:
        """One of INDENTS, at most the line's own."""
        blanks = len(self.text) - len(self.text.lstrip(" "))
        return max(step for step in INDENTS if step <= blanks)


@dataclass(frozen=True)
class Run:
    """Lines in one piece."""

    lines: tuple[Line, ...]
    fold: str = ""
    """How the fold is called that they are in; empty for those to be seen at once."""


@dataclass(frozen=True)
class Excerpt:
    """One definition, or a few lines around a place outside of any."""

    title: str
    runs: tuple[Run, ...]


def excerpts(files: Mapping[str, bytes], seen: Iterable[Observation]) -> tuple[Excerpt, ...]:
    """The definitions in which checks failed, in the order in which these come."""
    said: dict[tuple[str, int | None], dict[int, dict[str, str]]] = {}
    for one in seen:
        if one.where is not None and one.where.line is not None:
            place = said.setdefault((one.where.file, one.where.cell), {})
            about, saying = _saying(one, one.where)
            place.setdefault(one.where.line, {}).setdefault(about, saying)
    texts: dict[str, dict[int | None, str]] = {}
    found = []
    for (file, cell), marks in said.items():
        if file not in files:
            continue
        if file not in texts:
            texts[file] = dict(sources(file, files[file]))
        if cell in texts[file]:
            lines = texts[file][cell].split("\n")
            found += _of_source(Where(file, None, cell), lines, marks)
    return tuple(found)


def _saying(seen: Observation, where: Where) -> tuple[str, str]:
    """What it is about, and the words: a line says one thing about a cause, or a criterion."""
    if seen.cause is None or seen.cause.is_observation:
        words = one_line(seen.observed, _WORDS) or one_line(seen.title, _WORDS)
        return seen.criterion, f"{seen.criterion}: {words}"
    text = one_line(seen.cause.text, _WORDS)
    return seen.cause.id, _("likely here: {cause}", cause=text) if where.likely else text


def _of_source(
    place: Where, lines: list[str], marks: Mapping[int, Mapping[str, str]]
) -> list[Excerpt]:
    blocks: dict[tuple[int, int], dict[int, tuple[str, ...]]] = {}
    for number, sayings in sorted(marks.items()):
        if not 1 <= number <= len(lines):
            continue
        known = next((span for span in blocks if span[0] <= number <= span[1]), None)
        span = known or _block(lines, number)
        blocks.setdefault(span, {})[number] = _few(tuple(sayings.values()))
    return [_excerpt(place, lines, span, own) for span, own in blocks.items()]


def _few(sayings: tuple[str, ...]) -> tuple[str, ...]:
    more = len(sayings) - LIMIT_SAYINGS
    if more <= 0:
        return sayings
    rest = ngettext("and {count} more", "and {count} more", more)
    return (*sayings[:LIMIT_SAYINGS], rest)


def _block(lines: list[str], number: int) -> tuple[int, int]:
    """First and last line of the definition around a line, counted from 1."""
    first = number
    while first > max(1, number - LIMIT_LINES) and _GOES_ON.match(lines[first - 1]):
        first -= 1
    if not _BEGINNING.match(lines[first - 1]):
        return max(1, number - AROUND), min(len(lines), number + AROUND)
    last = first
    while lines[last - 1].startswith("@") and last < len(lines):
        last += 1
    while last < min(len(lines), first + LIMIT_LINES) and _GOES_ON.match(lines[last]):
        last += 1
    last = max(last, number)
    while first > 1 and lines[first - 2].startswith("@"):
        first -= 1
    # A comment at the margin belongs to what comes after it.
    while last > first and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1
    return first, max(last, number)


def _excerpt(
    place: Where, lines: list[str], span: tuple[int, int], marks: Mapping[int, tuple[str, ...]]
) -> Excerpt:
    first, last = span
    shown = [
        Line(number, lines[number - 1].rstrip()[:LIMIT_WIDTH], marks.get(number, ()))
        for number in range(first, last + 1)
    ]
    words = _("{place}, lines {first} to {last}")
    title = words.format(place=one_line(str(place)), first=first, last=last)
    return Excerpt(title, _runs(shown))


def _runs(lines: list[Line]) -> tuple[Run, ...]:
    """Short code in one piece; of long code, what lies far from every mark is folded."""
    if len(lines) <= LONG:
        return (Run(tuple(lines)),)
    marked = [place for place, line in enumerate(lines) if line.sayings]
    head = next((n for n, line in enumerate(lines) if not line.text.startswith("@")), 0)
    near = {*range(head + 1)} | {
        place + step for place in marked for step in range(-AROUND, AROUND + 1)
    }
    pieces: list[tuple[bool, list[Line]]] = []
    for place, line in enumerate(lines):
        if not pieces or pieces[-1][0] != (place in near):
            pieces.append((place in near, []))
        pieces[-1][1].append(line)
    return tuple(
        Run(tuple(piece), "" if is_near or len(piece) < SHORTEST_FOLD else _folded(len(piece)))
        for is_near, piece in pieces
    )


def _folded(count: int) -> str:
    return ngettext("{count} more line", "{count} more lines", count)
