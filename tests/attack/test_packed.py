"""No archive takes the parent long to look at, however it is made."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from grader.submission.submission import SubmissionError, read_submission
from tests.attack.packed import PACKED, Packed

TRUSTED_S = 2.0
"""A quarter of a second on an idle machine."""


LONGER = 1.5
"""What is not bounded takes at least so many times as long."""


def seconds(path: Path) -> tuple[float, str]:
    """Processor time of reading it, and what was said."""
    started = time.process_time()
    try:
        said = str(read_submission(path).skipped)
    except SubmissionError as error:
        said = str(error)
    return time.process_time() - started, said


@pytest.mark.parametrize("packed", PACKED, ids=lambda packed: packed.id)
def test_an_archive_is_soon_read_or_refused_and_what_bounds_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: Packed
) -> None:
    path = tmp_path / f"student-001.{packed.suffix}"
    path.write_bytes(packed.make())
    assert path.stat().st_size < 12 << 20

    # The first reading also imports what reads such an archive.
    first_s, said = seconds(path)
    bounded_s = min(seconds(path)[0] for _ in range(2))
    for name in packed.lifts:
        module, _dot, limit = name.rpartition(".")
        monkeypatch.setattr(sys.modules[f"grader.{module}"], limit, 1 << 60)
    without_s, _said = seconds(path)

    assert first_s < TRUSTED_S
    assert "too many files" in said or "too long a name" in said or "pieces" in said
    assert without_s > LONGER * bounded_s
