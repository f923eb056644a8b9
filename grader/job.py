"""One submission on its way through the engine: its files, and which of them is what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .evidence import Note, Where
from .intake import Choice, candidates, choice_notes
from .json_scan import Effort
from .language import _
from .notebook import reduced
from .submission import Submission

MAX_SOURCE_BYTES = 32 << 20
"""Of all code sent to a worker, well below what a frame holds. Nobody writes that by hand."""


@dataclass
class Job:
    """A submission to be graded, tried again if a lane is lost over it."""

    submission: Submission
    candidates: Mapping[str, tuple[str, ...]]
    """Assignment -> the files that could be it, the more likely first."""
    files: Mapping[str, bytes]
    """What the worker gets: notebooks without their outputs."""
    left_out: tuple[str, ...] = ()
    """Files beyond `MAX_SOURCE_BYTES`, which it does not get."""
    attempts: int = 0

    def choices(self, said: Mapping[str, list[Any]]) -> dict[str, Choice]:
        """What was graded for each assignment; the more likely file if the worker never said."""
        return {
            stem: Choice(*said[stem]) if stem in said else Choice(paths[0], {})
            for stem, paths in self.candidates.items()
        }

    def notes(self, choices: Mapping[str, Choice]) -> Iterator[Note]:
        """What to say about the choices, and about files that were left out."""
        limit = f"{MAX_SOURCE_BYTES >> 20} MiB"
        for path in self.left_out:
            text = _(
                "not read: the code files before it already hold {limit}, or it does alone",
                limit=limit,
            )
            yield Note("problem", text, Where(path))
        for stem, choice in choices.items():
            paths = self.candidates[stem]
            yield from choice_notes(stem, choice, paths, self.submission.modified)


def job_for(submission: Submission, stems: Iterable[str]) -> Job:
    """The job of grading a submission in a course with these assignments."""
    files, left_out, total = {}, [], 0
    effort = Effort()
    for name, data in submission.files.items():
        # the digest has covered all of it by now
        source = reduced(data, effort) if name.lower().endswith(".ipynb") else data
        total += len(source)
        if total > MAX_SOURCE_BYTES:
            total -= len(source)
            left_out.append(name)
        else:
            files[name] = source
    found = candidates(files, stems, submission.modified)
    return Job(submission, found, files, tuple(left_out))
