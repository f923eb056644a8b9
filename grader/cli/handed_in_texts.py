"""Find what students handed in as text, where their class was graded before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from grader.batch.discovery import BatchError, Entry
from grader.cli.class_entries import class_entries
from grader.course.course import Course
from grader.store.store import Store
from grader.submission.submission import SubmissionError


class HandedInTexts:
    """The modules of a class as they were graded. What is gone or has changed is left out."""

    def __init__(self, store: Store, folder: Path | None, results: Path, course: Course) -> None:
        """`folder` is where submissions are, if not where they were when they were graded."""
        self._store, self._folder, self._results, self._course = store, folder, results, course

    @cached_property
    def _entries(self) -> Mapping[str, Entry]:
        try:
            return class_entries(self._store, self._folder, self._results, self._course, "")
        except BatchError:
            if self._folder is not None:
                raise
            return {}

    def of(self, student: str) -> Mapping[str, str]:
        """Return the texts of a student's `.py` files, by stem; a notebook is none.

        Raises BatchError if the folder that was named is no class.
        """
        kept, entry = self._store.newest(student), self._entries.get(student)
        if kept is None or entry is None:
            return {}
        try:
            submission = entry.read()
        except (SubmissionError, BatchError, OSError):
            return {}
        about = kept.record["submission"]
        if submission.digest != about["digest"]:
            return {}
        files = {stem: submission.files.get(file) for stem, file in about["entries"].items()}
        return {
            stem: data.decode("utf-8", "replace")
            for stem, data in files.items()
            if data is not None and about["entries"][stem].endswith(".py")
        }
