"""Make and read the two keys of a sealed course: the author's seals, the grading key opens.

Who grades can open a course, and can't make one that another machine would take for the author's.
Keys are written as one line of text, so that they fit into the secrets of a CI system.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..text.language import _
from .refusal import SealedError

KEY_VARIABLE = "GRADER_COURSE_KEY"
"""The environment variable that holds a grading key."""
KEY_FILE_VARIABLE = "GRADER_COURSE_KEY_FILE"
"""The environment variable that holds the path of a file with a grading key."""

CIPHER_BYTES = 64
SIGNING_BYTES = 32
_AUTHOR = "grader-author-key-1:"
_GRADING = "grader-grading-key-1:"
_MOST_CHARACTERS = 1000


@dataclass(frozen=True)
class GradingKey:
    """The key that opens a sealed course, and knows its author's signature."""

    cipher: bytes = field(repr=False)
    """The secret of AES-SIV."""
    public: bytes
    """The author's public Ed25519 key."""

    @property
    def fingerprint(self) -> str:
        """Return a short name of the author's key, which tells nothing about the secret."""
        return hashlib.sha256(self.public).hexdigest()[:16]

    @property
    def text(self) -> str:
        """Return the key as one line."""
        return _GRADING + base64.urlsafe_b64encode(self.cipher + self.public).decode()


@dataclass(frozen=True)
class AuthorKey:
    """The key that seals a course. It stays with its author."""

    signing: bytes = field(repr=False)
    """The secret of Ed25519."""
    grading: GradingKey

    @property
    def text(self) -> str:
        """Return the key as one line."""
        secret = self.signing + self.grading.cipher + self.grading.public
        return _AUTHOR + base64.urlsafe_b64encode(secret).decode()


def author_key(text: str, place: str) -> AuthorKey:
    """Return the author's key in a text. `place` names the text in messages. Raises SealedError."""
    if text.strip().startswith(_GRADING):
        raise SealedError(
            _(
                "{place}: this key opens a course and cannot seal one. Name the author's.",
                place=place,
            )
        )
    data = _decoded(text, _AUTHOR, 2 * SIGNING_BYTES + CIPHER_BYTES, place)
    signing, rest = data[:SIGNING_BYTES], data[SIGNING_BYTES:]
    return AuthorKey(signing, GradingKey(rest[:CIPHER_BYTES], rest[CIPHER_BYTES:]))


def grading_key(text: str, place: str) -> GradingKey:
    """Return the grading key in a text. `place` names the text in messages. Raises SealedError."""
    if text.strip().startswith(_AUTHOR):
        raise SealedError(
            _(
                "{place}: this is the author's key, which can also sign a course and stays with "
                "the author. Use the grading key that was made with it.",
                place=place,
            )
        )
    data = _decoded(text, _GRADING, CIPHER_BYTES + SIGNING_BYTES, place)
    return GradingKey(data[:CIPHER_BYTES], data[CIPHER_BYTES:])


def grading_key_in(environ: Mapping[str, str]) -> GradingKey:
    """Return the grading key that the environment holds, or names a file of. Raises SealedError."""
    if text := environ.get(KEY_VARIABLE):
        return grading_key(text, KEY_VARIABLE)
    if name := environ.get(KEY_FILE_VARIABLE):
        return grading_key(read_key(Path(name)), name)
    raise SealedError(
        _(
            "a sealed course needs its grading key, in the variable {variable} or in a file that "
            "{file_variable} names.",
            variable=KEY_VARIABLE,
            file_variable=KEY_FILE_VARIABLE,
        )
    )


def read_key(path: Path) -> str:
    """Return the text of a file with a key. Raises SealedError."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_CHARACTERS + 1).decode("ascii", "replace")
    except OSError as error:
        reason = error.strerror or str(error)
        raise SealedError(
            _("{path}: the key cannot be read: {reason}", path=path, reason=reason)
        ) from None


def _decoded(text: str, kind: str, size: int, place: str) -> bytes:
    """Return the bytes of a key of that kind. No message shows any part of the text."""
    text = text.strip()
    data = b""
    if text.startswith(kind) and len(text) <= _MOST_CHARACTERS:
        try:
            data = base64.b64decode(text.removeprefix(kind), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            data = b""
    if len(data) != size:
        raise SealedError(
            _(
                "{place}: this is no key, or a part of one: expected one line that begins with "
                "{kind}",
                place=place,
                kind=kind,
            )
        )
    return data
