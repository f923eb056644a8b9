"""Keep a judge beside a kernel: start it once, and hand it a copy of the kernel for each check."""

from __future__ import annotations

import builtins
import gc
import os
import secrets
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from grader.course.scope import Scope
from grader.engine.engine import EngineError
from grader.engine.lanes import end_child
from grader.messages.answers import Answer, Failed, Gone, GradedSubmission, answer_in
from grader.messages.grade_request import GradeRequest
from grader.messages.hello import Hello
from grader.processes.bootstrap import pack, spawn
from grader.processes.start_orders import JudgeOrder
from grader.text.language import _
from grader.text.typed import here
from grader.wire.faults import WireFault
from grader.wire.frame import between_ours
from grader.worker import live
from grader.worker.zygote import READY

START_LIMIT_S = 120.0
CHECK_LIMIT_S = 180.0


class Session:
    """One judge process. It alone reads suites and references; this process never does."""

    def __init__(self, hello: Hello) -> None:
        """Start the judge process and return at once.

        Raises EngineError if torch is not installed.
        """
        self.owner = os.getpid()
        self._ready = False
        self._source, theirs = socket.socketpair()
        ours, channel = socket.socketpair()
        with theirs, channel:
            self._pid = _start_judge(JudgeOrder(channel.fileno(), theirs.fileno()))
        self._channel = between_ours(ours)
        self._channel.send(hello.encoded())

    def grade(
        self, kernel: live.Kernel, files: Mapping[str, bytes], scope: Scope, digest: str
    ) -> GradedSubmission:
        """Return the judge's answer on a copy of this process. Raises EngineError.

        An interrupt, or any failure, ends the session.
        """
        copy = None
        scratch = Path(tempfile.gettempdir()) / f"grader-{secrets.token_hex(16)}"
        try:
            self._await_ready()
            copy = _Copy(self._source, str(scratch), kernel)
            meta, contents = GradeRequest(files, kernel.entries, digest, scope).encoded()
            self._channel.send(meta, contents, time.monotonic() + START_LIMIT_S)
            return self._answer(copy)
        except BaseException:
            self.close()
            raise
        finally:
            if copy is not None:
                copy.end()
            shutil.rmtree(scratch, ignore_errors=True)

    @property
    def is_open(self) -> bool:
        """Return whether this session can be used; in a copy of this process it cannot."""
        return self._pid != 0 and self.owner == os.getpid()

    def close(self) -> None:
        """End the judge; whatever was forked for it ends with it."""
        if self._pid:
            end_child(self._pid)
            self._pid = 0
            self._channel.close()
            self._source.close()

    def _await_ready(self) -> None:
        if self._ready:
            return
        answer = self._receive(START_LIMIT_S)
        if isinstance(answer, (Failed, Gone)):
            raise EngineError(answer.why)
        self._ready = True

    def _answer(self, copy: _Copy) -> GradedSubmission:
        until = time.monotonic() + CHECK_LIMIT_S
        sock = self._channel.sock
        while True:
            left_s = max(0.0, until - time.monotonic())
            watched: list[Any] = [sock, copy.report]
            readable = select.select(watched, [], [], left_s)[0]
            if sock in readable:
                break
            raise EngineError(_("the check was ended from outside, or took too long. Run it again"))
        answer = self._receive(CHECK_LIMIT_S)
        if not isinstance(answer, GradedSubmission):
            raise EngineError(
                _(
                    "this machine is too busy to check: {why}. Run the check again",
                    why=getattr(answer, "why", ""),
                )
            )
        return answer

    def _receive(self, limit_s: float) -> Answer:
        try:
            return answer_in(self._channel.receive(time.monotonic() + limit_s).meta)
        except WireFault as error:
            why = type(error).__name__
            raise EngineError(
                _("the judge process ended: {why}. Run the check again", why=why)
            ) from None


class _Copy:
    """A fork of this process that holds the objects to check: if they crash, it dies and not we."""

    def __init__(self, control: socket.socket, scratch: str, kernel: live.Kernel) -> None:
        self.report, theirs = os.pipe()
        with warnings.catch_warnings():
            # Python warns of forks beside threads. None of theirs is needed in the copy.
            warnings.simplefilter("ignore")
            self._pid = os.fork()
        if self._pid == 0:
            _become_source(control, theirs, scratch, kernel)
        os.close(theirs)
        reply = os.read(self.report, 1 << 12)
        if reply != READY:
            self.end()
            raise EngineError(
                _(
                    "this kernel can't be copied for a check ({why}), as after work on a GPU. "
                    "Restart it and run the check first, or save and run: {command}",
                    why=reply.decode(errors="replace") or "it ended",
                    command=here().command("check"),
                )
            )

    def end(self) -> None:
        """End the copy and its workers."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)  # it then removes what its workers left
            _await_end(self._pid)
            self._pid = 0
            os.close(self.report)


def _become_source(
    control: socket.socket, report: int, scratch: str, kernel: live.Kernel
) -> NoReturn:
    try:
        os.setsid()  # an interrupt of the kernel goes to its whole group
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        gc.disable()
        gc.freeze()
        _let_go_of_the_kernel()
        kept = socket.socket(fileno=os.dup(control.fileno()))
        _close_all_but(kept.fileno(), report)
        live.serve(kept, report, scratch, kernel)
    except BaseException:
        if os.environ.get("GRADER_DEBUG"):
            sys.excepthook(*sys.exc_info())
    finally:
        os._exit(0)


def _let_go_of_the_kernel() -> None:
    """Keep all that the copy prints, shows or asks for away from the kernel's reader."""
    sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY))
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = os.fdopen(number, "w", encoding="utf-8", errors="replace", closefd=False)
        setattr(sys, name, stream)
    builtins.input = _no_input
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None:
        shell.display_pub.publish = lambda *args, **options: None


def _no_input(prompt: object = "", /) -> str:
    raise EOFError("EOF when reading a line")


def _close_all_but(*kept: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        if not (number == 2 and os.environ.get("GRADER_DEBUG")):
            os.dup2(null, number)
    start = 3
    for number in sorted(kept):
        os.closerange(start, number)
        start = number + 1
    os.closerange(start, 1 << 16)


def _start_judge(order: JudgeOrder) -> int:
    try:
        bootstrap = pack()
    except ModuleNotFoundError as error:
        raise EngineError(
            _(
                "{module} is not installed for {python}. Next: {command}",
                module=error.name,
                python=sys.executable,
                command=here().command("doctor"),
            )
        ) from None
    errors = 2 if os.environ.get("GRADER_DEBUG") else None
    try:
        return spawn(bootstrap, order, (order.channel, order.source), errors)
    finally:
        for fd in bootstrap.stack_fds:
            os.close(fd)


def _await_end(pid: int) -> None:
    until = time.monotonic() + 2
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                end_child(pid)
                return
            time.sleep(0.001)
