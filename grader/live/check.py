"""`grader.check(…)`: check the live objects of a notebook or console on the public criteria."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from grader.course.course import Course, CourseError, find_course, find_root, select
from grader.course.prerequisites import with_prerequisites
from grader.course.rubric import Exercise, Rubric
from grader.course.rubric_file import RubricError
from grader.course.rubric_place import RUBRIC_FILE
from grader.engine.engine import EngineError
from grader.engine.tiers import IsolationError
from grader.live.alone import CheckRequest, held, left_out, scope_of, seen_of
from grader.live.answer import Answer, Refusal, show
from grader.live.course import exercise_of, practice_course, practice_hello
from grader.live.reporting import report_of
from grader.live.session import Session
from grader.live.spaces import Namespace, Spaces, cell_names, entries
from grader.report.cleaning import refusal
from grader.report.tries import known_by_now
from grader.submission.submission import digest_of
from grader.text.language import (
    LANGUAGES,
    _,
    language_in_use,
    preferred_language,
    speak_of,
    use_language,
)
from grader.text.problem import did_you_mean
from grader.text.typed import here
from grader.worker.live import Kernel, Space


def check(
    *what: object,
    course: str | Path | None = None,
    lang: str | None = None,
    causes: bool = False,
) -> None:
    """Check what you wrote, as it stands in this kernel, and show a report. It is practice.

    `what`: functions and classes, modules, or the names of exercises (`"a1.sdpa"`); nothing for
    everything here that an exercise asks for. `course`: its folder, if this one is not in it.
    `lang`: the language of the report, `en` or `ko`; else the environment's. `causes`: name likely
    causes, also where the course's author wants you to look for them first.
    """
    namespace = sys._getframe(1).f_globals
    folder = Path.cwd()
    typed = here(Path(course) if course is not None else None)
    try:
        use_language(preferred_language())
        use_language(_language(lang))
        answer = checked(what, namespace, folder, typed.course or folder, causes=causes)
        show(replace(answer, report=replace(answer.report, typed=typed)))
    except (CourseError, EngineError, IsolationError, RubricError) as error:
        show(Refusal(refusal(str(error))))


def _language(requested: str | None) -> str:
    """Return the language that was asked for, else the environment's.

    Raises CourseError for an unknown language.
    """
    if requested is None:
        return preferred_language()
    if requested not in LANGUAGES:
        message = _("there is no language '{name}'", name=requested)
        raise CourseError(f"{message}{did_you_mean(requested, LANGUAGES)}")
    return requested


def checked(
    what: Iterable[object],
    namespace: Namespace,
    folder: Path,
    course_folder: Path,
    *,
    causes: bool = False,
) -> Answer:
    """Return the report on objects of this process, in the language in use.

    Raises CourseError, EngineError, RubricError.
    """
    key = (*_stamp(course_folder), language_in_use())
    session, course = _session(*key)
    if not session.is_open:
        _session.cache_clear()
        session, course = _session(*key)
    speak_of(course.root)
    rubric = course.rubric
    spaces = Spaces(namespace, folder.resolve(), cell_names())
    request = _request_of(what, namespace, rubric)
    kernel = _kernel(spaces, request, rubric)
    files = {space.path: space.data or _text(space) for space in kernel.spaces}
    only = [
        slug
        for slug in with_prerequisites(rubric, request.slugs)
        if slug in request.slugs or _is_held(rubric.exercises[slug], kernel)
    ]
    scope = scope_of(request, only, kernel, rubric)
    graded = session.grade(kernel, files, scope, digest_of(files))
    if scope.about:
        rubric = seen_of(rubric, request.slugs, graded)
    report = report_of(graded, kernel, files, request.slugs, rubric, folder)
    notes = (*report.notes, *left_out(scope, rubric))
    report = replace(report, notes=notes, has_hints=course.paths.explains)
    return Answer(known_by_now(report, rubric.feedback, on_request=causes), folder)


# ---- the course ------------------------------------------------------------------------------


def _stamp(course_folder: Path) -> tuple[Path, int]:
    """Return the course's folder, and the time when its rubric was last changed.

    Raises CourseError outside of a course.
    """
    try:
        root = find_root(course_folder)
    except CourseError:
        raise CourseError(
            _(
                "{path}: not inside a course; no {file} here or in any folder above. "
                'Next: say where the course is: grader.check(…, course="DIR")',
                path=course_folder.resolve(),
                file=RUBRIC_FILE,
            )
        ) from None
    return root, (root / RUBRIC_FILE).stat().st_mtime_ns


@functools.cache
def _session(root: Path, changed: int, language: str) -> tuple[Session, Course]:
    """Start the judge of a course, and keep it: one for each language and state of the rubric.

    It stays for as long as this kernel lives.
    """
    use_language(language, root)
    # What this process holds its copies hold, in which a submission is run.
    course = practice_course(find_course(root, with_seed=False))
    return Session(practice_hello(course)), course


# ---- what was asked for ----------------------------------------------------------------------


def _request_of(what: Iterable[object], namespace: Namespace, rubric: Rubric) -> CheckRequest:
    items = tuple(what)
    known = exercise_of(rubric)
    slugs: set[str] = set()
    whole: set[str] = set()
    given: dict[str, object] = {}
    modules: list[ModuleType] = []
    for item in items:
        if isinstance(item, str):
            whole |= {known[item]} if item in known else {*select(rubric, [item])}
        elif isinstance(item, ModuleType):
            modules.append(item)
            whole |= _exercises_in(item, rubric)
        else:
            name = str(getattr(item, "__name__", type(item).__name__))
            slugs.add(_exercise_named(name, item, known))
            given[name] = item
    if not items:
        slugs = whole = {known[name] for name in namespace if name in known}
    slugs |= whole
    if not slugs:
        raise CourseError(
            _(
                "nothing here belongs to an exercise yet. The exercises ask for: {names}",
                names=", ".join(known),
            )
        )
    return CheckRequest(
        tuple(s for s in rubric.exercises if s in slugs), given, tuple(modules), frozenset(whole)
    )


def _stem(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2]


def _defined(module: ModuleType) -> Iterator[str]:
    """Yield the names that a module defines itself and does not import."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__:
            yield name


def _exercises_in(module: ModuleType, rubric: Rubric) -> set[str]:
    """Return the exercises of the assignment that a module is named after.

    If there is none of that name, returns the exercises whose targets the module defines.
    """
    own = {s for s, one in rubric.exercises.items() if one.assignment == _stem(module)}
    known = exercise_of(rubric)
    return own or {known[name] for name in _defined(module) if name in known}


def _exercise_named(name: str, item: object, known: Mapping[str, str]) -> str:
    if name not in known:
        text = _(
            "no exercise asks for '{name}'{hint}. Next: pass what you defined, or '{slug}'",
            name=name,
            hint=did_you_mean(name, known),
            slug=next(iter(known.values()), ""),
        )
        raise CourseError(text)
    if not callable(item) or not hasattr(item, "__name__"):
        raise CourseError(
            _("this is an object of the class {name}. Next: pass the class", name=name)
        )
    return known[name]


def _kernel(spaces: Spaces, request: CheckRequest, rubric: Rubric) -> Kernel:
    spaces_by_stem = entries(spaces, rubric)
    known = {
        name: exercise.assignment
        for exercise in rubric.exercises.values()
        for name in exercise.targets
    }
    for module in request.modules:
        stems = {rubric.exercises[slug].assignment for slug in _exercises_in(module, rubric)}
        spaces_by_stem |= dict.fromkeys(stems, spaces.of_module(module))
    given: dict[str, dict[str, object]] = {}
    for name, value in request.given.items():
        space = spaces_by_stem.setdefault(known[name], spaces.owner(value))
        given.setdefault(space.path, {})[name] = value
    for slug in request.slugs:
        spaces_by_stem.setdefault(rubric.exercises[slug].assignment, spaces.here)
    return Kernel(spaces.all, {stem: space.path for stem, space in spaces_by_stem.items()}, given)


def _is_held(exercise: Exercise, kernel: Kernel) -> bool:
    """Return whether all targets of an exercise are there.

    A single one of them may be no more than a copy for another exercise that builds on it.
    """
    return held(exercise, kernel) == {*exercise.targets}


def _text(space: Space) -> bytes:
    return "\n".join(cell.text for cell in space.cells).encode()
