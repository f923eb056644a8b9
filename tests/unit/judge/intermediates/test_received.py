"""A worker's record is checked piece by piece: it can name the student's lines and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.judge.calls.student import SubmissionClient
from grader.judge.intermediates.received import own_values
from grader.wire.load_plan import LoadPlan
from grader.worker.recording import MAX_NUMBERS, MAX_ROWS

X = torch.arange(6.0)
RIGHT = ("a.py", None, 2, "y", -1, -1, X)
FILES = {"a.py": b"def f(x):\n    y = x + 1\n    return y\n"}


@pytest.fixture
def client() -> SubmissionClient:
    nobody: Any = None
    return SubmissionClient(nobody, LoadPlan(FILES, {"a": "a.py"}, {}, {}))


def test_a_right_row_is_taken(client: SubmissionClient) -> None:
    (value,) = own_values([RIGHT], client)

    assert (str(value.where), value.name, value.time) == ("a.py:2", "y", 1)


def test_a_part_of_a_line_is_read_from_the_file_and_not_from_the_worker(
    client: SubmissionClient,
) -> None:
    (value,) = own_values([("a.py", None, 2, "", 8, 13, X)], client)

    assert client.own_text(value.where, *value.part) == "x + 1"


@pytest.mark.parametrize(
    "sent",
    [
        None,
        {"rows": 1},
        "rows",
        [None],
        [RIGHT[:6]],
        [["a.py", None, 2, "y", -1, -1, X]],
        [("b.py", None, 2, "y", -1, -1, X)],
        [(("a.py",), None, 2, "y", -1, -1, X)],
        [("a.py", None, 10**9, "y", -1, -1, X)],
        [("a.py", None, True, "y", -1, -1, X)],
        [("a.py", "1", 2, "y", -1, -1, X)],
        [("a.py", None, 2, "secret", -1, -1, X)],
        [("a.py", None, 2, "x + 1", -1, -1, X)],
        [("a.py", None, 2, "y" * 100, -1, -1, X)],
        [("a.py", None, 2, "y", 3, 2, X)],
        [("a.py", None, 2, "y", 8, 13, X)],
        [("a.py", None, 2, "", -1, -1, X)],
        [("a.py", None, 2, "y", -1, -1, [1.0, 2.0])],
        [("a.py", None, 2, "y", -1, -1, X.long())],
        [("a.py", None, 2, "y", -1, -1, X.to("meta"))],
        [("a.py", None, 2, "y", -1, -1, torch.zeros(1).expand(MAX_NUMBERS + 1))],
        [("a.py", None, 2, "y", -1, -1, X.reshape(*[1] * 8, 6))],
    ],
)
def test_anything_else_is_dropped(client: SubmissionClient, sent: Any) -> None:
    assert own_values(sent, client) == []


def test_what_comes_after_something_malformed_is_dropped(client: SubmissionClient) -> None:
    assert len(own_values([RIGHT, None, RIGHT], client)) == 1


def test_there_is_a_last_row_and_a_last_number(client: SubmissionClient) -> None:
    full = (*RIGHT[:6], torch.zeros(1).expand(MAX_NUMBERS))

    assert len(own_values([RIGHT] * (MAX_ROWS + 9), client)) == MAX_ROWS
    assert len(own_values([full] * 100, client)) == 64
