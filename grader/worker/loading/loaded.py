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
from .findings import (
    note_duplicates,
    note_other_assignment,
    target_finding,
    why_missing,
)
from .generators import Generators
from .importer import Caller, Finder, Importer
from .layout import Layout, Place, folder_of
from .module import Shared, StudentModule
from .needs import Needs
from .notes import Notes
from .reach import reaches
from .standins import Gate, Standin, is_standin
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
        self._wanted = wanted_names(self._entries, plan.targets, self._layout, self._script)
        self._start = self._generators.capture()
        sys.meta_path.append(self._finder)
        self._run_entries()
        for stem, module in self._entry_modules().items():
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
        modules: dict[str, Any] = {}
        entries = self._entry_modules()
        for stem, names in self._plan.targets.items():
            module, stubs = entries.get(stem), self._plan.stubs.get(stem, {})
            found = {
                name: _no_file(stem)
                if module is None
                else target_finding(module, name, stubs.get(name))
                for name in names
            }
            modules[stem] = {"file": self._entries.get(stem), "targets": found}
        files = {stem: [choice.path, choice.states] for stem, choice in self._choices.items()}
        return {"modules": modules, "notes": self._notes.as_json(), "files": files}

    def lookup(self, stem: str, name: str) -> object:
        """The object of that name in the assignment's file. Raises LookupError with the reason."""
        module = self._entry_modules().get(stem)
        if module is None:
            raise LookupError(_no_file(stem)["why"])
        namespace = module.module.__dict__
        if name not in namespace or is_standin(namespace[name]):
            raise LookupError(why_missing(module, name))
        value: object = namespace[name]
        return value

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        """Let calls of the submission's own `name` of `stem` be calls of `function`, wherever one
        of its modules holds it, until the next reset. Where the assignment `into` lacks the name
        because it could not be imported, it gets it. Returns in how many places `into` can call
        it from."""

        def substituted(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        substituted.__name__ = substituted.__qualname__ = name
        entries = self._entry_modules()
        source, dependant = entries.get(stem), entries.get(into)
        own = source.module.__dict__.get(name, source) if source is not None else source
        places = 0
        for module in self._modules.values():
            held = module.module.__dict__
            names = [key for key, value in held.items() if value is own]
            held.update(dict.fromkeys(names, substituted))
            modules = [value for value in held.values() if source and value is source.module]
            places += len(modules) + (len(names) if module is not source or stem == into else 0)
        if dependant is not None:
            held = dependant.module.__dict__
            if name not in held or is_standin(held[name]):
                held[name] = substituted
                places += 1
        return places

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        """Whether `names` of the assignment `into` use the submission's own `name` of `stem`, or
        would if it could have been imported."""
        entries = self._entry_modules()
        module = entries.get(into)
        return module is not None and reaches(module, names, entries.get(stem), stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        """File and cell of the submission that a code file name stands for."""
        return self._shared.places.get(filename)

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

    def _entry_modules(self) -> dict[str, StudentModule]:
        return {
            stem: self._modules[path]
            for stem, path in self._entries.items()
            if stem in self._plan.targets
        }

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


def _no_file(stem: str) -> dict[str, Any]:
    why = _("the submission has no file for {stem}", stem=stem)
    return {"kind": "missing", "line": None, "stub": False, "close": [], "why": why}


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
