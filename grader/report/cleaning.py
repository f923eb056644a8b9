"""Make text that a student had a hand in safe to show, at the last moment before it is shown."""

from __future__ import annotations

import re
import unicodedata

from grader.text.language import _

LIMIT_CHARACTERS = 2000
LIMIT_REFUSAL = 20_000
SHORT_CHARACTERS = 200
"""In a text of at most this length, how much was cut would take more room than what is left."""

# CSI, OSC and the other string sequences, whole, so that no tail of one is left as text.
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|.)?",
    re.DOTALL,
)
# What the logs of a CI system take for a command: `::name::` at the beginning of a line, and the
# older `##[name]` and `##vso[name]` anywhere. Colour codes before it are ours and count as blanks.
_COMMAND = re.compile(r"^((?:[^\S\n]|\x1b\[[0-9;]*m)*:)(?=:)|(##)(?=\w*\[)", re.MULTILINE)
# Blanks before the end of a line, colour codes between them aside.
_TRAILING_BLANKS = re.compile(r" +(?=(?: |\x1b\[[0-9;]*m)*$)", re.MULTILINE)
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str, limit: int = LIMIT_CHARACTERS) -> str:
    """Remove terminal escapes, control and direction characters, and bound the length.

    Line breaks stay.

    >>> printable("\\x1b[31mred\\x1b[0m")
    'red'
    """
    # Bounded first: what follows costs time for each character.
    if len(text) > limit:
        half = limit // 2
        cut = _("{count} characters cut", count=len(text) - 2 * half)
        between = f" … {cut} … " if limit > SHORT_CHARACTERS else "…"
        text = f"{text[:half]}{between}{text[-half:]}"
    text = _ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n").replace("\t", "    "))
    return "".join(
        character
        if character == "\n" or unicodedata.category(character) not in _UNPRINTABLE
        else _REPLACEMENT
        for character in text
    )


def one_line(text: str, limit: int = LIMIT_CHARACTERS) -> str:
    """Return `printable(text)` with every run of white space as one space."""
    return " ".join(printable(text, limit).split())


def without_commands(text: str) -> str:
    """Return `text` with nothing in it that a CI log would carry out as a command.

    >>> without_commands("::error::no")
    ': :error::no'
    """
    return _COMMAND.sub(lambda match: f"{match[0]} ", text)


def refusal(text: str) -> str:
    """Clean an error message that names files, for a terminal or a log; its line breaks stay."""
    return without_commands(printable(text, LIMIT_REFUSAL))


def trimmed(screen: str) -> str:
    """Remove the blanks that rich fills up the lines of a screen with."""
    return _TRAILING_BLANKS.sub("", screen)


def encodable(text: str, encoding: str) -> str:
    """Replace letters that the encoding lacks by `?`: a report never fails for a letter."""
    return text.encode(encoding, "replace").decode(encoding)
