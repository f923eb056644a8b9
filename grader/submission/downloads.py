"""Recognise the downloads of learning management systems by the names of their files.

Canvas packs all files of a class into one folder and puts the student before each name:
`kimminjun_LATE_12345_67890_a1_attention.py`. Moodle makes a folder or a prefix a student:
`Kim Minjun_4711_assignsubmission_file_`. Sources: `lib/content_zipper.rb` of Canvas and
`mod/assign/classes/downloader.php` of Moodle.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PLAIN, CANVAS, MOODLE = "plain", "canvas", "moodle"

# The name is lower case, so LATE is no part of it.
_CANVAS = re.compile(
    r"(?:(?P<name>\w*?)_)??(?:(?P<late>LATE)_)?(?P<student>\d+|anon_\w+?)_"
    r"(?:(?P<attachment>\d+)_(?P<file>.+)|(?P<typed>(?:text|link)\.html))"
)
_CANVAS_COPY = re.compile(r"(?P<stem>.+)-\d+(?P<suffix>\.\w+)")
"""The name that Canvas gives a file that was handed in again: `a1_attention-1.py`."""
_MOODLE = re.compile(
    r"(?P<name>[^_/]*)_(?P<student>\d+)_assignsubmission_(?P<kind>file|onlinetext)"
    r"(?:_(?P<file>.+)|_)?"
)


@dataclass(frozen=True)
class DownloadedFile:
    """One file or folder of a submission."""

    name: str
    """The name that the student gave it; empty for a folder that is the whole submission."""
    path: Path


@dataclass(frozen=True)
class HandIn:
    """Everything that one student, or one team, handed in."""

    id: str
    """The name and the number of the student in that system."""
    parts: tuple[DownloadedFile, ...]
    late: bool = False
    """True if the system says so."""


@dataclass(frozen=True)
class _Named:
    """A path whose name says whose it is."""

    id: str
    name: str
    path: Path
    late: bool = False
    unique: str = ""
    """A number that no other path may have; empty if there is none."""


def recognise(paths: Iterable[Path], stems: Iterable[str] = ()) -> str:
    """Return the layout of a class: `canvas` or `moodle` if all names are as there, else `plain`.

    `stems` are the names of hand-outs without suffix.
    """
    known, stems = tuple(paths), tuple(stems)
    for layout in (MOODLE, CANVAS):
        result = [_READERS[layout](path, stems) for path in known]
        numbers = [one.unique for one in result if one is not None and one.unique]
        if known and None not in result and len(numbers) == len(set(numbers)):
            return layout
    return PLAIN


def hand_ins(
    paths: Iterable[Path], layout: str, stems: Iterable[str] = ()
) -> tuple[tuple[HandIn, ...], tuple[Path, ...]]:
    """Return what each student handed in, by id; and the paths that are nobody's by their name.

    `layout` is `canvas` or `moodle`; `stems` are the names of hand-outs without suffix.
    """
    stems = tuple(stems)
    by_id: dict[str, list[_Named]] = {}
    others = []
    for path in sorted(paths):
        named = _READERS[layout](path, stems)
        if named is None:
            others.append(path)
        else:
            by_id.setdefault(named.id, []).append(named)
    result = (
        HandIn(
            id,
            tuple(DownloadedFile(one.name, one.path) for one in _newest_first(named)),
            any(one.late for one in named),
        )
        for id, named in sorted(by_id.items())
    )
    return tuple(result), tuple(others)


def _newest_first(named: Iterable[_Named]) -> list[_Named]:
    """Sort files by their numbers, so that of two with one name the newer one is read."""
    return sorted(named, key=lambda one: (-int(one.unique or 0), one.path.name))


def _in_canvas(path: Path, stems: tuple[str, ...]) -> _Named | None:
    match = _CANVAS.fullmatch(unicodedata.normalize("NFC", path.name))
    if match is None or path.is_dir():
        return None
    who = [match["name"], match["student"]]
    name = match["file"] or match["typed"]
    copy = _CANVAS_COPY.fullmatch(name)
    if copy is not None and copy["stem"] in stems:
        name = copy["stem"] + copy["suffix"]
    late = match["late"] is not None
    return _Named("_".join(filter(None, who)), name, path, late, match["attachment"] or "")


def _in_moodle(path: Path, stems: tuple[str, ...]) -> _Named | None:
    del stems  # Moodle keeps names as they are.
    match = _MOODLE.fullmatch(unicodedata.normalize("NFC", path.name))
    if match is None or bool(match["file"]) == path.is_dir():
        return None
    who = f"{match['name']}_{match['student']}"
    return _Named(who, match["file"] or "", path)


_READERS: Mapping[str, Callable[[Path, tuple[str, ...]], _Named | None]] = {
    CANVAS: _in_canvas,
    MOODLE: _in_moodle,
}
