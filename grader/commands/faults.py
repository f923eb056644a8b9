"""Mistakes in a course, a rubric or a path, said in their own words instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def in_words() -> Iterator[None]:
    """Turns the errors that name a file and a next step into click's, with exit code 2."""
    from grader.batch import BatchError
    from grader.course import CourseError
    from grader.engine import EngineError
    from grader.export.written_points import WrittenPointsError
    from grader.report.cleaning import refusal
    from grader.rubric import RubricError
    from grader.submission import SubmissionError

    ours = (
        BatchError, CourseError, EngineError, RubricError, SubmissionError, WrittenPointsError,
    )  # fmt: skip
    try:
        yield
    except ours as error:
        raise click.ClickException(refusal(str(error))) from error
