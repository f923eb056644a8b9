"""Make IPython's own syntax in a cell inert: magics, shell lines, help.

What stays is plain Python with the same line numbers. Only the start of a logical line can be a
magic: a `!` or `%` line inside a string, a bracket or after a backslash is left alone, as in
IPython.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from ....text.language import _
from .splitting import PARSE_ERRORS

_CELL_MAGIC = re.compile(r"%%(?P<name>[^\W\d]\w*|!)?")
_SHELLS = ("!", "bash", "sh", "script", "system", "sx", "cmd", "pwsh", "powershell", "perl", "ruby")
_PYTHONS = ("python", "python2", "python3", "pypy", "cython")
_TEXTS = ("html", "HTML", "javascript", "js", "svg", "SVG", "latex", "markdown")
_LANGUAGES = ("R", "r", "rpy2", "julia", "octave", "sql", "bigquery", "file", "writefile")
_FOREIGN = frozenset((*_SHELLS, *_PYTHONS, *_TEXTS, *_LANGUAGES))
"""Cell magics that make the cell something else than Python of this notebook."""
_KEEPING = frozenset({"time", "timeit", "capture", "prun", "memit", "mprun", "debug"})
"""Cell magics that leave the cell Python, so that a syntax error in it is reported."""
_WRITES = frozenset({"file", "writefile"})
_LINE_MAGIC = re.compile(r"\s*%+(?P<name>\w*)(?P<rest>(?:\s.*)?)")
_HELP = re.compile(r"\s*(?:\?|%{0,2}[\w.*\[\]]+\?\??\s*;?\s*(?:#.*)?$)")
_NOT_IN_TARGET = frozenset("'\"#!%")
_TIMED = frozenset({"time"})
"""Line magics that run the rest of the line as a statement."""
_TOKEN = re.compile(
    r"""
    (?P<text>
        [\"]{3} [^\"\\]* (?: (?:\\. | \"(?!\"\")) [^\"\\]* )* (?:[\"]{3} | \Z)
      | [\']{3} [^\'\\]* (?: (?:\\. | \'(?!\'\')) [^\'\\]* )* (?:[\']{3} | \Z)
      | \" [^\"\\\n]* (?: \\. [^\"\\\n]* )* \"?
      | \' [^\'\\\n]* (?: \\. [^\'\\\n]* )* \'?
      | \#[^\n]*
      | \\\n
      | [^\"\'\#\\\n()\[\]{}]+
    )
    | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<end>\n) | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Python(NamedTuple):
    """A cell as plain Python."""

    text: str
    lost: str = ""
    """A message for the student if the cell may define something and is not loaded."""


def without_magics(text: str) -> Python:
    """Return the cell without magics; empty if a cell magic makes it something else than Python.

    >>> without_magics("%matplotlib inline\\nx = 1  # why?\\n!pip install einops").text
    '\\nx = 1  # why?\\n'
    """
    lines = _dedented(text).split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    marked = _CELL_MAGIC.match(lines[first])
    if marked is None:
        return Python(_plain("\n".join(lines)))
    name = marked["name"] or ""
    body = "\n".join(["" if i <= first else line for i, line in enumerate(lines)])
    if name in _WRITES:
        return Python(
            "\n" * text.count("\n"),
            _(
                "this cell is written to a file by `{magic}`, and is not part of the notebook: "
                "delete that line, or hand in the file as well",
                magic=f"%%{name}",
            ),
        )
    plain = _plain(body)
    if name in _FOREIGN or not (name in _KEEPING or _parses(plain)):
        return Python("\n" * text.count("\n"))
    return Python(plain)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except PARSE_ERRORS:
        return False
    return True


def _dedented(text: str) -> str:
    """Remove the first line's indentation from all lines, as IPython does for a pasted cell."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join(line.removeprefix(indent) for line in lines) if indent else text


def _plain(text: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        inert = _inert(text[at:end])
        if inert is None:
            end = _logical_end(text, at)
            kept.append(text[at:end])
        else:
            while text.endswith("\\", at, end) and end < len(text):
                following = text.find("\n", end + 1)
                end = len(text) if following < 0 else following
            end = min(end + 1, len(text))
            kept.append(inert + "\n" * text.count("\n", at, end))
        at = end
    return "".join(kept)


def _logical_end(text: str, at: int) -> int:
    """Return the end of the logical line that begins at `at`."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        elif token["end"] and not depth:
            return token.end()
    return len(text)


def _inert(line: str) -> str | None:
    """Return a replacement for a line that starts a logical line; None if it is plain Python."""
    indent = line[: len(line) - len(line.lstrip())]
    nothing = f"{indent}pass" if indent else ""
    if line.startswith("!", len(indent)) or _HELP.match(line):
        return nothing
    magic = _LINE_MAGIC.match(line)
    if magic is not None:
        return indent + _timed(magic) if _timed(magic) else nothing
    target, _other, value = line.partition("=")
    if not value.lstrip().startswith(("!", "%")) or _NOT_IN_TARGET.intersection(target):
        return None
    magic = _LINE_MAGIC.match(value)
    return f"{target}= {(magic and _timed(magic)) or 'get_ipython()'}"


def _timed(magic: re.Match[str]) -> str:
    """Return the statement that a line magic runs; empty if it runs none."""
    return magic["rest"].strip() if magic["name"] in _TIMED else ""
