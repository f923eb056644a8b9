"""Find the course around a folder, and name every path in it.

A course is the folder with `rubric.yaml` and everything below it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.paths import ASSIGNMENTS, DATA, CoursePaths
from grader.course.rubric import Exercise, Rubric
from grader.course.rubric_file import load_rubric
from grader.course.rubric_place import RUBRIC_FILE, rubric_problem
from grader.course.translations import with_wordings
from grader.course.yaml_source import displayed
from grader.sealed.opening import outline_root
from grader.sealed.refusal import SealedError
from grader.text.language import ENGLISH, _
from grader.text.problem import Problem, closest, did_you_mean, quoted


class CourseError(Exception):
    """A course that is not there or not complete; says which file, and what to do about it."""


@dataclass(frozen=True)
class Course:
    """A course on disk: its folder and its rubric."""

    root: Path
    rubric: Rubric

    @property
    def paths(self) -> CoursePaths:
        """Return the paths of everything in `reference/`."""
        return CoursePaths(self.root)

    @property
    def assignments(self) -> Path:
        """Return the folder of the hand-outs."""
        return self.root / ASSIGNMENTS

    def handouts(self, language: str) -> Path:
        """Return the folder of the hand-outs in a language, even if it does not exist."""
        return self.assignments if language == ENGLISH else self.assignments / language

    def data_files(self) -> tuple[Path, ...]:
        """Return the files that notebooks read, which lie beside the hand-outs; no folders."""
        return tuple(path for path in sorted((self.assignments / DATA).glob("*")) if path.is_file())

    def suite_files(self, exercise: Exercise) -> tuple[Path, ...]:
        """Return the suites of an exercise that exist: hidden, then public.

        Raises CourseError if there is none.
        """
        result = self.suites_there(exercise)
        if not result:
            raise CourseError(str(self._no_suite(exercise)))
        return result

    def suites_there(self, exercise: Exercise) -> tuple[Path, ...]:
        """Return the suites of an exercise that exist, which may be none: hidden, then public."""
        folder = self.root / "tests" / "suites" / exercise.assignment
        candidates = (folder / exercise.suite, folder / "public" / exercise.suite)
        return tuple(path for path in candidates if path.is_file())

    def _no_suite(self, exercise: Exercise) -> Problem:
        """Describe why an exercise has no suite.

        The stem of the assignment or the slug may be misspelt, or the file is not there yet.
        """
        stem, suites = exercise.assignment, self.root / "tests" / "suites"
        prefix = exercise.slug.partition(".")[0]
        stems = [path.name for path in suites.glob("*/") if not path.name.startswith("_")]
        if stem not in stems and (near := closest(stem, stems)):
            message = _("no folder {folder}", folder=displayed(suites / stem))
            message += did_you_mean(stem, [near])
            return rubric_problem(self.root, ("assignments", prefix), message)
        others = [one for one in self.rubric.exercises.values() if one.assignment == stem]
        taken = {one.suite for one in others}
        files = {path.name for path in (suites / stem).rglob("test_*.py")} - taken
        free = sorted(name.removeprefix("test_").removesuffix(".py") for name in files)
        message = _("no suite {file}", file=displayed(suites / stem / exercise.suite))
        if near := closest(exercise.slug.partition(".")[2], free):
            message += _(" - did you mean {name}?", name=quoted(f"{prefix}.{near}"))
        else:
            message += _(" - write this file, or take the exercise out")
        return rubric_problem(self.root, ("exercises", exercise.slug), message)

    def reference(self, stem: str) -> Path:
        """Return the path of an assignment's worked solution.

        Raises CourseError if there is no such file.
        """
        path = self.paths.solution(stem)
        if not path.is_file():
            remedy = _("Restore it: nothing is graded without it.")
            raise CourseError(_("{path}: no such file. {remedy}", path=path, remedy=remedy))
        return path

    def guide(self, slug: str) -> Path:
        """Return the path of the guide for marking a written answer, even if there is none."""
        return self.paths.guide(slug)


def find_course(start: Path, submission: Path | None = None, *, with_seed: bool = True) -> Course:
    """Return the course that `start` is in: the nearest folder upwards with a `rubric.yaml`.

    If `start` is a file, it is a sealed course, and only its outline is opened.

    No course is taken from within `submission`, the folder of what is to be graded: the suites and
    the reference of a course are run with all rights of whoever grades.

    Raises CourseError if there is none, RubricError if its rubric is not valid.
    """
    root = _sealed_root(start) if start.is_file() else find_root(start, submission)
    rubric = load_rubric(root / RUBRIC_FILE, with_seed=with_seed)
    return Course(root, replace(rubric, written=with_wordings(root, rubric.written)))


def _sealed_root(file: Path) -> Path:
    try:
        return outline_root(file)
    except SealedError as error:
        raise CourseError(str(error)) from None


def find_root(start: Path, submission: Path | None = None) -> Path:
    """Return the folder of the course that `start` is in.

    Raises CourseError if it is in none.
    """
    start = start.resolve()
    result = [one for one in (start, *start.parents) if (one / RUBRIC_FILE).is_file()]
    theirs = submission.resolve() if submission is not None else None
    refused = ""
    for folder in result:
        if theirs is not None and folder.is_relative_to(theirs):
            refused = _("a course inside the submission is not used.")
        elif _anybody_may_add_to(folder):
            refused = _("a folder that anybody may add files to is not used as a course.")
        else:
            return folder
    name_it = _("Change into the course folder, or name it: --course DIR")
    if refused:
        raise CourseError(f"{result[-1] / RUBRIC_FILE}: {refused} {name_it}")
    none = _(
        "{path}: not inside a course; no {file} here or in any folder above.",
        path=start,
        file=RUBRIC_FILE,
    )
    raise CourseError(f"{none} {name_it}")


def course_here(named: Path | None, submission: Path | None = None) -> Course:
    """Return the named course, or else the one around the working directory.

    The latter is not taken from within `submission`. Raises CourseError if there is none,
    RubricError if its rubric is not valid.
    """
    return find_course(named) if named is not None else find_course(Path.cwd(), submission)


def _anybody_may_add_to(folder: Path) -> bool:
    """Tell whether it is a folder such as `/tmp`, in which other users of a machine leave files."""
    shared = stat.S_ISVTX | stat.S_IWOTH
    return folder.stat().st_mode & shared == shared


def select(rubric: Rubric, names: Iterable[str]) -> tuple[str, ...]:
    """Return the slugs that `names` stand for.

    A name is a slug, a prefix such as `a1`, or a stem such as `a1_attention`.

    They come in the rubric's order; there are none if no names are given. Raises CourseError for an
    unknown name.
    """
    chosen: set[str] = set()
    for name in names:
        result = {
            slug
            for slug, exercise in rubric.exercises.items()
            if name in (slug, slug.partition(".")[0], exercise.assignment)
        }
        if not result:
            known = [*rubric.exercises, *rubric.assignments, *rubric.assignments.values()]
            message = _("no exercise or assignment '{name}' in this course", name=name)
            raise CourseError(f"{message}{did_you_mean(name, known)}")
        chosen |= result
    return tuple(slug for slug in rubric.exercises if slug in chosen)
