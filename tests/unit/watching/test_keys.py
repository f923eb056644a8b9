"""A terminal is as before whenever this program is not in front."""

from __future__ import annotations

import os
import pty
import signal
import termios
from collections.abc import Iterator

import pytest

from grader.watching.keys import Keys


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Where somebody types, and where a program reads it."""
    typing, reading = pty.openpty()
    yield typing, reading
    os.close(typing)
    os.close(reading)


def is_usual(fd: int) -> bool:
    return bool(termios.tcgetattr(fd)[3] & termios.ICANON)


def test_a_key_needs_no_enter(terminal: tuple[int, int]) -> None:
    typing, reading = terminal

    with Keys(reading, lambda: None) as typed:
        os.write(typing, b"N")
        assert (typed.read(), is_usual(reading)) == ("n", False)

    assert is_usual(reading)


def test_an_error_gives_the_terminal_back(terminal: tuple[int, int]) -> None:
    _, reading = terminal

    with pytest.raises(RuntimeError, match="why"), Keys(reading, lambda: None):
        raise RuntimeError("why")

    assert is_usual(reading)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination_gives_the_terminal_and_the_handlers_back(
    terminal: tuple[int, int], number: int
) -> None:
    _, reading = terminal
    before = signal.getsignal(number)

    with pytest.raises(SystemExit) as ended, Keys(reading, lambda: None):
        signal.raise_signal(number)

    assert ended.value.code == 128 + number
    assert is_usual(reading)
    assert signal.getsignal(number) is before


def test_while_stopped_the_terminal_is_the_shells(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, reading = terminal
    seen: list[object] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: seen.append((number, is_usual(reading))))

    with Keys(reading, lambda: seen.append("woken")):
        signal.raise_signal(signal.SIGTSTP)
        seen.append(is_usual(reading))

    assert seen == [(signal.SIGTSTP, True), "woken", False]


def test_a_change_of_size_wakes(terminal: tuple[int, int]) -> None:
    _, reading = terminal
    seen: list[str] = []

    with Keys(reading, lambda: seen.append("woken")):
        signal.raise_signal(signal.SIGWINCH)

    assert seen == ["woken"]


def test_what_is_no_terminal_is_not_read() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"q")

    with Keys(read_end, lambda: None) as typed:
        assert (typed.fd, typed.read()) == (None, "")

    assert os.read(read_end, 10) == b"q"
    os.close(read_end)
    os.close(write_end)
