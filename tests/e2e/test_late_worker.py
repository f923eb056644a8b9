"""A submission has its whole time for loading, however late its worker is ready."""

from __future__ import annotations

import time

import pytest

from grader.judge.calls import student
from grader.judge.calls.worker_process import WorkerProcess
from grader.judge.calls.workers import Workers
from grader.wire.load_plan import LoadPlan
from tests.support.clients import STEM, student_of, worker_source

LIMIT_S = 2.0
SOURCE = b"import time\n\n\ndef seven(pause=time.sleep(0.3)):\n    return 7\n"


class LateWorkers(Workers):
    """Workers that take longer to start than a submission may take to load."""

    def take(self) -> WorkerProcess:
        time.sleep(1.25 * LIMIT_S)
        return super().take()


def test_a_late_worker_takes_no_time_from_the_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(student, "LOADING_LIMIT_S", LIMIT_S)
    plan = LoadPlan({f"{STEM}.py": SOURCE}, {STEM: f"{STEM}.py"}, {STEM: ("seven",)}, {})
    with worker_source("fork") as source:
        client = student.SubmissionClient(LateWorkers(source), plan)
        try:
            client.start_check(lambda call: 0.0)
            assert student_of(client).seven() == 7
        finally:
            client.close()
