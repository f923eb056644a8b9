"""Find the written answers in a submission by their marks; they are never judged here.

Answers stand in markdown cells of notebooks and in `answers.md`. Whatever is found is kept: if two
places carry one mark, both are shown to the person who grades.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from grader.course.question_text import TAG, handed_out_lines, placeholders
from grader.course.questions import WrittenItem
from grader.grade.evidence import Where
from grader.submission.json_scan import Effort
from grader.submission.notebook import Cell, NotebookError, read_cells
from grader.submission.submission import Submission

_SLUG = r"[a-z][a-z0-9]{0,40}\.[a-z][a-z0-9_]{0,80}"
_MARK = re.compile(rf"<!--[ \t]{{0,9}}answer:[ \t]{{0,9}}({_SLUG})[ \t]{{0,9}}-->", re.IGNORECASE)
_HEADING = re.compile(rf"[ ]{{0,3}}#{{1,6}}[ \t][^\n]{{0,80}}?\b({_SLUG})", re.IGNORECASE)
_WIDE_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class WrittenAnswer:
    """A submission's answer to one question; the text is empty if there is none."""

    item: WrittenItem
    text: str = ""
    """The text as handed in: clean it before it is shown."""
    places: tuple[Where, ...] = ()

    @property
    def words(self) -> int:
        return len(self.text.split())

    @property
    def digest(self) -> str:
        """Return twelve hexadecimal digits of the text's SHA-256; empty if there is no text."""
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
    """Return the submission's answer to each item in `wanted`, in their order.

    `known` are all items of the course: an answer ends where the answer to another item begins.
    """
    items = tuple(wanted)
    if not items:
        return ()
    own = frozenset(line for item in known.values() for line in handed_out_lines(item))
    pieces: dict[str, list[_Piece]] = {slug: [] for slug in known}
    for piece in _pieces(submission, known):
        pieces[piece.slug].append(piece)
    return tuple(_joined(item, pieces[item.slug], own) for item in items)


def _joined(item: WrittenItem, pieces: Iterable[_Piece], own: frozenset[str]) -> WrittenAnswer:
    """Join all pieces that were found for an item to one answer; equal texts are taken once."""
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
    """Return the text without the lines of the hand-out around it and without placeholders."""
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
    """Yield slug, text and first line of each stretch that belongs to one of the items.

    A stretch begins at a mark, or at a heading that names the item: then its mark may be lost.
    """
    slug, lines, first = start, [], 1
    for number, line in enumerate(text.split("\n"), 1):
        comment = _MARK.search(line)
        mark = comment or _HEADING.match(line)
        named = mark[1].lower() if mark else ""
        if named not in known:
            lines.append(line)
            continue
        if slug:
            yield slug, "\n".join([*lines, line[: comment.start()] if comment else ""]), first
        # A heading in words of its own is no answer either.
        slug, first = named, number
        lines = [line[comment.end() :]] if comment else []
    if slug:
        yield slug, "\n".join(lines), first


def _decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 if the file says so; mark each byte that is neither."""
    encoding = _WIDE_MARKS.get(data[:2], "utf-8-sig")
    return _lines(data.decode(encoding, "replace"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
