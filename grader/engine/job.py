"""Prepare one submission for the engine: its files, and which of them is which assignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..grade.evidence import Note, Where
from ..submission.file_choice import Choice, candidates, choice_notes
from ..submission.json_scan import Effort
from ..submission.notebook import reduced
from ..submission.submission import Submission
from ..text.language import _

MAX_SOURCE_BYTES = 32 << 20
"""Limit of all code sent to one worker, well below what a frame holds. Nobody writes that much by
hand."""


@dataclass
class Job:
    """One submission to be graded, and graded again if a lane is lost over it."""

    submission: Submission
    candidates: Mapping[str, tuple[str, ...]]
    """Assignment -> the files that could be it, the more likely first."""
    files: Mapping[str, bytes]
    """The files sent to the worker: notebooks without their outputs."""
    left_out: tuple[str, ...] = ()
    """Files that are not sent to the worker, because they exceed `MAX_SOURCE_BYTES`."""
    attempts: int = 0

    def choices(self, reported: Mapping[str, Choice]) -> dict[str, Choice]:
        """Return the file graded for each assignment; the likeliest if the worker did not say."""
        return {
            stem: reported.get(stem, Choice(paths[0], {}))
            for stem, paths in self.candidates.items()
        }

    def notes(self, choices: Mapping[str, Choice]) -> Iterator[Note]:
        """Yield notes about the choices, and about files that were left out."""
        limit = f"{MAX_SOURCE_BYTES >> 20} MiB"
        for path in self.left_out:
            text = _(
                "not read: with this file, the code files hold more than {limit}",
                limit=limit,
            )
            yield Note("problem", text, Where(path))
        for stem, choice in choices.items():
            paths = self.candidates[stem]
            yield from choice_notes(stem, choice, paths, self.submission.modified)


def job_for(submission: Submission, stems: Iterable[str]) -> Job:
    """Prepare the job of grading a submission in a course with these assignments."""
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
    by_stem = candidates(files, stems, submission.modified)
    return Job(submission, by_stem, files, tuple(left_out))
