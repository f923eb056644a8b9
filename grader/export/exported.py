"""Define an export: its files, and what the person who asked for it has to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.explanations import Explanations
from grader.files.writing import Content
from grader.submission.submission import Submission


class ExportError(Exception):
    """An export that cannot be made; names the file and the line, and what to do about it."""


@dataclass(frozen=True)
class Choices:
    """The decisions that the command line leaves to a person."""

    fill: Path | None = None
    """The file that another system wrote and that is to be filled."""
    column: str = ""
    """The column to fill; empty if there is only one that can be meant."""
    cause: str = ""
    """The id of the cause to list; empty for all."""
    scale: bool = False
    """True if points become points of the other system's maximum."""
    sources: Mapping[str, Callable[[], Submission]] = field(default_factory=dict)
    """Maps the digest of a submission to a function that reads its files once more."""
    explanations: Explanations | None = None
    """The source of the hints on pages."""


@dataclass(frozen=True)
class Exported:
    """The files of one export."""

    files: Iterable[tuple[str, Content]]
    """Names within the folder of the export and contents; a single file has an empty name."""
    written: int
    """The number of students whose results are in it."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Students without a place or without points in it, each with the reason."""
    others: tuple[str, ...] = ()
    """Students of the file that was filled who are not in this class."""
    remarks: tuple[str, ...] = ()
    """Further things to know, a line each."""
