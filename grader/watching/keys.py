"""Read single keys, without Enter, and always leave the terminal as it was before."""

from __future__ import annotations

import os
import signal
import termios
import tty
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGHUP)


class Keys:
    """A context manager. `fd` is the descriptor to wait for, or None if it is no terminal.

    Ctrl-C, Ctrl-Z and termination work as everywhere: the terminal is put back first. `wake` is
    called after a change of the window's size, and when the program goes on after Ctrl-Z.
    """

    def __init__(self, fd: int, wake: Callable[[], None]) -> None:
        self.fd = fd if os.isatty(fd) else None
        self._wake = wake
        self._before: list[Any] | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Keys:
        self._handle(signal.SIGWINCH, lambda *_: self._wake())
        for number in _ENDING:
            self._handle(number, _end)
        if self.fd is not None:
            self._handle(signal.SIGTSTP, self._pause)
            self._before = termios.tcgetattr(self.fd)
            self._take()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def read(self) -> str:
        """Return the keys that were typed; empty at the end of the input."""
        if self.fd is None:
            return ""
        try:
            return os.read(self.fd, 64).decode(errors="replace").lower()
        except OSError:  # the terminal is gone
            return ""

    def _handle(self, number: int, handler: Callable[[int, FrameType | None], object]) -> None:
        self._handlers[number] = signal.signal(number, handler)

    def _take(self) -> None:
        assert self.fd is not None
        with suppress(termios.error):
            tty.setcbreak(self.fd, termios.TCSADRAIN)

    def _give_back(self) -> None:
        if self.fd is not None and self._before is not None:
            with suppress(termios.error):
                termios.tcsetattr(self.fd, termios.TCSADRAIN, self._before)

    def _pause(self, number: int, frame: FrameType | None) -> None:
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # stops here, until somebody says `fg`
        signal.signal(signal.SIGTSTP, self._pause)
        self._take()
        self._wake()


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
