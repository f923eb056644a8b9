"""Offer an archive to a collection file by file, as if it were the folder it was made from."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..text.language import _
from .archive import LIMIT_NAME_CHARACTERS, members
from .archive_member import ArchiveError, Member, leads_out
from .collection import (
    LIMIT_DEPTH,
    Collection,
    SubmissionError,
    Unreadable,
    is_code,
    is_ignored_folder,
    too_deep,
    too_long_a_name,
)

Path = tuple[str, ...]


@dataclass(frozen=True)
class _Placed:
    """A member and its path, folder by folder; `leads_out` if the path leads out of the archive."""

    member: Member
    path: Path
    leads_out: bool


def unpack_into(collection: Collection, name: str, data: bytes) -> None:
    """Offer every file of the archive to the collection.

    Raises SubmissionError if the archive cannot be read as a whole.
    """
    try:
        placed = list(_placed(collection, members(name, data)))
    except ArchiveError as error:
        raise SubmissionError(f"{collection.path}: {error}") from None
    inside = _without_wrapper([one for one in placed if not _is_left_out(one)])
    times = Counter(_spelling(one.path) for one in inside)
    # In the order of a folder, so that the same files are met first.
    for one in sorted(inside, key=lambda one: one.path):
        _offer(collection, one, times[_spelling(one.path)])


def _placed(collection: Collection, archived: Iterable[Member]) -> Iterable[_Placed]:
    for member in archived:
        collection.count_entry()
        if member.is_folder:
            continue
        if len(member.name) > LIMIT_NAME_CHARACTERS:
            collection.skip(member.name[:60] + "…", too_long_a_name())
            continue
        parts = tuple(part for part in member.name.split("/") if part not in ("", "."))
        yield _Placed(member, parts or ("",), leads_out(member.name))


def _is_left_out(one: _Placed) -> bool:
    if one.leads_out:
        return False
    # `._a1.py` is what macOS puts beside `a1.py`: no code.
    return one.path[-1].startswith("._") or any(map(is_ignored_folder, one.path[:-1]))


def _without_wrapper(placed: list[_Placed]) -> list[_Placed]:
    """Remove the one folder that everything is in, if there is one, from all paths."""
    inside = [one for one in placed if not one.leads_out and one.path[-1] != ".DS_Store"]
    tops = {one.path[0] if len(one.path) > 1 else "" for one in inside}
    if len(tops) != 1 or "" in tops:
        return placed
    top = tops.pop()
    return [
        _Placed(one.member, one.path[1:], one.leads_out)
        if len(one.path) > 1 and one.path[0] == top and not one.leads_out
        else one
        for one in placed
    ]


def _spelling(path: Path) -> str:
    return unicodedata.normalize("NFC", "/".join(path))


def _offer(collection: Collection, one: _Placed, times: int) -> None:
    name = "/".join(one.path)

    def read(limit_bytes: int) -> tuple[bytes, float]:
        if one.leads_out:
            raise Unreadable(
                _("has a path that leads out of the archive: not read. Pack it again.")
            )
        if len(one.path) - 1 > LIMIT_DEPTH:
            raise Unreadable(too_deep())
        if times > 1:
            raise Unreadable(
                _(
                    "is in the archive {times} times: none was read. Pack the folder again.",
                    times=times,
                )
            )
        try:
            return one.member.unpack(limit_bytes), one.member.modified_s
        except ArchiveError as error:
            raise Unreadable(str(error)) from None

    if one.leads_out and is_code(name):
        name = one.member.name
    collection.offer(name, one.member.kind, read)
