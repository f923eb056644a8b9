"""A terminal in which a program runs, to be typed at and looked at."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fcntl import ioctl
from types import TracebackType

from grader.watching.screen import CLEAR

_COMMANDS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LIMIT_S = 25.0


class Terminal:
    """A context manager: the program is started on entering and killed on leaving."""

    def __init__(
        self,
        arguments: Sequence[str],
        environ: Mapping[str, str],
        size: tuple[int, int] = (30, 100),
    ) -> None:
        self._arguments, self._environ, self._size = arguments, environ, size
        self._output = ""
        self.pid = 0

    def __enter__(self) -> Terminal:
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            try:
                os.execve(self._arguments[0], list(self._arguments), dict(self._environ))
            finally:
                os._exit(127)
        self.resize(*self._size)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._fd)

    @property
    def page(self) -> str:
        """What is on the screen, without colours, as it was written."""
        last = self._output.rpartition(CLEAR)[2]
        return _COMMANDS.sub("", last).replace("\r\n", "\n")

    @property
    def shows_what_is_typed(self) -> bool:
        """Whether the terminal is in its usual state: lines, and an echo."""
        flags = termios.tcgetattr(self._fd)[3]
        return bool(flags & termios.ICANON) and bool(flags & termios.ECHO)

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def resize(self, rows: int, columns: int) -> None:
        ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, *texts: str, without: str = "\0", limit_s: float = LIMIT_S) -> str:
        """The page as soon as it shows all texts and ends with the line of keys.

        Raises AssertionError if that takes too long or the program ends before.
        """
        until = time.monotonic() + limit_s
        while True:
            page = self.page
            if all(text in page for text in texts) and without not in page:
                return page
            if not self._read(until):
                raise AssertionError(f"{texts} not seen in:\n{page}")

    def ended(self) -> int:
        """The exit code; negative for a signal. Waits for it.

        Raises AssertionError if the program goes on; leaving the terminal kills it.
        """
        until = time.monotonic() + LIMIT_S
        while self._read(until):
            pass
        # The terminal is closed a moment before the process is over.
        while not os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if time.monotonic() > until:
                raise AssertionError(f"the program goes on and shows:\n{self.page}")
            time.sleep(0.01)
        status = os.waitpid(self.pid, 0)[1]
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self, until: float) -> bool:
        left_s = until - time.monotonic()
        if left_s <= 0 or not select.select([self._fd], [], [], left_s)[0]:
            return False
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:  # the program has ended
            return False
        self._output += data.decode(errors="replace")
        return bool(data)
