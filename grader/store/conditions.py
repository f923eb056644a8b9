"""Name the conditions of a result: all it depends on beside the submission itself."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..course.course import Course
from ..course.paths import CoursePaths
from ..course.rubric import Rubric, Scoring
from ..course.rubric_place import RUBRIC_FILE
from ..sealed.memory_path import content_digest, opened_file
from ..submission.submission import Submission
from ..text.language import language_in_use

_PACKAGE = Path(__file__).resolve().parents[1]
_REFERENCE, _SUITES = "reference", "tests/suites"
_GUIDES = "reference/guides"
"""Say to people how to mark written answers: no check sees them, so a change runs no code."""
_EXPLANATIONS = "reference/exercises/*/explanations.toml"
"""Are read when a report is shown, and are in no record: a change runs no code either."""
_LIBRARIES = ("torch", "numpy", "einops")
_WORD = re.compile(rb"\w+")
SHARED = ""
"""Stands for a slug where something is of all exercises."""
_NO_SOURCE = frozenset({"__pycache__", ".ipynb_checkpoints"})


@dataclass(frozen=True)
class Conditions:
    """Everything but the submission that a result depends on. Two equal ones give equal results."""

    course: str
    """SHA-256 over the reference with all that belongs to it, but neither guides nor explanations,
    and over what suites share; then, for each of these exercises, `slug=` and the SHA-256 over its
    suites, its kill record and its small calls. A sealed course has the same as the folder that it
    was made from."""
    rules: str
    """SHA-256 over what `rubric.yaml` says about grading, all but what each thing is worth."""
    points: str
    """SHA-256 of `rubric.yaml`. Where nothing else differs, no code has to run for a new grade."""
    grader: str
    """SHA-256 over the source of this package."""
    libraries: str
    """Versions of Python and of the libraries that compute, such as `torch 2.13.0`."""
    isolation: str
    """The tier that was asked for."""
    exercises: str
    """Slugs of the exercises that were graded, in the rubric's order."""
    language: str
    """The language of what is said about submissions."""

    @property
    def digest(self) -> str:
        """Return the SHA-256 over all conditions."""
        return _digest(astuple(self))

    @property
    def digest_of_run(self) -> str:
        """Return the SHA-256 over all that decides what the checks see, and not what it earns."""
        return replace(self, points="").digest


def conditions_of(course: Course, exercises: Iterable[str], isolation: str) -> Conditions:
    """Return the conditions under which this machine grades these exercises of a course now.

    `exercises` are slugs; all exercises of the course are meant if there is none.
    """
    chosen = set(exercises) or set(course.rubric.exercises)
    return Conditions(
        course=_digest_of_course(course, chosen),
        rules=_digest([repr(_without_worth(course.rubric))]),
        points=_digest([(course.root / RUBRIC_FILE).read_bytes()]),
        grader=_digest_of(_PACKAGE.parent, _files(_PACKAGE)),
        libraries=", ".join(_versions()),
        isolation=isolation,
        exercises=" ".join(slug for slug in course.rubric.exercises if slug in chosen),
        language=language_in_use(),
    )


def changed_suites(then: Conditions, now: Conditions) -> frozenset[str]:
    """Return the exercises of which suites, and nothing but suites and points, changed in between.

    Empty if anything else differs as well, or nothing does.
    """
    (old, *before), (new, *after) = then.course.split(" "), now.course.split(" ")
    if old != new or replace(then, course=now.course).digest_of_run != now.digest_of_run:
        return frozenset()
    return frozenset(one.partition("=")[0] for one in {*before} ^ {*after})


def _without_worth(rubric: Rubric) -> Rubric:
    """Return a rubric in which nothing is worth, requires or costs anything."""
    exercises = {
        slug: replace(
            exercise,
            requires=(),
            criteria={
                name: replace(one, points=Fraction(0), scoring=Scoring.PARTIAL, requires=())
                for name, one in exercise.criteria.items()
            },
        )
        for slug, exercise in rubric.exercises.items()
    }
    questions = {
        slug: replace(item, points=Fraction(0), question="", wordings=(), scheme=())
        for slug, item in rubric.written.items()
    }
    return replace(
        rubric,
        exercises=exercises,
        written=questions,
        name_hidden_checks=False,
        late=None,
        totals=None,
        rests_on={},
    )


def digest_of_inputs(submission: Submission) -> str:
    """Return the SHA-256 over all that a report on a submission is made from.

    Beside the graded files these are the written answers, what was left out, and which of two
    files is the newer one: between two that could be meant, that decides. The time itself does not
    count: a copy of a folder is the same submission.
    """
    when = submission.modified
    oldest_first = sorted(submission.files, key=lambda name: (when.get(name, 0.0), name))
    answers = (part for name, data in sorted(submission.answers.items()) for part in (name, data))
    return _digest(
        [
            submission.digest,
            _digest(answers),
            _digest(submission.skipped),
            _digest(submission.set_aside),
            _digest(oldest_first),
        ]
    )


def _versions() -> Iterator[str]:
    yield f"python {platform.python_version()}"
    for name in _LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"{name} missing"


def _reference(root: Path) -> Iterator[Path]:
    """Yield the files of the reference on which a result may depend."""
    guides = root / _GUIDES
    for path in _files(root / _REFERENCE):
        if not path.is_relative_to(guides) and not path.match(_EXPLANATIONS):
            yield path


def _digest_of_course(course: Course, slugs: Collection[str]) -> str:
    of_parts = digests_of_parts(course, slugs)
    each = (f"{slug}={of_parts[slug]}" for slug in course.rubric.exercises if slug in slugs)
    return " ".join((of_parts[SHARED], *each))


def digests_of_parts(course: Course, slugs: Collection[str]) -> Mapping[str, str]:
    """Return the SHA-256 over what all exercises share, and over the suites of these.

    What is shared stands under `SHARED`, the others under their slugs.
    """
    opened = opened_file(course.root)
    if opened is not None:  # which suite uses which is for judges to read
        return opened.course.parts
    root, everything = course.root, set(_files(course.root / _SUITES))
    exercises = course.rubric.exercises
    suites = {slug: set(course.suites_there(one)) for slug, one in exercises.items()}
    beside = {slug: _beside_suites(course, slug) for slug in exercises}
    of_exercises = set[Path]().union(*suites.values())
    shared = _with_named(everything - of_exercises, of_exercises)
    of_all = {*_reference(root), *shared} - (of_exercises - shared)
    of_all -= set[Path]().union(*beside.values())
    each = {slug: _with_named(suites[slug], of_exercises) | beside[slug] for slug in slugs}
    return {part: _digest_of(root, files) for part, files in {SHARED: of_all, **each}.items()}


def _beside_suites(course: Course, slug: str) -> set[Path]:
    """Return an exercise's record of who fails which of its checks, and its small calls."""
    own = CoursePaths(course.root).exercise(slug)
    return {path for path in (own.kill_record, own.small_calls) if path.is_file()}


def _with_named(files: Collection[Path], others: Collection[Path]) -> set[Path]:
    """Return files with those of the others that one of them names, as an import does."""
    used, left, fresh = set(files), set(others) - set(files), set(files)
    while fresh and left:
        words = {word for path in fresh for word in _words(path)}
        fresh = {path for path in left if path.suffix == ".py" and path.stem.encode() in words}
        used, left = used | fresh, left - fresh
    return used


def _words(path: Path) -> Iterable[bytes]:
    """Return the words of a source; a record of kills names checks, and nothing that it uses."""
    return _WORD.findall(path.read_bytes()) if path.suffix == ".py" else ()


def _digest_of(root: Path, paths: Iterable[Path]) -> str:
    return _digest(
        part
        for path in sorted(paths)
        for part in (path.relative_to(root).as_posix(), content_digest(path))
    )


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not _NO_SOURCE.intersection(path.relative_to(folder).parts):
            yield path


def _digest(parts: Iterable[str | bytes]) -> str:
    """Return the SHA-256 over parts, each with its length before it."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
