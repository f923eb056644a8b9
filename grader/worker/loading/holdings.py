"""What a worker holds of a submission, to be looked up, lent to, and told of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...language import _
from .choice import Choice
from .findings import target_finding, why_missing
from .module import StudentModule
from .notes import Notes
from .reach import reaches
from .standins import is_standin


@dataclass(frozen=True)
class Holdings:
    """Modules of a submission that have been run, however that came about."""

    modules: Mapping[str, StudentModule]
    """By path: all of them, those that are only imported too."""
    choices: Mapping[str, Choice]
    """Assignment -> the file that counts for it."""
    asked: Collection[str]
    """Assignments that are looked at."""
    notes: Notes
    places: Mapping[str, tuple[str, int | None]]
    """Code file name -> file and cell of the submission."""

    def entries(self) -> dict[str, StudentModule]:
        """The module of each assignment that is looked at."""
        return {
            stem: self.modules[choice.path]
            for stem, choice in self.choices.items()
            if stem in self.asked
        }

    def report(
        self, targets: Mapping[str, tuple[str, ...]], stubs: Mapping[str, Mapping[str, str]]
    ) -> dict[str, Any]:
        """JSON-able: what became of each target, and every problem and note."""
        modules: dict[str, Any] = {}
        entries = self.entries()
        for stem, names in targets.items():
            module, own = entries.get(stem), stubs.get(stem, {})
            found = {
                name: _no_file(stem)
                if module is None
                else target_finding(module, name, own.get(name))
                for name in names
            }
            path = self.choices[stem].path if stem in self.choices else None
            modules[stem] = {"file": path, "targets": found}
        files = {stem: [choice.path, choice.states] for stem, choice in self.choices.items()}
        return {"modules": modules, "notes": self.notes.as_json(), "files": files}

    def lookup(self, stem: str, name: str) -> object:
        """The object of that name in the assignment's file. Raises LookupError with the reason."""
        module = self.entries().get(stem)
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
        """Whether `names` of the assignment `into` use the submission's own `name` of `stem`, or
        would if it could have been imported."""
        entries = self.entries()
        module = entries.get(into)
        return module is not None and reaches(module, names, entries.get(stem), stem, name)

    def place(self, filename: str) -> tuple[str, int | None] | None:
        """File and cell of the submission that a code file name stands for."""
        return self.places.get(filename)


def _no_file(stem: str) -> dict[str, Any]:
    why = _("the submission has no file for {stem}", stem=stem)
    return {"kind": "missing", "line": None, "stub": False, "close": [], "why": why}
