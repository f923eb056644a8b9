"""`grader.check(…)`: the live objects of a notebook or console against the public criteria."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.course import Course, CourseError, find_course, select
from grader.engine import EngineError, Result
from grader.evidence import Note, Observation, Where
from grader.hello import note, observation
from grader.isolation import IsolationError
from grader.language import _, preferred_language, use_language
from grader.live.answer import Answer, Refusal, show
from grader.live.course import exercise_of, practice_course, practice_hello
from grader.live.session import Session
from grader.live.spaces import Namespace, Spaces, cell_names, entries
from grader.prerequisites import with_prerequisites
from grader.problem import did_you_mean
from grader.report.cleaning import refusal
from grader.report.content import report_on
from grader.rubric import Exercise, Rubric, RubricError
from grader.submission import Submission, digest_of
from grader.worker.live import Kernel, Space


def check(*what: object, course: str | Path | None = None) -> None:
    """Checks what you wrote, as it stands in this kernel, and shows a report. It is practice.

    `what`: functions and classes, modules, or the names of exercises (`"a1.sdpa"`); nothing for
    everything here that an exercise asks for. `course`: its folder, if this one is not in it.
    """
    namespace = sys._getframe(1).f_globals
    folder = Path.cwd()
    try:
        show(checked(what, namespace, folder, Path(course) if course is not None else folder))
    except (CourseError, EngineError, IsolationError, RubricError) as error:
        show(Refusal(refusal(str(error))))


@dataclass(frozen=True)
class Asked:
    """What is to be checked."""

    slugs: tuple[str, ...]
    given: Mapping[str, object]
    """Target -> the object that was passed for it."""
    modules: tuple[ModuleType, ...]


def checked(
    what: Iterable[object], namespace: Namespace, folder: Path, course_folder: Path
) -> Answer:
    """The report on objects of this process.

    Raises CourseError, EngineError, RubricError.
    """
    session, course = _session(*_stamp(course_folder))
    if not session.is_open:
        _session.cache_clear()
        session, course = _session(*_stamp(course_folder))
    rubric = course.rubric
    spaces = Spaces(namespace, folder.resolve(), cell_names())
    asked = _asked(what, namespace, rubric)
    kernel = _kernel(spaces, asked, rubric)
    files = {space.path: space.data or _text(space) for space in kernel.spaces}
    only = [
        slug
        for slug in with_prerequisites(rubric, asked.slugs)
        if slug in asked.slugs or _is_held(rubric.exercises[slug], kernel)
    ]
    meta = session.grade(kernel, files, only, digest_of(files))
    return Answer(replace(_report(meta, kernel, files, asked.slugs, rubric, folder)), folder)


# ---- the course ------------------------------------------------------------------------------


def _stamp(course_folder: Path) -> tuple[Path, int]:
    """The course, and when its rubric was last changed."""
    root = find_course(course_folder).root
    return root, (root / "rubric.yaml").stat().st_mtime_ns


@functools.cache
def _session(root: Path, changed: int) -> tuple[Session, Course]:
    """The judge of a course: one for as long as this kernel lives."""
    use_language(preferred_language(), root)
    course = practice_course(find_course(root))
    return Session(practice_hello(course)), course


# ---- what was asked for ----------------------------------------------------------------------


def _asked(what: Iterable[object], namespace: Namespace, rubric: Rubric) -> Asked:
    items = tuple(what)
    known = exercise_of(rubric)
    slugs: set[str] = set()
    given: dict[str, object] = {}
    modules: list[ModuleType] = []
    for item in items:
        if isinstance(item, str):
            slugs |= {known[item]} if item in known else {*select(rubric, [item])}
        elif isinstance(item, ModuleType):
            modules.append(item)
            slugs |= _asked_of(item, rubric)
        else:
            name = str(getattr(item, "__name__", type(item).__name__))
            slugs.add(_exercise_named(name, item, known))
            given[name] = item
    if not items:
        slugs = {known[name] for name in namespace if name in known}
    if not slugs:
        text = _("nothing here is asked for by an exercise yet. There are: {names}")
        raise CourseError(text.format(names=", ".join(known)))
    return Asked(tuple(s for s in rubric.exercises if s in slugs), given, tuple(modules))


def _stem(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _defined(module: ModuleType) -> Iterator[str]:
    """The names of a module that it does not have from elsewhere."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__:
            yield name


def _asked_of(module: ModuleType, rubric: Rubric) -> set[str]:
    """The exercises of the assignment that a module is named after; else of what it defines."""
    own = {s for s, one in rubric.exercises.items() if one.assignment == _stem(module)}
    known = exercise_of(rubric)
    return own or {known[name] for name in _defined(module) if name in known}


def _exercise_named(name: str, item: object, known: Mapping[str, str]) -> str:
    if name not in known:
        text = _("no exercise asks for '{name}'{hint}. Next: pass what you defined, or '{slug}'")
        slug = next(iter(known.values()), "")
        raise CourseError(text.format(name=name, hint=did_you_mean(name, known), slug=slug))
    if not callable(item) or not hasattr(item, "__name__"):
        raise CourseError(_("{name} is one object of its class. Next: pass the class", name=name))
    return known[name]


def _kernel(spaces: Spaces, asked: Asked, rubric: Rubric) -> Kernel:
    found = entries(spaces, rubric)
    known = {
        name: exercise.assignment
        for exercise in rubric.exercises.values()
        for name in exercise.targets
    }
    for module in asked.modules:
        stems = {rubric.exercises[slug].assignment for slug in _asked_of(module, rubric)}
        found |= dict.fromkeys(stems, spaces.of_module(module))
    given: dict[str, dict[str, object]] = {}
    for name, value in asked.given.items():
        space = found.setdefault(known[name], spaces.owner(value))
        given.setdefault(space.path, {})[name] = value
    for slug in asked.slugs:
        found.setdefault(rubric.exercises[slug].assignment, spaces.here)
    return Kernel(spaces.all, {stem: space.path for stem, space in found.items()}, given)


def _is_held(exercise: Exercise, kernel: Kernel) -> bool:
    """Whether all that an exercise asks for is there: one piece of it may be no more than a copy
    for an exercise that builds on it."""
    path = kernel.entries.get(exercise.assignment)
    values = next((space.values for space in kernel.spaces if space.path == path), {})
    return all(name in values for name in exercise.targets)


def _text(space: Space) -> bytes:
    return "\n".join(cell.text for cell in space.cells).encode()


# ---- the report ------------------------------------------------------------------------------


def _report(
    meta: dict[str, Any],
    kernel: Kernel,
    files: Mapping[str, bytes],
    slugs: tuple[str, ...],
    rubric: Rubric,
    folder: Path,
) -> Any:
    cells = {
        _cell_name(c.cell): c.text.encode()
        for space in kernel.spaces
        for c in space.cells
        if c.cell
    }
    shown = {**{path: data for path, data in files.items()}, **cells}
    cells_of = tuple(space.path for space in kernel.spaces if space.cells)
    submission = Submission("practice", shown, digest_of(files), str(folder))
    isolation = meta["isolation"]
    result = Result(
        submission=submission,
        observations=tuple(_seen(observation(row), cells_of) for row in meta["observations"]),
        loading=tuple(_noted(note(row), cells_of) for row in meta["notes"]),
        tier=isolation.get("tier", "none"),
        isolation=isolation,
        duration_ms=meta["duration_ms"],
        entries=dict(kernel.entries),
    )
    return report_on(result, rubric, slugs)


def _cell_name(number: int | None) -> str:
    return f"In[{number}]"


def _placed(where: Where | None, spaces: tuple[str, ...]) -> Where | None:
    """A cell by the name that the notebook shows beside it."""
    if where is None or where.file not in spaces or where.cell is None:
        return where
    return replace(where, file=_cell_name(where.cell), cell=None)


def _said(text: str, spaces: tuple[str, ...]) -> str:
    for path in spaces:
        text = re.sub(rf"{re.escape(path)} cell (\d+)", r"In[\1]", text)
    return text


def _seen(one: Observation, spaces: tuple[str, ...]) -> Observation:
    return replace(
        one,
        where=_placed(one.where, spaces),
        observed=_said(one.observed, spaces),
        notes=tuple(_said(text, spaces) for text in one.notes),
    )


def _noted(one: Note, spaces: tuple[str, ...]) -> Note:
    return replace(one, where=_placed(one.where, spaces), text=_said(one.text, spaces))
