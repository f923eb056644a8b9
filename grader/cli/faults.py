"""Show mistakes in a course, a rubric or a path as messages instead of tracebacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def in_words() -> Iterator[None]:
    """Turn the errors that name a file and a next step into click's, with exit code 2."""
    from grader.batch.discovery import BatchError
    from grader.batch.records import RecordsError
    from grader.batch.time_columns import RosterError
    from grader.batch.written_points import WrittenPointsError
    from grader.course.course import CourseError
    from grader.course.rubric_file import RubricError
    from grader.engine.engine import EngineError
    from grader.export.exported import ExportError
    from grader.files.writing import WritingError
    from grader.report.cleaning import refusal
    from grader.sealed.refusal import SealedError
    from grader.store.store import StoreError
    from grader.submission.submission import SubmissionError

    refusals = (
        BatchError, CourseError, EngineError, ExportError, RecordsError, RosterError, RubricError,
        SealedError, StoreError, SubmissionError, WritingError, WrittenPointsError,
    )  # fmt: skip
    try:
        yield
    except refusals as error:
        raise click.ClickException(refusal(str(error))) from error
