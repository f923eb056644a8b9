"""Load a submission: execute every file that counts, look names up, and reset it."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ....text.language import _
from ....wire.load_plan import LoadPlan
from ....wire.load_report import LoadReport
from ..source.module_map import ModuleLocation, ModuleMap, folder_of
from ..source.needed_names import wanted_names
from ..source.needs import Needs
from ..source.other_names import add_wanted_names
from ..source.statements import Script, Scripts
from .choice import choose
from .findings import note_duplicates, note_other_assignment
from .generators import Generators
from .importer import Caller, Finder, Importer
from .loaded_modules import LoadedModules
from .module import Shared, StudentModule
from .notes import Notes
from .standins import Gate, Standin
from .unimported import note_unimported


class Loaded:
    """One loaded submission; to construct it is to load it.

    Never raises for anything that a submission does.
    """

    def __init__(
        self, plan: LoadPlan, progress: Callable[[str, int], None], scripts: Scripts | None = None
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
        add_wanted_names(self._script, self._entries, plan.targets)
        self._module_map = ModuleMap(plan.files.keys(), self._entries)
        self._importer = Importer(self._module_map, self._notes, self._gate)
        self._importer.run = self._run
        self._finder = Finder(self._module_map, self._run)
        self._modules: dict[str, StudentModule] = {}
        self._shared = Shared(self._notes, self._generators, {}, plan.skip, self._begin)
        self._held = LoadedModules(
            self._modules, self._choices, plan.targets, self._notes, self._shared.places
        )
        self._wanted = wanted_names(self._entries, plan.targets, self._module_map, self._script)
        self._start = self._generators.capture()
        sys.meta_path.append(self._finder)
        self._run_entries()
        for stem, module in self._held.entries().items():
            stubs = plan.stubs.get(stem, {})
            note_duplicates(self._notes, module, plan.targets.get(stem, ()), stubs)
            note_other_assignment(self._notes, module, stem, plan.targets)
        for module in self._modules.values():
            known = module.module.__dict__.keys() | module.lost.keys()
            note_unimported(self._notes, module.path, known, module.ran)
        self._current, self._quiet = None, True

    @property
    def graded(self) -> bool:
        """Return whether graded code runs, as set once loading is over.

        Using a stand-in is then an error.
        """
        return self._gate.graded

    @graded.setter
    def graded(self, value: bool) -> None:
        self._gate.graded = value

    @property
    def report(self) -> LoadReport:
        """Return the finding on each target, and every problem and note."""
        return self._held.report(self._plan.targets, self._plan.stubs)

    def lookup(self, stem: str, name: str) -> object:
        """Look up an object by assignment and name; see `LoadedModules.lookup`."""
        return self._held.lookup(stem, name)

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        """Replace a function in every module that holds it; see `LoadedModules.substitute`."""
        return self._held.substitute(stem, name, into, function)

    def reaches(self, into: str, names: Sequence[str], stem: str, name: str) -> bool:
        """Tell whether names of one assignment use a name of another (`LoadedModules.reaches`)."""
        return self._held.reaches(into, names, stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        """Return the file and cell of a code file name; see `LoadedModules.place`."""
        return self._held.place(filename)

    def reset(self) -> None:
        """Bring every module back to its loaded state, with new functions, classes and values.

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
        """Take everything out of the interpreter again."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for module in self._modules.values():
            module.withdraw()

    def _run_entries(self) -> None:
        for stem in self._entries:
            if stem in self._plan.targets:
                self._run(self._module_map.entry(stem))

    def _begin(self, path: str, index: int, may_take_long: bool) -> None:
        self._current = (path, index)
        # after loading, whatever runs is part of a call that has its own deadline
        if may_take_long and not self._quiet:
            self._progress(path, index)

    def _run(self, place: ModuleLocation) -> ModuleType:
        """Return the module of a place; execute its file if that has not begun."""
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

    def _module(self, place: ModuleLocation) -> StudentModule:
        key = place.path or f"{place.folder}/"
        if key not in self._modules:
            script = self._script(place.path) if place.path else Script((), (), ())
            self._modules[key] = StudentModule(key, place.name, script, self._shared)
        return self._modules[key]

    def _needs(self, place: ModuleLocation) -> Needs:
        statements = self._script(place.path).statements if place.path else ()
        wanted = self._wanted.get(place.path or "", None)
        return Needs(statements, None if wanted is None else frozenset(wanted))

    def _dunders(self, place: ModuleLocation) -> dict[str, Any]:
        package = place.folder is not None
        spec = ModuleSpec(place.name, self._finder, origin=place.path, is_package=package)
        spec.loader_state = place
        folder = place.folder if place.folder is not None else folder_of(place.path or "")
        caller = Caller(place.path or f"{folder}/", folder, self._module(place).script)
        own = {**self._builtins, "__import__": self._importer.for_caller(caller)}
        parent = place.name if package else place.name.rpartition(".")[0]
        dunders = {"__builtins__": own, "__spec__": spec, "__loader__": self._finder}
        return {**dunders, "__package__": parent, **({"__path__": []} if package else {})}


def _replacements(gate: Gate) -> dict[str, Any]:
    """Return substitutes for some built-ins.

    The originals would wait for a person, end the worker, or exist in notebooks only.
    """

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
