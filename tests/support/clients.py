"""Student source behind each kind of handle: a forked worker, a spawned one, or this process."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import tempfile
import textwrap
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from grader.judge.calls.client import Client, LocalClient
from grader.judge.calls.student import SubmissionClient
from grader.judge.calls.worker_process import WorkerStarter
from grader.judge.calls.workers import Workers
from grader.judge.checks.namespace import Student
from grader.processes.bootstrap import compiled, pack, spawn
from grader.processes.start_orders import SpawnerOrder, StartOrder
from grader.wire.load_plan import LoadPlan
from tests.support.warm import forking_spawner

STEM = "student"

# A zygote that is a process of its own, so that the test can play the judge.
LONE_ZYGOTE = """
import socket
from grader.processes.nursery import warm_up
from grader.worker.tiers import prepare
from grader.worker.zygote import WorkerSource, forking

def main(message):
    warm_up()
    order = message["order"]
    control = socket.socket(fileno=order["control"])
    jail = prepare(order["tier"], message["stack_fds"], "", order["without"])
    WorkerSource(control, order["scratch"], forking(jail), jail.scratch).serve()
"""


@dataclass(frozen=True)
class LoneZygoteOrder:
    """The zygote above that is to be started."""

    entry: ClassVar[str] = "lone_zygote:main"
    control: int
    scratch: str
    tier: str
    without: tuple[str, ...]


@contextlib.contextmanager
def worker_source(
    kind: str, tier: str = "none", without: tuple[str, ...] = ()
) -> Iterator[WorkerStarter]:
    """A source of real workers, started by fork or by exec; forked ones isolated as `tier`.

    With `warm spawn` they are forked where an exec would bring them.
    """
    packed = forking_spawner(pack()) if kind == "warm spawn" else pack()
    lone = (compiled("lone_zygote", LONE_ZYGOTE), False)
    bootstrap = replace(packed, modules={**packed.modules, "lone_zygote": lone})
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryDirectory(prefix="grader-test-") as scratch, theirs:
        fd = theirs.fileno()
        order: StartOrder = (
            LoneZygoteOrder(fd, scratch, tier, without)
            if kind == "fork"
            else SpawnerOrder(fd, scratch)
        )
        pid = spawn(bootstrap, order, (fd,), errors=2)
        theirs.close()
        try:
            yield WorkerStarter(ours)
        finally:
            ours.close()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            for fd in bootstrap.stack_fds:
                os.close(fd)


def remote_client(
    source: WorkerStarter, files: Mapping[str, str], names: tuple[str, ...]
) -> SubmissionClient:
    """A client for a submission whose file `student.py` defines `names`."""
    plan = LoadPlan(
        files={name: textwrap.dedent(text).encode() for name, text in files.items()},
        entries={STEM: f"{STEM}.py"},
        targets={STEM: names},
        stubs={},
    )
    client = SubmissionClient(Workers(source), plan)
    client.start_check(lambda call: 0.0)
    return client


def local_client(
    source_text: str, make: type[LocalClient] = LocalClient
) -> tuple[Client, types.ModuleType]:
    """The same source in this process, behind the same messages or, as a `DirectClient`, none."""
    module = types.ModuleType(STEM)
    path = f"<{STEM}>"
    sys.modules[STEM] = module
    exec(compile(textwrap.dedent(source_text), path, "exec", dont_inherit=True), module.__dict__)
    client = make(lambda stem, name: getattr(module, name), lambda name: name == path)
    client.begin_check()
    return client, module


class Definitions:
    """Kinds by looking at the source's own objects."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def kind(self, stem: str, name: str) -> str:
        value = getattr(self._module, name)
        return "class" if isinstance(value, type) else "function" if callable(value) else "value"


def student_of(client: Client, definitions: Any = None) -> Student:
    """The fixture `student` for a client."""
    if definitions is None:
        assert isinstance(client, SubmissionClient)
        definitions = client.loaded
    return Student(client, definitions, STEM)
