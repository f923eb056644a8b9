"""Run the nursery, the clean process that imports torch once and forks judges and zygotes.

It learns no path, key, course or submission, and runs nobody's code but ours. It has one thread
only: a child forked after a parallel region hangs in its first one.

Process: nursery
Started by: parent, exec
Knows: torch and the source of this package's untrusted side. No path, key, course or submission
"""

from __future__ import annotations

import functools
import gc
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable

from ..text.language import _
from ..wire.control import receive_control, send_control
from ..wire.faults import PeerGone
from ..wire.frame import Meta
from ..wire.nursery_messages import (
    NurseryFailed,
    NurseryReady,
    Pair,
    PairRefused,
    PairRequest,
)
from ..worker import dynamo, zygote
from ..worker.jail.kernel import PR_SET_DUMPABLE, die_with_parent, prctl
from ..worker.warm_up import load_rarely_used
from .bootstrap import Bootstrap, received, speak
from .privacy import keep_private
from .start_orders import JudgeOrder, NurseryOrder

ZYGOTE_LIMIT_S = 30.0


def main(message: Meta) -> None:
    """Run the nursery process: fork pairs on request until the parent hangs up."""
    die_with_parent()
    order, bootstrap = received(message, NurseryOrder)
    prctl(PR_SET_DUMPABLE, 0)  # inherited: no submission traces or reads a process of ours
    control = socket.socket(fileno=order.control)
    speak(bootstrap)
    warm_up()
    if (threads := thread_count()) != 1:
        failed = NurseryFailed(f"{threads} threads before the first fork")
        send_control(control, failed.encoded())
        os._exit(1)
    gc.collect()
    gc.freeze()
    send_control(control, NurseryReady(os.getpid()).encoded())
    try:
        Nursery(control, bootstrap).serve()
    except PeerGone:
        os._exit(0)


def warm_up() -> None:
    """Import torch and touch what it loads lazily, with public operations on public data only."""
    import einops
    import torch
    from torch import nn

    dynamo.install()
    torch.set_num_threads(1)
    x = torch.ones(2, 4, 8, requires_grad=True)
    body = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.GELU(), nn.Dropout(0.1))
    heads = einops.rearrange(body(x), "b t (h d) -> b h t d", h=2)
    scores = (heads @ heads.transpose(-2, -1)).masked_fill(torch.ones(4, 4).tril() == 0, -1e9)
    (torch.softmax(scores, -1) @ heads).sum().backward()
    body.load_state_dict(body.state_dict())
    with torch.no_grad():
        nn.functional.scaled_dot_product_attention(heads, heads, heads)
        nn.Conv2d(3, 4, 2, 2)(torch.ones(1, 3, 4, 4))
    exec(compile("def f(): pass", "<warm-up>", "exec"), {})


def thread_count() -> int:
    """Count this process's threads as the kernel does; return 1 where it can't be asked."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


class NoTier(Exception):
    """None of the requested tiers can be reached; the message says why, tier by tier."""


class Nursery:
    """Forks a judge and its zygote per request, and reaps whatever ends."""

    def __init__(self, control: socket.socket, bootstrap: Bootstrap) -> None:
        self._control = control
        self._bootstrap = bootstrap
        self._live: dict[int, int] = {}
        """pidfd -> pid"""
        self._forked = self._loaded = False

    def serve(self) -> None:
        while True:
            poller = select.poll()
            for fd in (self._control.fileno(), *self._live):
                poller.register(fd, select.POLLIN)
            ready = [fd for fd, _other in poller.poll()]
            for fd in ready:
                if fd in self._live:
                    os.waitpid(self._live.pop(fd), 0)
                    os.close(fd)
            if self._control.fileno() in ready:
                message, fds = receive_control(self._control)
                self._pair(PairRequest.of(message), fds)

    def _pair(self, request: PairRequest, fds: list[int]) -> None:
        if self._forked and not self._loaded:
            # The first pair does not wait for this: its zygote does it while its judge collects.
            # Where there is a second one there are many submissions.
            load_rarely_used()
            self._loaded = True
        channel_fd = fds[0]
        judge_end, zygote_end = socket.socketpair()
        judge = self._fork(lambda: _judge(channel_fd, judge_end.fileno()), [zygote_end.fileno()])
        judge_end.close()
        os.close(channel_fd)
        pidfds = [os.pidfd_open(judge)]
        self._live[pidfds[0]] = judge
        try:
            zygote, tier = self._zygote(zygote_end, request)
        except NoTier as error:
            send_control(self._control, PairRefused(str(error)).encoded())
            signal.pidfd_send_signal(pidfds[0], signal.SIGKILL)
            return
        finally:
            zygote_end.close()
        self._forked = True
        pidfds.append(os.pidfd_open(zygote))
        self._live[pidfds[1]] = zygote
        send_control(self._control, Pair(judge, zygote, tier).encoded(), pidfds)

    def _zygote(self, control: socket.socket, request: PairRequest) -> tuple[int, str]:
        """Fork a zygote in the best of the requested tiers that holds here; return pid and tier.

        A zygote that could not reach its tier may be half in it: it ends, and the next one starts
        afresh. Raises `NoTier`.
        """
        reasons = [request.reason] if request.reason else []
        for tier in request.tiers:
            order = zygote.ZygoteOrder(
                tier, "; ".join(reasons), request.scratch, request.without, request.meta
            )
            report, report_end = os.pipe()
            pid = self._fork(
                functools.partial(self._be_zygote, control, report_end, order), [report]
            )
            os.close(report_end)
            reply = _read_report(report)
            if reply == zygote.READY:
                return pid, tier
            _end(pid)
            why = reply.decode(errors="replace") or _("no answer")
            reasons.append(_("no tier {tier}: {why}", tier=tier, why=why))
        raise NoTier("; ".join(reasons))

    def _be_zygote(self, control: socket.socket, report_fd: int, order: zygote.ZygoteOrder) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if order.meta and not self._loaded:
            load_rarely_used()
        zygote.run(control, report_fd, order, self._bootstrap.stack_fds)

    def _fork(self, body: Callable[[], None], not_inherited: list[int]) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                die_with_parent()
                for fd in (self._control.fileno(), *self._live, *not_inherited):
                    os.close(fd)
                body()
            except SystemExit as end:
                os._exit(end.code if isinstance(end.code, int) else 1)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(1)
        return pid


def _read_report(report_fd: int) -> bytes:
    """Read a zygote's report on its tier; return nothing if it died or took too long."""
    until = time.monotonic() + ZYGOTE_LIMIT_S
    reply = b""
    try:
        while select.select([report_fd], [], [], max(0.0, until - time.monotonic()))[0]:
            part = os.read(report_fd, 1 << 12)
            if not part:
                break
            reply += part
    finally:
        os.close(report_fd)
    return reply


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _judge(channel_fd: int, source_fd: int) -> None:
    """Become a judge in the forked child.

    Only now, in a process of its own, does our trusted code learn where the course is.
    """
    from ..worker.main import reseed

    keep_private()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reseed()
    bring_up_judge(channel_fd, source_fd, forked=True)


def judge_main(message: Meta) -> None:
    """Run a judge that is a process of its own (`--spawn`)."""
    import torch

    die_with_parent()
    keep_private()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    dynamo.install()
    torch.set_num_threads(1)
    order, _bootstrap = received(message, JudgeOrder)
    bring_up_judge(order.channel, order.source, forked=False)


def bring_up_judge(channel_fd: int, source_fd: int, *, forked: bool) -> None:
    """Read from the parent where the judge's code is, and run it."""
    from ..wire.frame import between_ours

    gc.disable()  # until the judge is ready: all that it makes until then stays
    channel = between_ours(socket.socket(fileno=channel_fd))
    hello = channel.receive().meta
    import grader

    # Compiled suites, references and judge are kept for the next run, as any program's are.
    sys.dont_write_bytecode = False
    grader.__path__ = [hello["package"]]
    sys.path[:0] = hello["sys_path"]
    from grader.judge.main import run

    run(channel, socket.socket(fileno=source_fd), hello, forked)
