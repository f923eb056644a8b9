"""Notice that files were saved, by whatever editor and in whatever way."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType

from grader.submission.collection import CODE_SUFFIXES
from grader.submission.submission import Submission, SubmissionError, read_submission

STEP_MS = 4
"""A save counts as done when nothing more happens for this long."""
DEBOUNCE_MS = 200
"""The longest that a save may take, such as a `git checkout` of many files."""
STOP_S = 2.0
SETTLE_S = 0.06
"""The wait for editors that empty a file, or move it away, before they write it."""


class Saves:
    """A context manager: a thread that writes a byte to `wake_fd` whenever code was saved."""

    def __init__(self, place: Path, wake_fd: int) -> None:
        self._place, self._wake_fd = place, wake_fd
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="saves", daemon=True)

    def __enter__(self) -> Saves:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join(STOP_S)

    def _watch(self) -> None:
        from watchfiles import DefaultFilter, watch

        is_folder = self._place.is_dir()
        ignored = DefaultFilter()

        def counts(change: object, path: str) -> bool:
            wanted = Path(path).suffix.lower() in CODE_SUFFIXES
            return wanted and ignored(change, path)  # type: ignore[arg-type]

        # Of a single file the folder: who saves by renaming makes another file of that name.
        for _ in watch(
            self._place if is_folder else self._place.parent,
            watch_filter=counts,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self._stop,
            rust_timeout=1000,
            recursive=is_folder,
        ):
            os.write(self._wake_fd, b"s")


def settled(target: Path, name: str, known: Submission) -> Submission:
    """Return the submission as it is now, but wait a moment if files vanished or became empty.

    Raises SubmissionError.
    """
    for last in (False, False, True):
        try:
            submission = read_submission(target, name)
        except SubmissionError:
            if last:
                raise
        else:
            if last or all(
                submission.files.get(path) for path, data in known.files.items() if data
            ):
                return submission
        threading.Event().wait(SETTLE_S)
    raise AssertionError("the last round returns or raises")
