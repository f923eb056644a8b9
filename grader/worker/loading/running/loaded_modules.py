"""The loaded modules of a submission: look up, replace, report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....text.language import _
from ....wire.load_report import FileChoice, LoadReport, ModuleReport, TargetReport
from .choice import ChosenFile
from .dependencies import reaches
from .findings import target_finding, why_missing
from .module import StudentModule
from .notes import Notes
from .standins import is_standin


@dataclass(frozen=True)
class LoadedModules:
    """The modules of a submission after they were run, by the loader or in a live session."""

    modules: Mapping[str, StudentModule]
    """Path -> module: all of them, also those that are only imported."""
    choices: Mapping[str, ChosenFile]
    """Assignment -> the file that counts for it."""
    requested: Collection[str]
    """Assignments whose targets are looked at."""
    notes: Notes
    places: Mapping[str, tuple[str, int | None]]
    """Code file name -> file and cell of the submission."""

    def entries(self) -> dict[str, StudentModule]:
        """Return the module of each assignment that is looked at."""
        return {
            stem: self.modules[choice.path]
            for stem, choice in self.choices.items()
            if stem in self.requested
        }

    def report(
        self, targets: Mapping[str, tuple[str, ...]], stubs: Mapping[str, Mapping[str, str]]
    ) -> LoadReport:
        """Return the finding on each target, and every problem and note."""
        modules: dict[str, ModuleReport] = {}
        entries = self.entries()
        for stem, names in targets.items():
            module, own = entries.get(stem), stubs.get(stem, {})
            findings = {
                name: _no_file(stem)
                if module is None
                else target_finding(module, name, own.get(name), names)
                for name in names
            }
            path = self.choices[stem].path if stem in self.choices else ""
            modules[stem] = ModuleReport(path, findings)
        files = {
            stem: FileChoice(choice.path, choice.states) for stem, choice in self.choices.items()
        }
        return LoadReport(modules, self.notes.all, files)

    def lookup(self, stem: str, name: str) -> object:
        """Return the object of that name in the assignment's file.

        Raises LookupError with the reason.
        """
        module = self.entries().get(stem)
        if module is None:
            raise LookupError(_no_file(stem).why)
        namespace = module.module.__dict__
        if name not in namespace or is_standin(namespace[name]):
            raise LookupError(why_missing(module, name))
        value: object = namespace[name]
        return value

    def substitute(self, stem: str, name: str, into: str, function: Callable[..., Any]) -> int:
        """Replace the submission's own `name` of `stem` by `function`, until the next reset.

        It is replaced in every module that holds it. If the assignment `into` lacks the name
        because it could not be imported, it gets it. Return the number of places from which `into`
        can call it.
        """

        def substituted(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        substituted.__name__ = substituted.__qualname__ = name
        entries = self.entries()
        source, dependant = entries.get(stem), entries.get(into)
        own = source.module.__dict__.get(name, source) if source is not None else source
        places = 0
        for module in self.modules.values():
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
        """Tell whether `names` of the assignment `into` use the submission's own `name` of `stem`.

        An import of it that could not be served counts as a use.
        """
        entries = self.entries()
        module = entries.get(into)
        return module is not None and reaches(module, names, entries.get(stem), stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        """Return the file and cell of the submission that a code file name stands for."""
        return self.places.get(filename)


def _no_file(stem: str) -> TargetReport:
    return TargetReport(why=_("the submission has no file for {stem}", stem=stem))
