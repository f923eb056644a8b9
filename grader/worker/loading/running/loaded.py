"""Load a submission: execute every file that counts, look names up, and reset it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....wire.load_plan import LoadPlan
from ....wire.load_report import LoadReport
from ..source.module_map import ModuleMap
from ..source.needed_names import wanted_names
from ..source.other_names import add_wanted_names
from ..source.statements import Scripts
from .choice import choose
from .current_statement import CurrentStatement
from .file_runner import FileRunner
from .findings import note_duplicates, note_other_assignment
from .generators import Generators
from .loaded_modules import LoadedModules
from .module import Shared
from .notes import Notes
from .standins import Gate
from .unimported import note_unimported


def load(
    plan: LoadPlan, progress: Callable[[str, int], None], scripts: Scripts | None = None
) -> Loaded:
    """Run a submission's files and return what came of it.

    Never raises for anything that a submission does. `progress` is called with a file and the
    number of a statement in it, before that statement runs.
    """
    loaded = Loaded(plan, progress, scripts or Scripts(plan.files))
    loaded.run()
    return loaded


class Loaded:
    """One submission that is loaded by `run`."""

    def __init__(
        self, plan: LoadPlan, progress: Callable[[str, int], None], scripts: Scripts
    ) -> None:
        """Choose the files that count; run nothing yet."""
        self._plan = plan
        self._gate, self._notes, self._statement = Gate(), Notes(), CurrentStatement(progress)
        self._generators = Generators(plan.files.values())
        choices = choose(plan.entries, plan.others, plan.stubs, scripts)
        self._entries = {stem: choice.path for stem, choice in choices.items()}
        add_wanted_names(scripts, self._entries, plan.targets)
        module_map = ModuleMap(plan.files.keys(), self._entries)
        shared = Shared(self._notes, self._generators, {}, plan.skip, self._statement.begin)
        wanted = wanted_names(self._entries, plan.targets, module_map, scripts)
        self._start = self._generators.capture()
        self._files = FileRunner(module_map, scripts, wanted, shared, self._gate, self._statement)
        self._held = LoadedModules(
            self._files.modules, choices, plan.targets, self._notes, shared.places
        )

    def run(self) -> None:
        """Run the files that count, and note what is to be said about them."""
        plan = self._plan
        self._run_entries()
        for stem, module in self._held.entries().items():
            stubs = plan.stubs.get(stem, {})
            note_duplicates(self._notes, module, plan.targets.get(stem, ()), stubs)
            note_other_assignment(self._notes, module, stem, plan.targets)
        for module in self._files.modules.values():
            known = module.module.__dict__.keys() | module.lost.keys()
            note_unimported(self._notes, module.path, known, module.ran)
        self._statement.finish()

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
        self._run_entries()
        self._gate.graded = graded

    def close(self) -> None:
        """Take everything out of the interpreter again."""
        self._files.close()

    def _run_entries(self) -> None:
        self._files.begin_again()
        for stem in self._entries:
            if stem in self._plan.targets:
                self._files.run_entry(stem)
