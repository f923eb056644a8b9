"""Run the files of a submission as modules, each when it is first needed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..source.module_map import ModuleLocation, ModuleMap, folder_of
from ..source.needs import Needs
from ..source.statements import Script, Scripts
from .current_statement import CurrentStatement
from .importer import Caller, Finder, Importer
from .module import Shared, StudentModule
from .standins import Gate
from .student_builtins import builtins_of_a_submission


class FileRunner:
    """Runs each file once, until all are to be run again."""

    def __init__(
        self,
        module_map: ModuleMap,
        scripts: Scripts,
        wanted: Mapping[str, Collection[str] | None],
        shared: Shared,
        gate: Gate,
        statement: CurrentStatement,
    ) -> None:
        """Run nothing yet. `wanted`: file -> the names that are needed of it; None for all."""
        self._module_map, self._script, self._wanted = module_map, scripts, wanted
        self._shared, self._gate, self._statement = shared, gate, statement
        self._builtins = builtins_of_a_submission(gate)
        self._importer = Importer(module_map, shared.notes, gate, self.run)
        self._finder = Finder(module_map, self.run)
        self.modules: dict[str, StudentModule] = {}
        """Path -> module: all that were needed so far."""

    def begin_again(self) -> None:
        """Have every file run anew when it is next needed, and found when it is imported."""
        if self._finder not in sys.meta_path:
            sys.meta_path.append(self._finder)
        for module in self.modules.values():
            module.started = False

    def close(self) -> None:
        """Take every module out of the interpreter again."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for module in self.modules.values():
            module.withdraw()

    def run_entry(self, stem: str) -> None:
        """Run the file of an assignment if that has not begun."""
        self.run(self._module_map.entry(stem))

    def run(self, place: ModuleLocation) -> ModuleType:
        """Return the module of a place; execute its file if that has not begun."""
        module = self._module(place)
        if module.started:
            return module.module
        module.started = True
        module.publish(self._dunders(place))
        with self._statement.within():
            graded, self._gate.graded = self._gate.graded, False
            try:
                module.execute(lambda: self._needs(place))
            finally:
                self._gate.graded = graded
        return module.module

    def _module(self, place: ModuleLocation) -> StudentModule:
        key = place.path or f"{place.folder}/"
        if key not in self.modules:
            script = self._script(place.path) if place.path else Script((), (), ())
            self.modules[key] = StudentModule(key, place.name, script, self._shared)
        return self.modules[key]

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
