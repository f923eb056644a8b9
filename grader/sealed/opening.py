"""Open a sealed course: the outline in the parent process, the whole of it in the judge."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from ..text.language import _
from .key import GradingKey, grading_key, grading_key_in
from .memory_path import OpenedFile, SealedPath, opened_file, sealed_root
from .refusal import SealedError
from .sealed_file import check_kind, unseal


def outline_root(place: Path) -> SealedPath:
    """Open the outline of a sealed course with the key in the environment; return its root.

    Raises SealedError.
    """
    place = place.resolve()
    data = _read(place)
    check_kind(data, str(place))  # who has named another file needs no key
    return _root(place, data, grading_key_in(os.environ), whole=False)


def course_root(place: str, key: str) -> Path:
    """Return the root of a course as a judge reads it: of a folder if there is no key.

    Raises SealedError.
    """
    if not key:
        return Path(place)
    return _root(Path(place), _read(Path(place)), grading_key(key, place), whole=True)


def key_of(root: Path) -> str:
    """Return the key of the sealed course that a path lies in; "" for a folder."""
    opened = opened_file(root)
    return "" if opened is None else opened.key.text


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise SealedError(
            _("{path}: the sealed course cannot be read: {reason}", path=place, reason=reason)
        ) from None


def _root(place: Path, data: bytes, key: GradingKey, *, whole: bool) -> SealedPath:
    today = datetime.now(UTC).date()
    return sealed_root(OpenedFile(place, unseal(data, key, today, str(place), whole=whole), key))
