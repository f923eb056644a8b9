"""What of a submission is sent to a worker."""

from __future__ import annotations

from grader.engine.job import MAX_SOURCE_BYTES, job_for
from grader.grade.evidence import Where
from tests.support.courses import submission


def test_more_code_than_anybody_writes_is_left_out_and_told() -> None:
    huge = "#" * MAX_SOURCE_BYTES
    job = job_for(submission({"a.py": "x = 1\n", "huge.py": huge, "z.py": "y = 2\n"}), ("a", "z"))
    assert list(job.files) == ["a.py", "z.py"]
    assert [note.where for note in job.notes({})] == [Where("huge.py")]
    assert job.candidates == {"a": ("a.py",), "z": ("z.py",)}
