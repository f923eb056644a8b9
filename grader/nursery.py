"""The clean process: imports torch once and forks judges and zygotes around it.

It learns no path, key, course or submission, and runs nobody's code but ours. One thread only:
a child forked after a parallel region hangs in its first one.
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
from typing import Any

from .language import _
from .parcel import Parcel, speak
from .wire.control import receive_control, send_control
from .wire.faults import PeerGone
from .worker import dynamo, zygote
from .worker.jail.kernel import PR_SET_DUMPABLE, die_with_parent, prctl
from .worker.practice import load_rarely_used

ZYGOTE_LIMIT_S = 30.0


def main(config: dict[str, Any], parcel: Parcel) -> None:
    """Entry of the nursery process: fork pairs on request until the parent hangs up."""
    die_with_parent()
    prctl(PR_SET_DUMPABLE, 0)  # inherited: no submission traces or reads a process of ours
    control = socket.socket(fileno=config["control"])
    speak(parcel)
    warm_up()
    if (threads := thread_count()) != 1:
        send_control(control, {"t": "failed", "why": f"{threads} threads before the first fork"})
        os._exit(1)
    gc.collect()
    gc.freeze()
    send_control(control, {"t": "ready", "pid": os.getpid()})
    try:
        Nursery(control, config, parcel).serve()
    except PeerGone:
        os._exit(0)


def warm_up() -> None:
    """Import torch and touch what it loads lazily. Public operations on public data only."""
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
    """Threads of this process, as the kernel counts them; 1 where it can't be asked."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 1


class NoTier(Exception):
    """None of the tiers asked for can be had; says why, tier by tier."""


class Nursery:
    """Forks a judge and its zygote per request, and reaps whatever ends."""

    def __init__(self, control: socket.socket, config: dict[str, Any], parcel: Parcel) -> None:
        self._control = control
        self._config = config
        self._parcel = parcel
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
                self._pair(*receive_control(self._control))

    def _pair(self, request: dict[str, Any], fds: list[int]) -> None:
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
            zygote, answer = self._zygote(zygote_end, request)
        except NoTier as error:
            send_control(self._control, {"refused": str(error)})
            signal.pidfd_send_signal(pidfds[0], signal.SIGKILL)
            return
        finally:
            zygote_end.close()
        self._forked = True
        pidfds.append(os.pidfd_open(zygote))
        self._live[pidfds[1]] = zygote
        send_control(self._control, {"judge": judge, "zygote": zygote, **answer}, pidfds)

    def _zygote(
        self, control: socket.socket, request: dict[str, Any]
    ) -> tuple[int, dict[str, Any]]:
        """A zygote in the best tier of those asked for that holds here.

        One that could not reach its tier may be half in it: it ends, and the next one starts
        afresh. Raises `NoTier`.
        """
        reasons: list[str] = [request["reason"]] if request["reason"] else []
        for tier in request["tiers"]:
            order = {**request, "tier": tier, "reason": "; ".join(reasons)}
            report, report_end = os.pipe()
            pid = self._fork(
                functools.partial(self._be_zygote, control, report_end, order), [report]
            )
            os.close(report_end)
            said = _hear(report)
            if said == zygote.READY:
                return pid, {"tier": tier}
            _end(pid)
            why = said.decode(errors="replace") or _("no answer")
            reasons.append(_("no tier {tier}: {why}", tier=tier, why=why))
        raise NoTier("; ".join(reasons))

    def _be_zygote(self, control: socket.socket, report_fd: int, order: dict[str, Any]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if order["meta"] and not self._loaded:
            load_rarely_used()
        zygote.run(control, report_fd, order, self._parcel["stack_fds"])

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


def _hear(report_fd: int) -> bytes:
    """What a zygote says about its tier: nothing if it died or took too long."""
    until = time.monotonic() + ZYGOTE_LIMIT_S
    said = b""
    try:
        while select.select([report_fd], [], [], max(0.0, until - time.monotonic()))[0]:
            part = os.read(report_fd, 1 << 12)
            if not part:
                break
            said += part
    finally:
        os.close(report_fd)
    return said


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _judge(channel_fd: int, source_fd: int) -> None:
    """Only now, in a process of its own, does our trusted code learn where the course is."""
    from .worker.main import reseed

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reseed()
    bring_up_judge(channel_fd, source_fd, forked=True)


def judge_main(config: dict[str, Any], _parcel: Parcel) -> None:
    """Entry of a judge that is a process of its own (`--spawn`)."""
    import torch

    die_with_parent()
    prctl(PR_SET_DUMPABLE, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    dynamo.install()
    torch.set_num_threads(1)
    bring_up_judge(config["channel"], config["source"], forked=False)


def bring_up_judge(channel_fd: int, source_fd: int, *, forked: bool) -> None:
    """Read from the parent where the judge's code is, and become it."""
    from .wire.frame import Channel

    channel = Channel(socket.socket(fileno=channel_fd))
    hello = channel.receive().meta
    import grader

    # Compiled suites, references and judge are kept for the next run, as any program's are.
    sys.dont_write_bytecode = False
    grader.__path__ = [hello["package"]]
    sys.path[:0] = hello["sys_path"]
    from grader.judge.main import run

    run(channel, socket.socket(fileno=source_fd), hello, forked)
