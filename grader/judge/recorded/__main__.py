"""Write a recording to standard output: `python -m grader.judge.recorded COURSE SEED`.

Process: recorder
Started by: parent, exec
Knows: the whole course. It runs the reference and known mistakes, and never a submission
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import torch

from ...course.course import find_course
from ...worker.jail.kernel import die_with_parent
from .making import RecordingFailed, recording_of


def main(root: str, seed: str) -> int:
    """Write the recording of the course in `root`; return the exit code."""
    die_with_parent()  # minutes of work for a release that somebody has ended
    torch.set_num_threads(1)  # sums in another order end in other digits
    warnings.simplefilter("ignore")
    # What code of the course prints is no part of the recording.
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        try:
            out.write(recording_of(find_course(Path(root)), seed).written())
        except RecordingFailed as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
