"""Take out what nbgrader and otter-grader mark as solutions, as they do it.

Both work on lines, in code and notebook cells alike, and their words are in capitals. They ignore a
slip (an END without a BEGIN, a marker in small letters); this module stops at one, because text
that is ignored here is handed out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

CODE_STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")
"""nbgrader's placeholder for code."""
TEXT_STUB = ("YOUR ANSWER HERE",)
"""nbgrader's placeholder for text."""
PROMPT = "..."
"""otter's placeholder."""

_NBGRADER = re.compile(
    r"\s*(?:###\s?(?:BEGIN|END) SOLUTION|#+\s?(?:BEGIN|END) (?:HIDDEN TESTS|MARK SCHEME))\b"
)
_ALMOST_NBGRADER = re.compile(
    r"\s*#+\s*(?:begin|end)[\s_-]*(?:hidden[\s_-]*tests?|mark[\s_-]*scheme)\b", re.IGNORECASE
)
_OTTER = re.compile(
    r".*#\s?SOLUTION(?: NO PROMPT)?\s*$|.*# BEGIN SOLUTION NO PROMPT\s*$"
    r"|\s*[\"']{3};? ?# (?:BEGIN|END) PROMPT\s*$|\s*<!--\s*(?:BEGIN|END) SOLUTION\b"
)
_ALMOST = re.compile(
    r"(?:#+|<!--)\s*(?:begin|end)[\s_-]*(?:solutions?|hidden[\s_-]*tests?|mark[\s_-]*scheme"
    r"|prompt)\b|#\s?SOLUTIONS?\b|#\s*solution no prompt\b",
    re.IGNORECASE,
)
_ASSIGNMENT = re.compile(r"(\s*[A-Za-z0-9_. ]*=)(?!=)")
_SOLUTION_LINE = re.compile(r"(?P<code>.*?)\s*#\s?SOLUTION\s*$")
_BEGIN = re.compile(r"\s*# BEGIN SOLUTION(?P<bare> NO PROMPT)?\s*$")
_END = re.compile(r".*# END SOLUTION\s*$")
_PROMPT = re.compile(r"\s*[\"']{3}(?:;? ?)# (?P<which>BEGIN|END) PROMPT\s*$")


class MarkerError(Exception):
    """A marker that cannot be followed. The message starts with file:line."""


class Dialect(StrEnum):
    """The grader whose markers a file uses."""

    OWN = "grader"
    NBGRADER = "nbgrader"
    OTTER = "otter"


@dataclass(frozen=True)
class Removed:
    """A part that students do not get, and that no placeholder stands for."""

    what: str
    """`hidden tests`, `mark scheme` or `tests`."""
    place: str


@dataclass(frozen=True)
class Stub:
    """The students' version of a text."""

    text: str
    removed: tuple[Removed, ...] = ()


@dataclass
class _Open:
    """A region that was begun."""

    what: str
    line: int


def dialect_of(source: str, file: str) -> Dialect:
    """Return whose markers a source uses; `# BEGIN SOLUTION` alone is ours.

    >>> dialect_of("def f():\\n    ### BEGIN SOLUTION\\n", "f.py").value
    'nbgrader'
    >>> dialect_of("x = 3  # SOLUTION\\n", "f.py").value
    'otter'

    Raises MarkerError if both occur, or none but something that is almost one of nbgrader's.
    """
    first: dict[Dialect, int] = {}
    for number, line in enumerate(source.split("\n"), start=1):
        for dialect, pattern in ((Dialect.NBGRADER, _NBGRADER), (Dialect.OTTER, _OTTER)):
            if pattern.match(line):
                first.setdefault(dialect, number)
    if len(first) == 2:
        raise MarkerError(
            f"{file}:{max(first.values())}: markers of nbgrader and of otter in one file "
            f"(the first one in line {min(first.values())}). Next: use one kind"
        )
    if not first:
        for number, line in enumerate(source.split("\n"), start=1):
            if _ALMOST_NBGRADER.match(line):
                raise _almost(line.strip(), number, file)
    return next(iter(first), Dialect.OWN)


def taken_out(source: str, dialect: Dialect, file: str, *, is_code: bool = True) -> Stub:
    """Return the students' version of a text with markers of nbgrader or of otter.

    Raises MarkerError for a marker that cannot be followed.

    >>> print(taken_out("y = x * x # SOLUTION\\nz = y\\n", Dialect.OTTER, "f.py").text, end="")
    y = ...
    z = y
    """
    lines = source.split("\n")
    removed: list[Removed] = []
    if dialect is Dialect.NBGRADER:
        kept = list(_nbgrader(lines, file, CODE_STUB if is_code else TEXT_STUB, removed))
    else:
        kept = list(_otter(lines, file))
    return Stub("\n".join(kept), tuple(removed))


def _nbgrader(
    lines: list[str], file: str, stub: tuple[str, ...], removed: list[Removed]
) -> Iterator[str]:
    """Yield the lines that students get; a line with nbgrader's words anywhere is a marker."""
    opened: _Open | None = None
    for number, line in enumerate(lines, start=1):
        words = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
        begun = next((what for what in words if f"BEGIN {what}" in line), None)
        ended = next((what for what in words if f"END {what}" in line), None)
        if begun is not None:
            _require_closed(opened, number, f"BEGIN {begun}", file)
            opened = _Open(begun, number)
            if begun == "SOLUTION":
                indent = line[: len(line) - len(line.lstrip())]
                yield from (indent + text for text in stub)
            else:
                removed.append(Removed(begun.lower(), f"{file}:{number}"))
        elif ended is not None:
            _require_open(opened, number, ended, file)
            opened = None
        elif opened is None:
            yield _kept(line, number, file)
    _require_end(opened, file)


def _otter(lines: list[str], file: str) -> Iterator[str]:
    opened: _Open | None = None
    for number, line in enumerate(lines, start=1):
        prompt, begin = _PROMPT.match(line), _BEGIN.match(line)
        if begin or (prompt and prompt["which"] == "BEGIN"):
            what = "SOLUTION" if begin else "PROMPT"
            _require_closed(opened, number, f"BEGIN {what}", file)
            opened = _Open(what, number)
            if begin and not begin["bare"]:
                yield line[: len(line) - len(line.lstrip())] + PROMPT
        elif prompt or _END.match(line):
            _require_open(opened, number, "PROMPT" if prompt else "SOLUTION", file)
            opened = None
        elif opened is not None and opened.what == "SOLUTION":
            continue
        elif not line.rstrip().endswith(("# SOLUTION NO PROMPT", "# SEED")):
            yield _otter_line(line, number, file)
    _require_end(opened, file)


def _otter_line(line: str, number: int, file: str) -> str:
    solution = _SOLUTION_LINE.match(line)
    if solution is None or not solution["code"].strip():
        return _kept(line, number, file)
    assignment = _ASSIGNMENT.match(solution["code"])
    if assignment is not None:
        return f"{assignment[1]} {PROMPT}"
    return line[: len(line) - len(line.lstrip())] + PROMPT


def _kept(line: str, number: int, file: str) -> str:
    """Return the line, which is no marker; raise MarkerError if it looks like one."""
    almost = _ALMOST.search(line)
    if almost is not None:
        raise _almost(almost[0], number, file)
    return line


def _almost(text: str, number: int, file: str) -> MarkerError:
    return MarkerError(
        f"{file}:{number}: {text!r} is almost a marker. "
        "Next: spell it as the others are, in capitals, or reword the line"
    )


def _require_closed(opened: _Open | None, number: int, what: str, file: str) -> None:
    if opened is not None:
        raise MarkerError(
            f"{file}:{number}: {what!r} inside 'BEGIN {opened.what}' of line {opened.line}. "
            f"Next: write 'END {opened.what}' before it"
        )


def _require_open(opened: _Open | None, number: int, what: str, file: str) -> None:
    if opened is None:
        raise MarkerError(
            f"{file}:{number}: 'END {what}' without a 'BEGIN {what}' before it. "
            "Next: write that, or delete this line"
        )
    if opened.what != what:
        raise MarkerError(
            f"{file}:{number}: 'END {what}' inside 'BEGIN {opened.what}' of line {opened.line}. "
            f"Next: write 'END {opened.what}' before it"
        )


def _require_end(opened: _Open | None, file: str) -> None:
    if opened is not None:
        raise MarkerError(
            f"{file}:{opened.line}: 'BEGIN {opened.what}' is never closed. "
            f"Next: write 'END {opened.what}' where it ends"
        )
