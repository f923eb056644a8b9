"""Read an export of Gradescope: `submission_123/` beside `submission_metadata.yml`.

Of the metadata only the few lines that are needed are read, and by their form: the rest is what
programs of students printed, and no parser is to meet that here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.batch.arrivals import Arrival
from grader.batch.student_folders import FolderError, StudentFolder, StudentFolders, stems_in
from grader.text.moments import Moment, read_moment

METADATA = "submission_metadata.yml"
_FOLDER = re.compile(r"(\w[\w.~-]*):")
_VALUE = re.compile(r"(?P<indent> +)(?P<first>- +)?:(?P<key>\w+):(?: (?P<value>.*))?")
_KEY_INDENT = "  "
"""What stands before the keys of a submission; submitters stand deeper, or behind a dash."""


def is_export(folder: Path) -> bool:
    """Return whether Gradescope made this folder."""
    return (folder / METADATA).is_file()


@dataclass
class _Listing:
    """A submission as the metadata lists it."""

    line: int
    created_at: str = ""
    people: list[dict[str, str]] = field(default_factory=list)
    """The submitters, each with `sid`, `email` and `name` as far as they have one."""


def read_export(folder: Path, stems: frozenset[str]) -> StudentFolders:
    """Return the students of an export, each of a team with its folder.

    Raises FolderError and OSError.
    """
    metadata = folder / METADATA
    known = _metadata(metadata)
    students: list[StudentFolder] = []
    unread = []
    for name, listing in sorted(known.items()):
        path = folder / name
        arrivals: tuple[Arrival, ...] = ()
        try:
            arrivals = (Arrival(_moment(listing.created_at), stems_in(path, stems)),)
        except ValueError:
            unread.append(f"{metadata}:{listing.line}: {name}: no :created_at that is a time")
        ids = [_identity(person) for person in listing.people if _identity(person)] or [name]
        students += (StudentFolder(id, path, arrivals) for id in ids)
    others = (path for path in folder.iterdir() if path.name not in {METADATA, *known})
    return StudentFolders(tuple(students), tuple(sorted(others)), tuple(unread))


def _metadata(path: Path) -> dict[str, _Listing]:
    """Return what Gradescope says of each folder of an export. Raises FolderError."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as lines:
            known = _listings(path, lines)
    except OSError as error:
        raise FolderError(f"{path}: cannot be read ({error}).") from None
    if not known:
        raise FolderError(f"{path}: says nothing of any submission. Download the export again.")
    return known


def _listings(path: Path, lines: Iterable[str]) -> dict[str, _Listing]:
    known: dict[str, _Listing] = {}
    key, listing = "", _Listing(0)
    for number, line in enumerate(lines, start=1):
        if not line[:1].isspace() and not line.startswith(("---", "#")):
            name = _folder_name(line)
            if name is None or name in known:
                raise FolderError(
                    f"{path}:{number}: {line.strip()[:60]!r} is no folder of a submission, or is "
                    "there twice. Download the export again, or take the line out."
                )
            known[name] = listing = _Listing(number)
        elif match := _VALUE.match(line):
            if match["indent"] == _KEY_INDENT and not match["first"]:
                key = match["key"]
            _take(listing, key, match)
    return known


def _folder_name(line: str) -> str | None:
    match = _FOLDER.fullmatch(line.rstrip())
    return match and match[1]


def _take(listing: _Listing, key: str, match: re.Match[str]) -> None:
    """Take in a line of a listing; `key` is the one that it stands under."""
    value = _unquoted(match["value"] or "")
    if key == "created_at" and match["key"] == key:
        listing.created_at = value
    elif key == "submitters" and match["key"] != key:
        if match["first"]:
            listing.people.append({})
        if listing.people:
            listing.people[-1][match["key"]] = value


def _unquoted(text: str) -> str:
    """Return a value of YAML on one line as the text that it means; "" for what is none.

    >>> _unquoted("'001'"), _unquoted(r'"Zo\\xEB"'), _unquoted("null"), _unquoted("!binary |")
    ('001', 'Zoë', '', '')
    """
    text = text.strip()
    if text[:1] == text[-1:] == "'" and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == '"':
        try:
            value = json.loads(re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", text))
        except ValueError:
            return ""
        return value if isinstance(value, str) else ""
    return "" if text in ("~", "null") or text[:1] in ("!", "|", ">", "&", "*") else text


def _moment(text: str) -> Moment:
    """Return a time as Ruby writes it, with a space before its zone. Raises ValueError."""
    return read_moment(re.sub(r"\s+(?=(?:Z|[+-]\d\d:\d\d)$)", "", text))


def _identity(person: dict[str, str]) -> str:
    """Return the number of a submitter, else the address, else the name."""
    return next(filter(None, map(person.get, ("sid", "email", "name"))), "")
