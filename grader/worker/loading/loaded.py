"""A submission, loaded: every file that counts, executed, looked up and reset."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ...language import _
from .choice import choose
from .demands import wanted_names
from .findings import note_duplicates, note_other_assignment
from .generators import Generators
from .holdings import Holdings
from .importer import Caller, Finder, Importer
from .layout import Layout, Place, folder_of
from .module import Shared, StudentModule
from .needs import Needs
from .notes import Notes
from .standins import Gate, Standin
from .statements import Script, Scripts


@dataclass(frozen=True)
class Plan:
    """What to load, and what is wanted from it."""

    files: Mapping[str, bytes]
    """The whole submission: relative path -> content."""
    entries: Mapping[str, str]
    """Assignment stem -> path of the file that counts for it if it was edited."""
    targets: Mapping[str, tuple[str, ...]]
    """Assignment stem -> names the exercises look at; other assignments only run if imported."""
    stubs: Mapping[str, Mapping[str, str]]
    """Assignment stem -> target -> `definition_digest` of the hand-out's definition."""
    skip: frozenset[tuple[str, int]] = frozenset()
    """(path, statement index) pairs that ran too long before and are not executed."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Assignment stem -> more files that could be it, the more likely first."""


class Loaded:
    """Loads on construction; never raises for anything that a submission does."""

    def __init__(
        self, plan: Plan, progress: Callable[[str, int], None], scripts: Scripts | None = None
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._current: tuple[str, int] | None = None
        self._quiet = False
        self._gate = Gate()
        self._notes = Notes()
        self._generators = Generators(plan.files.values())
        self._builtins = {**vars(builtins), **_replacements(self._gate)}
        self._script = scripts or Scripts(plan.files)
        self._choices = choose(plan.entries, plan.others, plan.stubs, self._script)
        self._entries = {stem: choice.path for stem, choice in self._choices.items()}
        self._layout = Layout(plan.files.keys(), self._entries)
        self._importer = Importer(self._layout, self._notes, self._gate)
        self._importer.run = self._run
        self._finder = Finder(self._layout, self._run)
        self._modules: dict[str, StudentModule] = {}
        self._shared = Shared(self._notes, self._generators, {}, plan.skip, self._begin)
        self._held = Holdings(
            self._modules, self._choices, plan.targets, self._notes, self._shared.places
        )
        self._wanted = wanted_names(self._entries, plan.targets, self._layout, self._script)
        self._start = self._generators.capture()
        sys.meta_path.append(self._finder)
        self._run_entries()
        for stem, module in self._held.entries().items():
            stubs = plan.stubs.get(stem, {})
            note_duplicates(self._notes, module, plan.targets.get(stem, ()), stubs)
            note_other_assignment(self._notes, module, stem, plan.targets)
        self._current, self._quiet = None, True

    @property
    def graded(self) -> bool:
        """Set once loading is over: from now on, using a stand-in is an error."""
        return self._gate.graded

    @graded.setter
    def graded(self, value: bool) -> None:
        self._gate.graded = value

    @property
    def report(self) -> dict[str, Any]:
        """JSON-able: what became of each target, and every problem and note."""
        return self._held.report(self._plan.targets, self._plan.stubs)

    def lookup(self, stem: str, name: str) -> object:
        """See `Holdings.lookup`."""
        return self._held.lookup(stem, name)

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        """See `Holdings.substitute`."""
        return self._held.substitute(stem, name, into, function)

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        """See `Holdings.reaches`."""
        return self._held.reaches(into, names, stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        """See `Holdings.place`."""
        return self._held.place(filename)

    def reset(self) -> None:
        """Every module as it was after loading, with new functions, classes and values.

        The random generators return to where they were before loading, so that values drawn at
        the top of a file are the same ones; seed them for the check afterwards.
        """
        graded, self._gate.graded = self._gate.graded, False
        self._generators.restore(self._start)
        if self._finder not in sys.meta_path:
            sys.meta_path.append(self._finder)
        for module in self._modules.values():
            module.started = False
        self._run_entries()
        self._gate.graded = graded

    def close(self) -> None:
        """Takes everything out of the interpreter again."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for module in self._modules.values():
            module.withdraw()

    def _run_entries(self) -> None:
        for stem in self._entries:
            if stem in self._plan.targets:
                self._run(self._layout.entry(stem))

    def _begin(self, path: str, index: int, may_take_long: bool) -> None:
        self._current = (path, index)
        # after loading, whatever runs is part of a call that has its own deadline
        if may_take_long and not self._quiet:
            self._progress(path, index)

    def _run(self, place: Place) -> ModuleType:
        """The module of a place; executes its file if that has not begun."""
        module = self._module(place)
        if module.started:
            return module.module
        module.started = True
        module.publish(self._dunders(place))
        graded, self._gate.graded = self._gate.graded, False
        outer = self._current
        try:
            module.execute(lambda: self._needs(place))
        finally:
            self._gate.graded, self._current = graded, outer
        if outer is not None and not self._quiet:
            # the importing statement goes on: its own time limit, under its own name
            self._progress(*outer)
        return module.module

    def _module(self, place: Place) -> StudentModule:
        key = place.path or f"{place.folder}/"
        if key not in self._modules:
            script = self._script(place.path) if place.path else Script((), (), ())
            self._modules[key] = StudentModule(key, place.name, script, self._shared)
        return self._modules[key]

    def _needs(self, place: Place) -> Needs:
        statements = self._script(place.path).statements if place.path else ()
        wanted = self._wanted.get(place.path or "", None)
        return Needs(statements, None if wanted is None else frozenset(wanted))

    def _dunders(self, place: Place) -> dict[str, Any]:
        package = place.folder is not None
        spec = ModuleSpec(place.name, self._finder, origin=place.path, is_package=package)
        spec.loader_state = place
        folder = place.folder if place.folder is not None else folder_of(place.path or "")
        caller = Caller(place.path or f"{folder}/", folder, self._module(place).script)
        own = {**self._builtins, "__import__": self._importer.for_caller(caller)}
        parent = place.name if package else place.name.rpartition(".")[0]
        found = {"__builtins__": own, "__spec__": spec, "__loader__": self._finder}
        return {**found, "__package__": parent, **({"__path__": []} if package else {})}


def _replacements(gate: Gate) -> dict[str, Any]:
    """Built-ins that would wait for a person, end the worker, or exist in notebooks only."""

    def input(prompt: object = "", /) -> str:
        raise EOFError("EOF when reading a line")

    def leave(code: object = None) -> None:
        raise SystemExit(code)

    def nothing(*args: object, **options: object) -> None:
        return None

    def get_ipython() -> Standin:
        return Standin("get_ipython()", gate, _("there is no IPython while grading"))

    return {
        "input": input,
        "exit": leave,
        "quit": leave,
        "breakpoint": nothing,
        "display": nothing,
        "get_ipython": get_ipython,
    }
