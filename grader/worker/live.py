"""A kernel's live objects as a submission: for a process that was forked from the kernel.

Nothing of it is run to load it; what a check leaves behind is put back before the next one.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, cast

import torch

from ..language import _, marked
from ..wire.frame import Meta
from . import dynamo
from .loading import Plan
from .loading.blocks import read
from .loading.choice import Choice
from .loading.generators import Generators
from .loading.holdings import Holdings
from .loading.layout import Layout
from .loading.module import Shared, StudentModule
from .loading.notes import Notes
from .loading.sources import Block, Source
from .loading.statements import Script, read_script
from .main import reseed
from .pristine import Pristine
from .survey import Wanted, survey
from .tiers import unconfined
from .zygote import READY, WorkerSource, forking

REASON = marked("live objects are checked in a copy of the process that holds them")


@dataclass(frozen=True)
class Space:
    """A namespace of the student's, and the text that filled it as far as that can be got."""

    path: str
    """What reports call it; a file's path if it is one."""
    values: dict[str, Any]
    data: bytes = b""
    """The file, if it is one."""
    filename: str = ""
    """What tracebacks call a `.py` file."""
    cells: tuple[Block, ...] = ()
    """What was run, in order, if it is none."""
    module: ModuleType | None = None
    """Whose namespace it is, if it is a module's."""

    def script(self) -> Script:
        if not self.data:
            return read_script(Source(self.cells, ()))
        source = read(self.path, self.data)
        if self.path.endswith(".ipynb"):
            return read_script(source)
        blocks = tuple(replace(block, filename=self.filename) for block in source.blocks)
        return read_script(Source(blocks, source.faults))


@dataclass(frozen=True)
class Kernel:
    """What is to be checked of a process."""

    spaces: tuple[Space, ...]
    entries: Mapping[str, str]
    """Assignment -> the path of the space that holds its targets."""
    given: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Path -> name -> an object that counts instead of what has that name."""


class LiveObjects:
    """The `Origin` of workers that hold the objects already."""

    def __init__(self, kernel: Kernel) -> None:
        self._entries = kernel.entries
        self._scripts = {space.path: space.script() for space in kernel.spaces}
        self._layout = Layout(self._scripts.keys(), kernel.entries)
        self._notes = Notes()
        places: dict[str, tuple[str, int | None]] = {}
        shared = Shared(self._notes, Generators(()), places, frozenset(), _never)
        self._modules = {
            space.path: _module(space, self._scripts[space.path], shared) for space in kernel.spaces
        }
        self._places = places
        for path, names in kernel.given.items():
            self._modules[path].module.__dict__.update(names)

    def survey(self, plan: Plan, wanted: Wanted) -> Meta:
        return survey(wanted, self._entries, self._layout, self._scripts.__getitem__)

    def load(self, plan: Plan, progress: Callable[[str, int], None]) -> LiveSubmission:
        choices = {stem: Choice(path, {}) for stem, path in self._entries.items()}
        asked = plan.targets.keys()
        held = Holdings(self._modules, choices, asked, self._notes, self._places)
        targets = [
            held.modules[path].module.__dict__.get(name)
            for stem, path in self._entries.items()
            for name in plan.targets.get(stem, ())
        ]
        spaces = [module.module.__dict__ for module in self._modules.values()]
        return LiveSubmission(held, plan, Pristine(spaces, targets))


@dataclass(frozen=True)
class LiveSubmission:
    """The `Submission` of such a worker."""

    held: Holdings
    plan: Plan
    pristine: Pristine

    @property
    def report(self) -> dict[str, Any]:
        return self.held.report(self.plan.targets, self.plan.stubs)

    def lookup(self, stem: str, name: str) -> object:
        return self.held.lookup(stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        return self.held.place(filename)

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        return self.held.substitute(stem, name, into, function)

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        return self.held.reaches(into, names, stem, name)

    def reset(self) -> None:
        self.pristine.restore()

    def close(self) -> None:
        """Nothing: the process ends."""


def serve(control: socket.socket, report_fd: int, scratch: str, kernel: Kernel) -> None:
    """Fork workers around a kernel's objects until the judge hangs up or the kernel ends.

    Says on `report_fd` whether that is possible; it is closed when this process ends.
    """
    torch.set_num_threads(1)  # the threads of the kernel's pool are not in this process
    dynamo.install()
    try:
        x = torch.ones(1, requires_grad=True)
        torch.autograd.grad(x.sum(), [x])  # refused in a copy of a process that used a GPU for it
        origin = LiveObjects(kernel)
    except BaseException as error:
        os.write(report_fd, f"{type(error).__name__}: {error}".encode())
        return
    os.write(report_fd, READY)
    reseed()
    start = forking(unconfined([], _(REASON)), origin)
    WorkerSource(control, scratch, start, use_scratch=True).serve()


def _module(space: Space, script: Script, shared: Shared) -> StudentModule:
    module = StudentModule(space.path, space.path, script, shared)
    module.module = space.module or cast(ModuleType, _Holder(space.values))
    module.ran = list(script.statements)
    module.started = True
    return module


class _Holder:
    """Shows a namespace as a module does."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__ = values


def _never(path: str, index: int, may_take_long: bool) -> None:
    raise AssertionError("nothing is run here")
