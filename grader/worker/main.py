"""Run a worker: isolate it, load one submission and serve calls until the judge hangs up.

Process: worker
Started by: zygote, fork on the judge's demand
Knows: one submission, and the inputs it is called with. No check, no reference, no expected value
"""

from __future__ import annotations

import gc
import os
import random
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..wire.frame import Channel, Message, Meta
from ..wire.load_plan import LoadPlan, Wanted, load_plan_in, wanted_in
from ..wire.load_report import LoadReport
from ..wire.peer import Peer
from ..wire.survey_report import SurveyReport, encoded_survey
from . import meta_values
from .isolation import WORKER_SOCKET, Jail, WorkerConfig, isolate, take_descriptors
from .jail.layers import Limits
from .kernels import watch
from .loading import load
from .loading.running.choice import choose
from .loading.source.module_map import ModuleMap
from .loading.source.other_names import add_wanted_names
from .loading.source.statements import Scripts
from .side import WorkerSide, reset_torch, seed_torch
from .survey import survey
from .tally import mapped

EXIT_NOT_ISOLATED = 97
EXIT_PROTOCOL = 98


class LoadedSubmission(Protocol):
    """A loaded submission; see `Loaded`."""

    @property
    def report(self) -> LoadReport: ...
    def lookup(self, stem: str, name: str) -> object: ...
    def place(self, filename: str) -> tuple[str, int | None] | None: ...
    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int: ...
    def reaches(self, into: str, names: list[str], stem: str, name: str) -> bool: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...


class SubmissionSource(Protocol):
    """The source that a worker gets its submission from."""

    def survey(self, plan: LoadPlan, wanted: Wanted) -> SurveyReport:
        """Report what the submission's texts say, before any of them is run."""

    def load(self, plan: LoadPlan, progress: Callable[[str, int], None]) -> LoadedSubmission:
        """Load the submission and return it, ready to be called."""


class SentFiles:
    """The `SubmissionSource` of workers whose files come with the request."""

    def __init__(self) -> None:
        self._scripts: Scripts | None = None

    def survey(self, plan: LoadPlan, wanted: Wanted) -> SurveyReport:
        scripts = self._scripts = Scripts(plan.files)
        choices = choose(plan.entries, plan.others, plan.stubs, scripts)
        entries = {stem: choice.path for stem, choice in choices.items()}
        add_wanted_names(scripts, entries, plan.targets)
        return survey(wanted, entries, ModuleMap(plan.files.keys(), entries), scripts)

    def load(self, plan: LoadPlan, progress: Callable[[str, int], None]) -> LoadedSubmission:
        loaded = load(plan, progress, self._scripts)
        loaded.graded = True
        return loaded


def run(
    sock_fd: int,
    output_fd: int,
    tally_fd: int,
    config: WorkerConfig,
    jail: Jail,
    source: SubmissionSource | None = None,
) -> None:
    """Run the whole life of a worker, in a freshly forked or spawned process. Never returns."""
    pages = []
    try:
        pages.append(mapped(tally_fd))
        take_descriptors(sock_fd, output_fd, jail.keep_fds)
        report = isolate(jail, Limits(**config.limits), config.scratch)
        reseed()
        meta_values.install()
    except BaseException as error:
        os.write(2, f"isolation failed: {error!r}\n".encode())
        os._exit(EXIT_NOT_ISOLATED)
    try:
        gc.enable()
        channel = Channel(socket.socket(fileno=WORKER_SOCKET))
        channel.send({"t": "ready", "isolation": report.encoded()})
        Worker(channel, source or SentFiles(), pages).serve()
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
    """One worker: connects the loaded submission with the channel."""

    def __init__(
        self, channel: Channel, source: SubmissionSource, pages: list[Any] | None = None
    ) -> None:
        """Serve `channel` from `source`; `pages` holds the tally page, until student code runs."""
        self._loaded: LoadedSubmission | None = None
        self._source, self._pages = source, pages
        self._channel = channel
        side = WorkerSide(self._lookup, self._place, self._renew, self._substitute, self._reaches)
        operations = {"survey": self._survey, "load": self._load}
        self._peer = side.peer = Peer(channel, side, operations)

    def serve(self) -> None:
        self._peer.serve_forever()

    def serve_one(self) -> None:
        """Answer one request and return."""
        self._peer.serve(self._channel.receive())

    def close(self) -> None:
        """Take the submission out of this process again."""
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None

    def _survey(self, message: Message) -> Meta:
        """Report what the texts say. Asked before `load`, about the same files."""
        report = self._source.survey(load_plan_in(message), wanted_in(message))
        return {"found": encoded_survey(report)}

    def _load(self, message: Message) -> Meta:
        plan = load_plan_in(message)
        if self._pages:
            self._watch(plan.counted, self._pages.pop(), plan.files)
        self._loaded = self._source.load(plan, self._progress)
        reset_torch()
        return {"report": self._loaded.report.encoded()}

    def _watch(
        self, names: Mapping[str, tuple[str, ...]], page: Any, files: Mapping[str, bytes]
    ) -> None:
        """Count from now on; where that fails, say so before anything of the student's runs."""
        try:
            watch(names, page, files)
        except Exception as error:
            self._peer.tell({"t": "unwatched", "why": f"{type(error).__name__}: {error}"})
            raise

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
