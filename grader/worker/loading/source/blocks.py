"""Turn source bytes into statements: decode them, and parse even around a syntax error.

A `.py` file is one `Block`, a notebook one per cell; everything after `READERS` works on blocks.
"""

from __future__ import annotations

import ast
import codecs
import io
import tokenize
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from ....text.language import _
from .conflicts import without_conflicts
from .notebooks import read_notebook
from .sources import Block as Block
from .sources import Fault as Fault
from .sources import SourceFile as SourceFile
from .sources import tidy
from .splitting import PARSE_ERRORS, Splitter, explain, line_of

LIMIT_LINES = 10_000
"""Limit on the lines of a file; a semicolon ends a line as well. A long hand-out with its solution
has 1,000, and 10,000 take two seconds to load."""
LIMIT_BLOCK_CHARACTERS = 1 << 20

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Parsed:
    """The top-level statements of a block in order, and the pieces that could not be read."""

    statements: tuple[ast.stmt, ...]
    faults: tuple[Fault, ...]


def read(path: str, data: bytes) -> SourceFile:
    """Read the blocks of a file; a kind of file that cannot be loaded is a fault."""
    reader = READERS.get(PurePosixPath(path).suffix.lower())
    if reader is None:
        kinds = ", ".join(sorted(READERS))
        why = _("this kind of file cannot be loaded (only {kinds})", kinds=kinds)
        return SourceFile((), (Fault(why, None, is_whole=True),))
    source = reader(path, data)
    why = _too_much(source)
    return SourceFile((), (Fault(why, None, is_whole=True),)) if why else source


def _too_much(source: SourceFile) -> str:
    """Explain why a file is too long to be parsed; return an empty text if it is not.

    Decided before parsing, which would take time and memory.
    """
    lines = sum(block.text.count("\n") + block.text.count(";") for block in source.blocks)
    if lines > LIMIT_LINES:
        return _(
            "the file has {count} lines, and at most {limit} are read: hand in only your own code",
            count=f"{lines:,}",
            limit=f"{LIMIT_LINES:,}",
        )
    if any(len(block.text) > LIMIT_BLOCK_CHARACTERS for block in source.blocks):
        return _(
            "there is more than {mib} MiB of code in one piece: hand in only your own code",
            mib=LIMIT_BLOCK_CHARACTERS >> 20,
        )
    return ""


def read_python(path: str, data: bytes) -> SourceFile:
    """Read a `.py` file as one block."""
    text, faults = decode(data)
    return SourceFile((Block(text, path),), faults)


READERS: Mapping[str, Callable[[str, bytes], SourceFile]] = {
    ".py": read_python,
    ".ipynb": read_notebook,
}


def decode(data: bytes) -> tuple[str, tuple[Fault, ...]]:
    """Decode a file to text with `\\n` line ends; undecodable bytes become U+FFFD and a fault."""
    encoding, faults = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = _(
            "the file is not valid {encoding} from here on: save it as UTF-8", encoding=encoding
        )
        # a broken cookie already says what to do about the encoding
        faults = faults or [Fault(message, line)]
        text = data.decode(encoding, "replace")
    text, nul = tidy(text)
    return text, (*faults, *nul)


def _encoding(data: bytes) -> tuple[str, list[Fault]]:
    for mark, name in _WIDE_MARKS:
        if data.startswith(mark):
            message = _(
                "the file is saved as {encoding}, which Python refuses: save it as UTF-8",
                encoding=name.upper(),
            )
            return name, [Fault(message, None)]
    try:
        name = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        b"text".decode(name)  # rot13 and the like are no encodings of text
    except (SyntaxError, LookupError, ValueError) as error:
        # it also refuses first lines that are not UTF-8, for which `decode` has the line, and a
        # cookie that contradicts a byte order mark, which is harmless
        if "missing" in str(error) or "encoding problem" in str(error):
            return "utf-8", []
        message = _(
            "the encoding named in the first two lines is unusable ({error}): save as UTF-8",
            error=error,
        )
        return "utf-8", [Fault(message, 1)]
    return name, []


def parse(block: Block) -> Parsed:
    """Parse every top-level statement that can be read, with its own line number."""
    with warnings.catch_warnings():
        # invalid escapes and the like: the student's business, and no output of ours
        warnings.simplefilter("ignore")
        try:
            return Parsed(tuple(ast.parse(block.text).body), ())
        except PARSE_ERRORS:
            pieces = without_conflicts(Splitter(block.text).split(), block.text)
    faults = tuple(
        Fault(explain(error), line_of(error) or first, text, block.cell)
        for first, text, error in pieces.broken
    )
    return Parsed(tuple(pieces.statements), faults)
