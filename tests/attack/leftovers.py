"""What a submission may have left on the machine: processes, mounts, files, shared memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from grader.engine.engine import Engine
from grader.judge.main import AHEAD
from grader.worker.jail.kernel import PR_SET_CHILD_SUBREAPER, prctl
from tests.support.families import child_pids, is_alive

GRACE_S, START_S = 1.0, 30.0
_SHARED_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/")
_IPC = ("shm", "sem", "msg")


@dataclass
class Leftovers:
    """The machine as it was before, in the parts that could change."""

    root: Path
    nonce: str
    _before: dict[str, object] = field(default_factory=dict)
    _own: frozenset[int] = frozenset()
    _strangers: set[str] = field(default_factory=set)
    """Shared memory that others made: before us, or beside us while we run."""

    def remember(self, engine: Engine) -> None:
        """Take the present state as the one to be found again."""
        # What a worker starts and abandons becomes our child, and is seen.
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        until = time.monotonic() + START_S
        while not all(state.lane.pids for state in engine._lanes) and time.monotonic() < until:
            engine._take_in_tiers()
            time.sleep(0.005)
        self._own = frozenset(child_pids(os.getpid())) - frozenset(self._family(engine))
        # What a killed run left may be made by a process whose number another one bears later.
        self._strangers = {name for name, maker in self._made("shm") if maker not in _near()}
        self._before = dict(self._state())

    def found(self, engine: Engine) -> list[str]:
        """What is different: a line for each."""
        harm = [
            f"{name} changed: {_difference(self._before[name], now)}"
            for name, now in self._state()
            if now != self._before[name]
        ]
        return harm + self._survivors(engine)

    def remove(self) -> None:
        """Files that bear our name outside our folder: with layers left out attacks succeed."""
        for path in self._elsewhere():
            with suppress(OSError):
                os.unlink(path)

    def _state(self) -> Iterator[tuple[str, object]]:
        yield "mounts", Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
        yield "control group", Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        for kind in _IPC:
            yield f"System V {kind}", sorted(self._objects(kind))
        yield "files", sorted(self._files())
        yield "current folder", sorted(n for n in os.listdir() if not n.startswith((".", "__")))

    def _files(self) -> Iterator[str]:
        """All beneath our own folder with its size and time; elsewhere what bears our name."""
        for folder, folders, names in os.walk(self.root):
            if "__pycache__" in folders:
                folders.remove("__pycache__")
            for name in names:
                path = Path(folder) / name
                status = path.lstat()
                yield f"{path} {status.st_size} {status.st_mtime_ns} {status.st_mode:o}"
            yield f"{folder}/"
        yield from self._elsewhere()

    def _elsewhere(self) -> Iterator[str]:
        for place in (*_SHARED_PLACES, str(Path.home())):
            with suppress(OSError):
                names = [name for name in os.listdir(place) if self.nonce in name]
                yield from (os.path.join(place, name) for name in names)

    def _objects(self, kind: str) -> Iterator[str]:
        near = _near()
        for name, maker in self._made(kind):
            if maker not in near and is_alive(maker):
                self._strangers.add(name)
            if name not in self._strangers:
                yield name

    def _made(self, kind: str) -> Iterator[tuple[str, int]]:
        """System V objects, each with the number of the process that made it, or 0."""
        rows = Path(f"/proc/sysvipc/{kind}").read_text(encoding="utf-8").splitlines()
        for row in (line.split() for line in rows[1:]):
            yield f"{kind} {row[0]} {row[1]}", int(row[4]) if kind == "shm" else 0

    def _family(self, engine: Engine) -> list[int]:
        """Nursery, judges, zygotes and workers, of which all but one are gone again."""
        pid = getattr(engine._tree.starter, "pid", None)
        return [] if pid is None else [pid, *child_pids(pid)]

    def _survivors(self, engine: Engine) -> list[str]:
        until = time.monotonic() + GRACE_S
        while True:
            left = self._unexpected(engine)
            if not left or time.monotonic() > until:
                return left
            time.sleep(0.005)

    def _unexpected(self, engine: Engine) -> list[str]:
        """Processes beneath us that are neither ours nor the grader's own; spare workers may wait
        beside those."""
        trunk = {getattr(engine._tree.starter, "pid", 0)}
        workers = []
        for state in engine._lanes:
            trunk |= set(state.lane.pids)
            for zygote in state.lane.pids[1:]:
                grown = [pid for pid in child_pids(zygote) if is_alive(pid)]
                # Around a full jail's zygote there is a process that only waits for it.
                inner = grown[:1] if state.lane.tier == "full" else []
                trunk |= set(inner)
                workers += [pid for pid in grown if pid not in inner]
        alive = {pid for pid in child_pids(os.getpid()) if is_alive(pid)}
        strange = alive - trunk - self._own - set(workers)
        odd = [f"process {pid} survived: {_command(pid)}" for pid in sorted(strange)]
        spare = len(engine._lanes) * (AHEAD if engine.options.hurry else 1)
        if len(workers) > spare:
            odd.append(f"{len(workers)} workers, and {spare} should wait")
        return odd


def _near() -> frozenset[int]:
    return frozenset({os.getpid(), *child_pids(os.getpid())})


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[-60:]
    except OSError:
        return "gone"


def _difference(before: object, now: object) -> str:
    if isinstance(before, list) and isinstance(now, list):
        new = [item for item in now if item not in before]
        gone = [item for item in before if item not in now]
        return f"new {new[:3]}, gone {gone[:3]}"
    return f"{before} -> {now}"
