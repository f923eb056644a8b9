"""A call that computes for long is looked at: in which functions it is, and in which loop."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.wire.frame import Channel
from grader.worker.slow_call import AFTER_S, EVERY_S, TELL_EVERY, Row, SlowCall


def busy(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def outer(seconds: float) -> None:
    for _time in range(2):
        busy(seconds / 2)


@pytest.fixture
def told() -> list[list[Row]]:
    return []


@pytest.fixture
def slow(told: list[list[Row]]) -> Iterator[SlowCall]:
    before = signal.getsignal(signal.SIGPROF)
    yield SlowCall(told.append, lambda file: ("a1.py", None) if file == __file__ else None)
    signal.signal(signal.SIGPROF, before)


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip() == text)


def test_the_functions_are_told_from_the_inside_out_with_their_loops(
    slow: SlowCall, told: list[list[Row]]
) -> None:
    with slow.watched():
        outer(3 * AFTER_S)
    inner, around = told[0][:2]
    assert inner == [
        "a1.py", None, line_of("def busy(seconds: float) -> None:"),
        line_of("while time.process_time() < until:"),
    ]  # fmt: skip
    assert around == [
        "a1.py", None, line_of("def outer(seconds: float) -> None:"),
        line_of("for _time in range(2):"),
    ]  # fmt: skip


def test_it_is_looked_at_again_and_again(slow: SlowCall, told: list[list[Row]]) -> None:
    with slow.watched():
        busy(AFTER_S + (2 * TELL_EVERY + 5) * EVERY_S)
    assert len(told) == 3


def test_what_is_called_in_a_loop_is_not_where_a_call_always_is(
    slow: SlowCall, told: list[list[Row]]
) -> None:
    with slow.watched():
        for _time in range(TELL_EVERY):
            outer(2 * AFTER_S)
    assert told[-1][0][2] == line_of(
        "def test_what_is_called_in_a_loop_is_not_where_a_call_always_is("
    )


def test_a_quick_call_is_not_looked_at(slow: SlowCall, told: list[list[Row]]) -> None:
    with slow.watched():
        busy(AFTER_S / 5)
    busy(3 * AFTER_S)
    assert told == []


def test_a_call_within_a_call_belongs_to_it(slow: SlowCall, told: list[list[Row]]) -> None:
    with slow.watched():
        with slow.watched():
            busy(AFTER_S / 5)
        busy(3 * AFTER_S)
    assert told


def test_a_message_on_its_way_is_not_interrupted_by_another(
    slow: SlowCall, told: list[list[Row]]
) -> None:
    """What is sent in the middle of a message would be taken for a part of it."""

    class Busy:
        """Stands for a socket that takes long."""

        def sendmsg(self, parts: list[bytes], *_rest: object) -> int:
            signal.raise_signal(signal.SIGPROF)
            return sum(map(len, parts))

        def setblocking(self, _on: bool) -> None: ...

    channel = Channel(Busy())  # type: ignore[arg-type]
    with slow.watched():
        signal.raise_signal(signal.SIGPROF)
        assert len(told) == 1
        channel.send({"t": "ok"})
    assert len(told) == 1
