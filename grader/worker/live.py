"""Serve a kernel's live objects as a submission, in a process forked from the kernel.

A kernel is the process that runs a notebook or an interactive Python. Nothing is run to load its
objects; what a check changes is put back before the next check.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import torch

from ..text.language import _, marked
from ..wire.load_plan import LoadPlan, Wanted
from ..wire.load_report import LoadReport, TargetReport
from ..wire.survey_report import SurveyReport
from . import dynamo
from .loading.running.choice import ChosenFile
from .loading.running.generators import Generators
from .loading.running.loaded_modules import LoadedModules
from .loading.running.module import Shared, StudentModule
from .loading.running.notes import Notes
from .loading.source.blocks import read
from .loading.source.module_map import ModuleMap
from .loading.source.sources import Block, SourceFile
from .loading.source.statements import Script, read_script
from .main import reseed
from .state_restore import SavedState
from .survey import survey
from .tiers import unconfined
from .zygote import READY, WorkerSource, forking

REASON = marked("live objects are checked in a copy of the process that holds them")


@dataclass(frozen=True)
class Space:
    """A namespace of the student's, and the text that filled it as far as it is known."""

    path: str
    """The name of the namespace in reports; a file's path if it is a file's."""
    values: dict[str, Any]
    data: bytes = b""
    """The content of the file, if there is one."""
    filename: str = ""
    """The name of a `.py` file in tracebacks."""
    cells: tuple[Block, ...] = ()
    """The cells that were run, in order, if there is no file."""
    module: ModuleType | None = None
    """The module whose namespace it is, if it is a module's."""

    def script(self) -> Script:
        if not self.data:
            return read_script(SourceFile(self.cells, ()))
        source = read(self.path, self.data)
        if self.path.endswith(".ipynb"):
            return read_script(source)
        blocks = tuple(replace(block, filename=self.filename) for block in source.blocks)
        return read_script(SourceFile(blocks, source.faults))


@dataclass(frozen=True)
class Kernel:
    """The namespaces of a process that are to be checked."""

    spaces: tuple[Space, ...]
    entries: Mapping[str, str]
    """Assignment -> the path of the space that holds its targets."""
    given: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Path -> name -> an object that is checked in place of the one of that name."""


class LiveObjects:
    """The `SubmissionSource` of workers that hold the student's objects already."""

    def __init__(self, kernel: Kernel) -> None:
        self._entries = kernel.entries
        self._scripts = {space.path: space.script() for space in kernel.spaces}
        self._module_map = ModuleMap(self._scripts.keys(), kernel.entries)
        self._notes = Notes()
        places: dict[str, tuple[str, int | None]] = {}
        shared = Shared(self._notes, Generators(()), places, frozenset(), _never)
        self._modules = {
            space.path: _module(space, self._scripts[space.path], shared) for space in kernel.spaces
        }
        self._places = places
        for path, names in kernel.given.items():
            self._modules[path].module.__dict__.update(names)

    def survey(self, plan: LoadPlan, wanted: Wanted) -> SurveyReport:
        return survey(wanted, self._entries, self._module_map, self._scripts.__getitem__)

    def load(self, plan: LoadPlan, progress: Callable[[str, int], None]) -> LiveSubmission:
        choices = {stem: ChosenFile(path, {}) for stem, path in self._entries.items()}
        requested = plan.targets.keys()
        held = LoadedModules(self._modules, choices, requested, self._notes, self._places)
        targets = [
            held.modules[path].module.__dict__.get(name)
            for stem, path in self._entries.items()
            for name in plan.targets.get(stem, ())
        ]
        spaces = [module.module.__dict__ for module in self._modules.values()]
        return LiveSubmission(held, plan, SavedState(spaces, targets))


def _code(value: object) -> CodeType | None:
    """Return the code of a function or method, or of a class's first method; None of others."""
    if isinstance(value, MethodType):
        value = value.__func__
    if isinstance(value, FunctionType):
        return value.__code__
    if not isinstance(value, type):
        return None
    own = [one.__code__ for one in vars(value).values() if isinstance(one, FunctionType)]
    return min(own, key=lambda code: code.co_firstlineno, default=None)


@dataclass(frozen=True)
class LiveSubmission:
    """The `LoadedSubmission` of a worker that holds live objects."""

    held: LoadedModules
    plan: LoadPlan
    saved: SavedState

    @property
    def report(self) -> LoadReport:
        report = self.held.report(self.plan.targets, self.plan.stubs)
        modules = {
            stem: replace(
                module,
                targets={
                    name: self._placed(stem, name, module.file, target)
                    for name, target in module.targets.items()
                },
            )
            for stem, module in report.modules.items()
        }
        return replace(report, modules=modules)

    def _placed(self, stem: str, name: str, file: str, target: TargetReport) -> TargetReport:
        """Correct the place in a target's report, if the live object is defined elsewhere.

        The text may define another one of that name. Of a class, the place of its first method is
        known: a class itself keeps no line.
        """
        module = self.held.entries().get(stem)
        value = None if module is None else module.module.__dict__.get(name)
        code = _code(value)
        if code is None:
            return target
        lines = [line for _start, _end, line in code.co_lines() if line is not None]
        path, cell = self.held.place(code.co_filename) or (None, None)
        first, last, line = code.co_firstlineno, max(lines, default=0), target.line or 0
        inside = line <= first if isinstance(value, type) else first <= line <= last
        if path != file or (target.cell == cell and inside):
            return target
        return replace(target, line=code.co_firstlineno, cell=cell)

    def lookup(self, stem: str, name: str) -> object:
        return self.held.lookup(stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        return self.held.place(filename)

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        return self.held.substitute(stem, name, into, function)

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        return self.held.reaches(into, names, stem, name)

    def reset(self) -> None:
        self.saved.restore()

    def close(self) -> None:
        """Do nothing: the process ends."""


def serve(control: socket.socket, report_fd: int, scratch: str, kernel: Kernel) -> None:
    """Fork workers around a kernel's objects until the judge hangs up or the kernel ends.

    Write READY to `report_fd`, or the reason why that is impossible. The descriptor is closed when
    this process ends.
    """
    torch.set_num_threads(1)  # the threads of the kernel's pool are not in this process
    dynamo.install()
    try:
        x = torch.ones(1, requires_grad=True)
        torch.autograd.grad(x.sum(), [x])  # refused in a copy of a process that used a GPU for it
        source = LiveObjects(kernel)
    except BaseException as error:
        os.write(report_fd, f"{type(error).__name__}: {error}".encode())
        return
    os.write(report_fd, READY)
    reseed()
    start = forking(unconfined([], _(REASON)), source)
    WorkerSource(control, scratch, start, use_scratch=True).serve()


def _module(space: Space, script: Script, shared: Shared) -> StudentModule:
    module = StudentModule(space.path, space.path, script, shared)
    module.module = space.module or cast(ModuleType, _Holder(space.values))
    module.ran = list(script.statements)
    module.started = True
    return module


class _Holder:
    """Shows a namespace as a module does: through its `__dict__`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__ = values


def _never(path: str, index: int, may_take_long: bool) -> None:
    raise AssertionError("nothing is run here")
