"""The written answers in a submission: found by their marks, and never judged here.

Answers stand in markdown cells of notebooks and in `answers.md`. Whatever is found is kept: of two
places with one mark both are shown to the person who grades.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from grader.evidence import Where
from grader.json_scan import Effort
from grader.notebook import Cell, NotebookError, read_cells
from grader.submission import Submission
from grader.written.ask import TAG, handed_out_lines, placeholders
from grader.written.items import WrittenItem

_SLUG = r"[a-z][a-z0-9]{0,40}\.[a-z][a-z0-9_]{0,80}"
_MARK = re.compile(rf"<!--[ \t]{{0,9}}answer:[ \t]{{0,9}}({_SLUG})[ \t]{{0,9}}-->", re.IGNORECASE)
_HEADING = re.compile(rf"[ ]{{0,3}}#{{1,6}}[ \t][^\n]{{0,80}}?\b({_SLUG})", re.IGNORECASE)
_WIDE_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class WrittenAnswer:
    """What a submission says to one question; empty text where it says nothing."""

    item: WrittenItem
    text: str = ""
    """As handed in: clean it before it is shown."""
    places: tuple[Where, ...] = ()

    @property
    def words(self) -> int:
        return len(self.text.split())

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of the text's SHA-256; of no text, none."""
        data = self.text.encode("utf-8", "replace")
        return hashlib.sha256(data).hexdigest()[:12] if self.text else ""


@dataclass(frozen=True)
class _Piece:
    slug: str
    text: str
    where: Where


def written_answers(
    submission: Submission, known: Mapping[str, WrittenItem], wanted: Iterable[WrittenItem]
) -> tuple[WrittenAnswer, ...]:
    """What the submission says to each item in `wanted`, in their order.

    `known` are all items of the course: an answer ends where that to another one begins.
    """
    items = tuple(wanted)
    if not items:
        return ()
    own = frozenset(line for item in known.values() for line in handed_out_lines(item))
    found: dict[str, list[_Piece]] = {slug: [] for slug in known}
    for piece in _pieces(submission, known):
        found[piece.slug].append(piece)
    return tuple(_joined(item, found[item.slug], own) for item in items)


def _joined(item: WrittenItem, pieces: Iterable[_Piece], own: frozenset[str]) -> WrittenAnswer:
    """One answer of all that was found; what stands there twice is taken once."""
    by_text: dict[str, Where] = {}
    for piece in pieces:
        text = _answer_in(piece.text, own, placeholders(item))
        if text:
            by_text.setdefault(text, piece.where)
    if len(by_text) < 2:
        return WrittenAnswer(item, "".join(by_text), tuple(by_text.values()))
    text = "\n\n".join(f"[{where}]\n{text}" for text, where in by_text.items())
    return WrittenAnswer(item, text, tuple(by_text.values()))


def _answer_in(text: str, own: frozenset[str], empty: frozenset[str]) -> str:
    """The text without what was handed out around it and in its place."""
    for placeholder in empty:
        text = text.replace(placeholder, "")
    lines = text.split("\n")
    return "\n".join(line.rstrip() for line in lines if line.strip() not in own or not line).strip()


def _pieces(submission: Submission, known: Mapping[str, WrittenItem]) -> Iterator[_Piece]:
    for path, data in submission.answers.items():
        for slug, text, line in _sections(_decoded(data), known):
            yield _Piece(slug, text, Where(path, line))
    effort = Effort()
    slugs = [slug.encode() for slug in known]
    for path, data in submission.files.items():
        # Reading a large notebook takes a while, and most hold no answer.
        if path.lower().endswith(".ipynb") and any(slug in data for slug in slugs):
            yield from _in_notebook(path, data, effort, known)


def _in_notebook(
    path: str, data: bytes, effort: Effort, known: Mapping[str, WrittenItem]
) -> Iterator[_Piece]:
    try:
        cells = read_cells(data, effort)
    except NotebookError:  # the report on its code says so
        return
    current = ""
    for cell in cells:
        if cell.kind != "markdown":
            current = ""
            continue
        # An answer goes on in the text cells below, until code or a heading.
        start = _tagged(cell, known) or ("" if cell.source.lstrip().startswith("#") else current)
        for slug, text, _ in _sections(_lines(cell.source), known, start):
            current = slug
            yield _Piece(slug, text, Where(path, cell=cell.number))


def _tagged(cell: Cell, known: Mapping[str, WrittenItem]) -> str:
    slugs = (tag.removeprefix(TAG).strip() for tag in cell.tags if tag.startswith(TAG))
    return next((slug for slug in slugs if slug in known), "")


def _sections(
    text: str, known: Mapping[str, WrittenItem], start: str = ""
) -> Iterator[tuple[str, str, int]]:
    """Slug, text and first line of each stretch that belongs to one of the items.

    A stretch begins at a mark, or at a heading that names the item: then its mark may be lost.
    """
    slug, lines, first = start, [], 1
    for number, line in enumerate(text.split("\n"), 1):
        found = _MARK.search(line)
        mark = found or _HEADING.match(line)
        named = mark[1].lower() if mark else ""
        if named not in known:
            lines.append(line)
            continue
        if slug:
            yield slug, "\n".join([*lines, line[: found.start()] if found else ""]), first
        # A heading in words of its own is no answer either.
        slug, first = named, number
        lines = [line[found.end() :]] if found else []
    if slug:
        yield slug, "\n".join(lines), first


def _decoded(data: bytes) -> str:
    """Text in UTF-8, or in UTF-16 if it says so; else with a mark for each byte that is none."""
    encoding = _WIDE_MARKS.get(data[:2], "utf-8-sig")
    return _lines(data.decode(encoding, "replace"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
