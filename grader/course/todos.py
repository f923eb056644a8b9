"""List what an author still has to write: the TODOs of an exercise, each with its place.

`grader new` leaves them as `TODO(slug): …`, in comments and in texts that students see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.course.course import Course
from grader.course.rubric import Exercise
from grader.course.rubric_place import RUBRIC_FILE


@dataclass(frozen=True)
class Todo:
    """One thing to write."""

    file: str
    """The path relative to the course's root."""
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.text}"


def open_todos(course: Course, exercise: Exercise) -> tuple[Todo, ...]:
    """Return every TODO of an exercise, in the files in which an exercise is written."""
    own = course.paths.exercise(exercise.slug)
    suites = course.root / "tests" / "suites" / exercise.assignment
    paths = (
        course.paths.solution(exercise.assignment),
        suites / "public" / exercise.suite,
        suites / exercise.suite,
        own.mistakes,
        own.variants,
        own.small_calls,
        course.root / RUBRIC_FILE,
    )
    texts = {
        path.relative_to(course.root).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.is_file()
    }
    return tuple(todos_in(texts, exercise.slug))


def todos_in(texts: Mapping[str, str], slug: str) -> Iterator[Todo]:
    """Yield the TODOs of an exercise in texts by file name.

    >>> text = "x = 1\\ny = 2  # TODO(a1.sums): both"
    >>> [str(todo) for todo in todos_in({"a.py": text}, "a1.sums")]
    ['a.py:2  both']
    """
    mark = re.compile(rf"\bTODO\({re.escape(slug)}\):?\s*(.*)")
    for file, text in texts.items():
        for number, line in enumerate(text.splitlines(), start=1):
            if match := mark.search(line):
                yield Todo(file, number, match[1].rstrip().removesuffix('"""').rstrip())
