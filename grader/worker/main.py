"""A worker: isolated, then loads one submission and serves calls until the judge hangs up."""

from __future__ import annotations

import gc
import os
import random
import socket
import sys
from collections.abc import Callable
from typing import Any, Protocol

from ..wire.frame import Channel, Message, Meta
from ..wire.peer import Peer
from .isolation import WORKER_SOCKET, Jail, isolate, take_descriptors
from .jail.layers import Limits
from .loading import Loaded, Plan
from .loading.choice import choose
from .loading.layout import Layout
from .loading.statements import Scripts
from .side import WorkerSide, reset_torch, seed_torch
from .survey import Wanted, survey

EXIT_NOT_ISOLATED = 97
EXIT_PROTOCOL = 98


class Submission(Protocol):
    """What was loaded; see `Loaded`."""

    @property
    def report(self) -> dict[str, Any]: ...
    def lookup(self, stem: str, name: str) -> object: ...
    def place(self, filename: str) -> tuple[str, int | None] | None: ...
    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int: ...
    def reaches(self, into: str, names: list[str], stem: str, name: str) -> bool: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...


class Origin(Protocol):
    """Where a worker has its submission from."""

    def survey(self, plan: Plan, wanted: Wanted) -> Meta:
        """What the texts say; asked before anything of them is run."""

    def load(self, plan: Plan, progress: Callable[[str, int], None]) -> Submission:
        """The submission, ready to be called."""


class SentFiles:
    """Files that came with the request."""

    def __init__(self) -> None:
        self._scripts: Scripts | None = None

    def survey(self, plan: Plan, wanted: Wanted) -> Meta:
        scripts = self._scripts = Scripts(plan.files)
        choices = choose(plan.entries, plan.others, plan.stubs, scripts)
        entries = {stem: choice.path for stem, choice in choices.items()}
        return survey(wanted, entries, Layout(plan.files.keys(), entries), scripts)

    def load(self, plan: Plan, progress: Callable[[str, int], None]) -> Submission:
        loaded = Loaded(plan, progress, self._scripts)
        loaded.graded = True
        return loaded


def run(
    sock_fd: int,
    output_fd: int,
    config: dict[str, Any],
    jail: Jail,
    origin: Origin | None = None,
) -> None:
    """The whole life of a worker in a freshly forked or spawned process. Never returns."""
    try:
        take_descriptors(sock_fd, output_fd, jail.keep_fds)
        report = isolate(jail, Limits(**config.get("limits", {})), config["scratch"])
        reseed()
    except BaseException as error:
        os.write(2, f"isolation failed: {error!r}\n".encode())
        os._exit(EXIT_NOT_ISOLATED)
    try:
        gc.enable()
        channel = Channel(socket.socket(fileno=WORKER_SOCKET))
        channel.send({"t": "ready", "isolation": report})
        Worker(channel, origin or SentFiles()).serve()
    except BaseException as error:
        os.write(2, f"worker stopped: {error!r}\n".encode())
        os._exit(EXIT_PROTOCOL)
    os._exit(0)


def reseed() -> None:
    """Forget the generator states inherited from the process this one was forked from."""
    seed = int.from_bytes(os.urandom(8), "big")
    seed_torch(seed)
    random.seed(seed)
    if "numpy.random" in sys.modules:  # else it seeds itself when it is first used
        sys.modules["numpy.random"].seed(seed % (1 << 32))


class Worker:
    """Connects the loaded submission with the channel."""

    def __init__(self, channel: Channel, origin: Origin) -> None:
        self._loaded: Submission | None = None
        self._origin = origin
        self._channel = channel
        side = WorkerSide(self._lookup, self._place, self._renew, self._substitute, self._reaches)
        operations = {"survey": self._survey, "load": self._load}
        self._peer = side.peer = Peer(channel, side, operations)

    def serve(self) -> None:
        self._peer.serve_forever()

    def serve_one(self) -> None:
        """Answer the next request alone."""
        self._peer.serve(self._channel.receive())

    def close(self) -> None:
        """Take the submission out of this process again."""
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None

    def _survey(self, message: Message) -> Meta:
        """What the texts say, asked before `load`, of the same files."""
        meta = message.meta
        plan = _plan(meta, message.payload)
        return {"found": self._origin.survey(plan, _wanted(meta["wanted"]))}

    def _load(self, message: Message) -> Meta:
        plan = _plan(message.meta, message.payload)
        self._loaded = self._origin.load(plan, self._progress)
        reset_torch()
        return {"report": self._loaded.report}

    def _progress(self, path: str, index: int) -> None:
        self._peer.tell({"t": "progress", "path": path, "index": index})

    def _renew(self) -> None:
        if self._loaded is not None:
            self._loaded.reset()

    def _substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        loaded = self._loaded
        return loaded.substitute(stem, name, into, function) if loaded is not None else 0

    def _reaches(self, into: str, names: list[str], stem: str, name: str) -> bool:
        return self._loaded is not None and self._loaded.reaches(into, names, stem, name)

    def _lookup(self, stem: str, name: str) -> object:
        if self._loaded is None:
            raise LookupError("no submission was loaded")
        return self._loaded.lookup(stem, name)

    def _place(self, filename: str) -> tuple[str, int | None] | None:
        return self._loaded.place(filename) if self._loaded is not None else None


def _plan(meta: Meta, payload: bytearray) -> Plan:
    files, start = {}, 0
    for name, size in meta["files"]:
        files[name] = bytes(payload[start : start + size])
        start += size
    return Plan(
        files=files,
        entries=meta["entries"],
        targets={stem: tuple(names) for stem, names in meta["targets"].items()},
        stubs=meta["stubs"],
        skip=frozenset((path, index) for path, index in meta["skip"]),
        others={stem: tuple(paths) for stem, paths in meta["others"].items()},
    )


def _wanted(meta: Meta) -> Wanted:
    return Wanted(
        targets={stem: tuple(names) for stem, names in meta["targets"].items()},
        methods={name: tuple(methods) for name, methods in meta["methods"].items()},
        names=tuple(meta["names"]),
        patterns={group: tuple(texts) for group, texts in meta["patterns"].items()},
    )
