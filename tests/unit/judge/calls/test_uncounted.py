"""A time limit goes by the number of a call among the check's own calls."""

from __future__ import annotations

import pytest

from grader.judge.calls.faults import StudentRaised
from tests.support.clients import STEM, local_client

SOURCE = """
def f():
    return 1

def fails():
    raise ValueError("no")
"""


def test_calls_made_for_another_reason_are_not_counted() -> None:
    client, _ = local_client(SOURCE)
    client.invoke(["N", STEM, "f"], (), {}, {})
    with client.uncounted():
        client.invoke(["N", STEM, "f"], (), {}, {})
        assert client.calls == 2
    assert client.calls == 1


def test_nor_are_those_that_raise() -> None:
    client, _ = local_client(SOURCE)
    with pytest.raises(StudentRaised), client.uncounted():
        client.invoke(["N", STEM, "fails"], (), {}, {})
    assert client.calls == 0
