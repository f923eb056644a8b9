"""Define what a client of `grader check --warm` asks for, and the one byte line that holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class WarmRequest:
    """A `grader check` as it was typed, and the surroundings in which it was."""

    cwd: str
    environment: Mapping[str, str]
    umask: int
    encodings: tuple[str, str]
    """The encodings of the client's output and of its errors."""
    path: str | None
    only: tuple[str, ...]
    format_: str
    files: tuple[tuple[str, str], ...]
    """Each further report: its format, and the file to write."""
    causes: bool
    spawn: bool
    isolation: str | None
    course_folder: str | None

    def encoded(self) -> bytes:
        """Return the request as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Decode a line of `encoded`."""
        content = json.loads(line)
        for name in ("encodings", "only"):
            content[name] = tuple(content[name])
        files = tuple((name, file) for name, file in content["files"])
        return cls(**{**content, "files": files})

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `grader.cli.commands.check.grading.run`."""
        return {
            "path": None if self.path is None else Path(self.path),
            "only": self.only,
            "format_": self.format_,
            "files": [(name, Path(file)) for name, file in self.files],
            "causes": self.causes,
            "spawn": self.spawn,
            "isolation": self.isolation,
            "course_folder": None if self.course_folder is None else Path(self.course_folder),
        }
