"""Define the message in which the parent hands a judge one submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..course.scope import Scope
from ..wire.files import files_of, sizes_of
from ..wire.frame import Message, Meta
from .codec import decoded, encoded


@dataclass(frozen=True)
class GradeRequest:
    """One submission, and what to grade of it."""

    files: Mapping[str, bytes]
    """Path -> content, with notebooks reduced to their code."""
    entries: Mapping[str, str]
    """Assignment -> the file that is most likely it."""
    digest: str
    """The submission's digest, from which seeds are drawn."""
    scope: Scope
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Assignment -> more files that could be it, the more likely first."""

    def encoded(self) -> tuple[Meta, list[bytes]]:
        """Return the message, and the contents of the files that travel beside it."""
        meta = {
            "t": "grade",
            "files": sizes_of(self.files),
            "entries": encoded(self.entries),
            "digest": self.digest,
            "scope": encoded(self.scope),
            "others": encoded(self.others),
        }
        return meta, list(self.files.values())


def grade_request_in(message: Message) -> GradeRequest:
    """Decode the parent's request. Raises Violation if it is none."""
    meta = message.meta
    return GradeRequest(
        files=files_of(meta["files"], message.payload),
        entries=meta["entries"],
        digest=meta["digest"],
        scope=decoded(Scope, meta["scope"]),
        others={stem: tuple(paths) for stem, paths in meta["others"].items()},
    )
