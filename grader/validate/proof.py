"""Run the whole of `grader validate`: read a course, grade it, and say what is proven."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..course.course import Course
from ..course.todos import open_todos
from ..engine.engine import EngineError, Options
from .alike import alike
from .collected import collected_gaps
from .data import CourseData, read_course
from .diagnosis import Diagnosed, tables_of
from .gap import Gap
from .handouts import guide_gaps, handout_gaps, notebook_gaps
from .mistake_map import Mapped, map_gaps, mistake_map
from .pairs import PAIRS, pairs_of
from .record import (
    KillRecord,
    differences,
    read_record,
    records,
    static_differences,
    write_records,
)
from .rules import rule_gaps, unchecked
from .suites import suite_gaps
from .trials import Evidence, grade

TODO = "write it, and take the TODO away"


@dataclass(frozen=True)
class Proof:
    """The findings of `grader validate` about a course."""

    data: CourseData
    evidence: Evidence
    gaps: tuple[Gap, ...]
    unchecked: int
    """The number of checks that could not be made."""
    mistakes: tuple[Mapped, ...]
    alike: tuple[tuple[str, ...], ...]
    diagnosed: Diagnosed | None = None
    """The tables on diagnosis, if they were asked for."""

    @property
    def exit_code(self) -> int:
        return 3 if self.unchecked else 1 if self.gaps else 0


def read_gaps(course: Course, only: Sequence[str] = ()) -> tuple[CourseData, list[Gap]]:
    """Return the course's data and the gaps that show before anything is graded."""
    whole = read_course(course)
    data = read_course(course, only) if only else whole
    gaps = [*whole.gaps, *suite_gaps(course, data.slugs), *handout_gaps(data)]
    gaps += [*guide_gaps(data), *notebook_gaps(data)]
    gaps += map_gaps(whole, whole.edited)
    for slug, exercise in data.exercises.items():
        todos = [Gap(t.file, t.line, f"TODO: {t.text}", TODO) for t in open_todos(course, exercise)]
        old = read_record(course.paths, slug)
        if isinstance(old, KillRecord):
            gaps += static_differences(data, slug, old)
        elif not todos:  # what is not finished needs no record
            gaps.append(old)
        gaps += todos
    return data, gaps


def prove(
    course: Course,
    only: Sequence[str],
    options: Options,
    write: bool = False,
    diagnosis: bool = False,
) -> Proof:
    """Grade the course and everything known about it.

    With `write`, the records of who fails which check are written anew, unless something could not
    be checked; with `diagnosis`, the causes that diagnosis names are tested, too. Raises
    CourseError and, with the gaps known by then, EngineError.
    """
    data, gaps = read_gaps(course, only)
    pairs = list(pairs_of(data, PAIRS)) if diagnosis else []
    try:
        evidence = grade(data, options, diagnosis, pairs, on_record=not write)
    except EngineError as error:
        raise EngineError("\n".join([*map(str, sorted(set(gaps))), str(error)])) from None
    missing = list(unchecked(data, evidence))
    if write and not missing:
        write_records(course.paths, records(data, evidence))
        data, gaps = read_gaps(course, only)
    for exercise in data.exercises.values():
        gaps += collected_gaps(course, exercise, evidence.checks)
    gaps += rule_gaps(data, evidence)
    gaps += _differences(data, evidence)
    edited = read_course(course).edited if only else data.edited
    results = {**evidence.graded, **evidence.pairs}
    return Proof(
        data,
        evidence,
        tuple(sorted(set(gaps))),
        len(missing),
        mistake_map(data, edited),
        tuple(alike(evidence)),
        tables_of(data, results, pairs, options) if diagnosis else None,
    )


def _differences(data: CourseData, evidence: Evidence) -> Iterator[Gap]:
    new: Mapping[str, KillRecord] = records(data, evidence)
    for slug, record in new.items():
        old = read_record(data.course.paths, slug)
        if isinstance(old, KillRecord):
            own = [check for check in evidence.checks if check.exercise == slug]
            yield from differences(slug, old, record, own, evidence.graded)
