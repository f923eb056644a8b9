"""A time limit goes by the number of a call among the check's own calls."""

from __future__ import annotations

import pytest

from grader.judge.calls.call_numbers import CallNumbers
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
        assert client.calls == 1
    assert client.calls == 1


def test_they_are_limited_as_the_calls_that_they_come_before() -> None:
    numbers = CallNumbers()
    own = [numbers.next(), numbers.next()]
    with numbers.aside():
        before = numbers.next()
        with numbers.aside():
            inner = numbers.next()
        after = numbers.next()
    assert (own, before, inner, after, numbers.next()) == ([1, 2], 3, 4, 4, 3)


def test_nor_are_those_that_raise() -> None:
    client, _ = local_client(SOURCE)
    with pytest.raises(StudentRaised), client.uncounted():
        client.invoke(["N", STEM, "fails"], (), {}, {})
    assert client.calls == 0
