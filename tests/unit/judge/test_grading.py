"""What a judge does for a student's submission, and what for `grader validate` alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from grader.course.scope import Scope
from grader.judge.grading import Grading


class Untouchable:
    """Records of known mistakes that nobody may look into."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked for")


def test_no_record_of_mistakes_is_read_for_a_check_of_a_students_work() -> None:
    """It would be read from disk for every exercise, in every `grader check`."""
    grading: Any = Grading.__new__(Grading)
    grading._kill_records = grading._mutants = grading._mutant_runs = Untouchable()
    check: Any = SimpleNamespace(exercise=SimpleNamespace(slug="t1.toy"))
    client: Any = Untouchable()

    assert grading._passed_here(check, Scope(), client, "") is None
