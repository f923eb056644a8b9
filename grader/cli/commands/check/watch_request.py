"""The arguments of `grader check --watch`: the submission and the exercises to watch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.course.course import Course
from grader.text.typed import PLAIN, Typed


@dataclass(frozen=True)
class WatchRequest:
    """A submission that somebody is working on."""

    course: Course
    path: Path
    slugs: tuple[str, ...]
    """The exercises to look at; none for all."""
    typed: Typed = PLAIN
    remark: str = ""
    """A sentence about the choice of the path, if somebody could expect another one."""
    causes: bool = False
    """True if causes are to be named, whenever the course's author wants that."""
