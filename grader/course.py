"""The course: the folder with `rubric.yaml`, and where things are in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from grader.language import ENGLISH, _
from grader.problem import did_you_mean
from grader.rubric import Exercise, Rubric, load_rubric
from grader.translations import with_wordings

RUBRIC_FILE = "rubric.yaml"


class CourseError(Exception):
    """A course that is not there or not complete; says which file, and what to do about it."""


@dataclass(frozen=True)
class Course:
    """A course on disk."""

    root: Path
    rubric: Rubric

    @property
    def assignments(self) -> Path:
        """The folder of the hand-outs."""
        return self.root / "assignments"

    def handouts(self, language: str) -> Path:
        """The folder of the hand-outs in a language, whether there are any or not."""
        return self.assignments if language == ENGLISH else self.assignments / language

    def suite_files(self, exercise: Exercise) -> tuple[Path, ...]:
        """The suites of an exercise that exist: hidden, then public.

        Raises CourseError if there is none.
        """
        folder = self.root / "tests" / "suites" / exercise.assignment
        candidates = (folder / exercise.suite, folder / "public" / exercise.suite)
        found = tuple(path for path in candidates if path.is_file())
        if not found:
            raise CourseError(
                f"{candidates[0]}: exercise {exercise.slug} has no suite. "
                f"Write this file, or take the exercise out of {self.root / RUBRIC_FILE}."
            )
        return found

    def reference(self, stem: str) -> Path:
        """The worked solution of an assignment."""
        path = self.root / "reference" / f"{stem}.py"
        if not path.is_file():
            remedy = _("Restore it: nothing is graded without it.")
            raise CourseError(_("{path}: no such file. {remedy}", path=path, remedy=remedy))
        return path

    def guide(self, slug: str) -> Path:
        """How to mark a written answer, whether it is there or not."""
        return self.root / "reference" / "guides" / f"{slug}.md"


def find_course(start: Path) -> Course:
    """The course that `start` is in: the nearest folder upwards with a `rubric.yaml`.

    Raises CourseError if there is none, RubricError if its rubric is not valid.
    """
    root = find_root(start)
    rubric = load_rubric(root / RUBRIC_FILE)
    return Course(root, replace(rubric, written=with_wordings(root, rubric.written)))


def find_root(start: Path) -> Path:
    """The folder of the course that `start` is in; raises CourseError if it is in none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / RUBRIC_FILE).is_file():
            return folder
    raise CourseError(
        _(
            "{path}: not inside a course; no {file} here or in any folder above. "
            "Change into the course folder, or name it: --course DIR",
            path=start,
            file=RUBRIC_FILE,
        )
    )


def select(rubric: Rubric, names: Iterable[str]) -> tuple[str, ...]:
    """The slugs that `names` stand for: slugs, prefixes such as `a1`, stems such as `a1_attention`.

    In the rubric's order; none when no names are given. Raises CourseError for an unknown name.
    """
    chosen: set[str] = set()
    for name in names:
        found = {
            slug
            for slug, exercise in rubric.exercises.items()
            if name in (slug, slug.partition(".")[0], exercise.assignment)
        }
        if not found:
            known = [*rubric.exercises, *rubric.assignments, *rubric.assignments.values()]
            told = _("no exercise or assignment '{name}' in this course", name=name)
            raise CourseError(f"{told}{did_you_mean(name, known)}")
        chosen |= found
    return tuple(slug for slug in rubric.exercises if slug in chosen)
