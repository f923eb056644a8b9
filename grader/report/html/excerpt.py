"""Cut out the parts of a student's code that a report speaks of, and mark the lines it means.

The code is read as lines and never parsed: it is the student's, and this process parses none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.grade.evidence import Observation, Where
from grader.report.cleaning import one_line
from grader.report.html.style import INDENTS
from grader.report.sources import sources
from grader.text.language import _, ngettext

LIMIT_LINES = 400
LIMIT_WIDTH = 240
AROUND = 4
"""Lines shown before and after a marked one where a definition is long."""
LONG = 30
SHORTEST_FOLD = 6
LIMIT_SAYINGS = 3
_WORDS = 200

_BEGINNING = re.compile(r"(?:async\s+def|def|class)\b|@")
_GOES_ON = re.compile(r"\s|[)\]}#]|$|(?:else|elif|except|finally)\b")


@dataclass(frozen=True)
class Line:
    number: int
    text: str
    sayings: tuple[str, ...] = ()
    """Remarks on this line, such as a likely cause; empty where there are none."""

    @property
    def indent(self) -> int:
        """Return the largest of INDENTS that is at most the line's own indent."""
        blanks = len(self.text) - len(self.text.lstrip(" "))
        return max(step for step in INDENTS if step <= blanks)


@dataclass(frozen=True)
class Run:
    """Consecutive lines that are all shown or all folded away."""

    lines: tuple[Line, ...]
    fold: str = ""
    """The label of the fold that hides these lines; empty for lines shown at once."""


@dataclass(frozen=True)
class Excerpt:
    """One definition, or a few lines around a place outside of any definition."""

    title: str
    runs: tuple[Run, ...]


def excerpts(files: Mapping[str, bytes], seen: Iterable[Observation]) -> tuple[Excerpt, ...]:
    """Return the definitions in which checks failed, in the order of the checks."""
    marks_by_source: dict[tuple[str, int | None], dict[int, dict[str, str]]] = {}
    for one in seen:
        if one.where is not None and one.where.line is not None:
            place = marks_by_source.setdefault((one.where.file, one.where.cell), {})
            about, saying = _saying(one, one.where)
            place.setdefault(one.where.line, {}).setdefault(about, saying)
    texts: dict[str, dict[int | None, str]] = {}
    parts = []
    for (file, cell), marks in marks_by_source.items():
        if file not in files:
            continue
        if file not in texts:
            texts[file] = dict(sources(file, files[file]))
        if cell in texts[file]:
            lines = texts[file][cell].split("\n")
            parts += _of_source(Where(file, None, cell), lines, marks)
    return tuple(parts)


def _saying(seen: Observation, where: Where) -> tuple[str, str]:
    """Return the subject of a remark, and its words.

    The subject is a cause or a criterion: a line gets one remark on each.
    """
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
    """Return the first and last line of the definition around a line, counted from 1."""
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
    title = _(
        "{place}, lines {first} to {last}", place=one_line(str(place)), first=first, last=last
    )
    return Excerpt(title, _runs(shown))


def _runs(lines: list[Line]) -> tuple[Run, ...]:
    """Split code into runs: one if it is short, else with lines far from marks folded."""
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
