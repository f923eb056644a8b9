"""Grade the submission in a folder for pytest: the checks there are, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from grader.course.course import Course, course_here
from grader.course.rubric import Visibility
from grader.course.scope import Scope
from grader.engine.engine import Engine, Options
from grader.engine.lanes import cores
from grader.grade.evidence import Observation
from grader.messages.answers import CheckFacts
from grader.report.content import Report, report_on
from grader.submission.file_choice import candidates, seem_untouched
from grader.submission.submission import Submission, read_submission
from grader.text.language import preferred_language, speak_of, use_language

NOTHING = Submission(id="", files={}, digest="", path="")


class FolderGrading:
    """One student's folder: its files, its public checks, and their results when asked for.

    Raises:
        CourseError, SubmissionError, EngineError: as `grader check` does, with a file to look at.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open = ExitStack()
        self.course: Course = course_here(None, folder)
        use_language(preferred_language())
        speak_of(self.course.root)
        self.submission = read_submission(folder, folder.name)
        self._wanted: tuple[str, ...] = ()

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Return the file of each assignment that was handed in, as the grader chooses it."""
        stems = {exercise.assignment for exercise in self.course.rubric.exercises.values()}
        chosen = candidates(self.submission.files, stems)
        return {stem: paths[0] for stem, paths in chosen.items()}

    @cached_property
    def checks(self) -> tuple[CheckFacts, ...]:
        """Return the public checks of what was handed in, in the order of the rubric."""
        exercises = self.course.rubric.exercises
        # What checks there are is known once anything is graded, and nothing is graded at once.
        for _result in self._engine.grade([NOTHING]):
            pass
        return tuple(
            check
            for slug, exercise in exercises.items()
            if exercise.assignment in self.files
            for check in self._engine.checks
            if check.exercise == slug
            and exercise.criteria[check.criterion].visibility is Visibility.PUBLIC
        )

    def want(self, slugs: Sequence[str]) -> None:
        """Take note of the exercises that are to be graded, all at once, when one is asked for."""
        self._wanted = tuple(dict.fromkeys(slugs))

    @cached_property
    def report(self) -> Report:
        """Return the report on the exercises that are wanted: graded once, in the jail."""
        scopes = {self.submission.id: Scope(self._wanted)}
        (graded,) = self._engine.grade([self.submission], scopes)
        return report_on(graded, self.course.rubric, self._wanted, None)

    @cached_property
    def observations(self) -> Mapping[str, Observation]:
        """Return the observation of each check, by its id."""
        return {seen.check: seen for part in self.report.exercises for seen in part.observations}

    @cached_property
    def _engine(self) -> Engine:
        untouched = frozenset(seem_untouched(self.submission.files, self.course.rubric))
        options = Options(untouched=untouched, counterexamples=True, hurry=cores() > 1)
        return self._open.enter_context(Engine(self.course, options))

    def close(self) -> None:
        """End the processes that grade."""
        self._open.close()
