"""Answer questions about what a submission defines, from what a worker reported on loading it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...grade.evidence import Note, Where
from ...submission.file_choice import Choice
from ...text.language import _
from ...wire.load_plan import LoadPlan
from ...wire.load_report import LoadReport, ModuleReport, TargetReport
from . import load_report
from .faults import Crashed, NotDefined, StudentFault, StudentRaised

_UNDEFINED = re.compile(r"name '(\w+)' is not defined")


@dataclass(frozen=True)
class LoadedFiles:
    """The files that were sent, and the worker's report on them: a claim."""

    plan: LoadPlan
    report: LoadReport

    def definition(self, stem: str, name: str) -> Where | None:
        """Return the place where the student defines `name`; None if nowhere."""
        module = self.report.modules.get(stem)
        target = module.targets.get(name) if module is not None else None
        if module is None or target is None or target.kind == "missing":
            return None
        return load_report.where(module, target)

    def kind(self, stem: str, name: str) -> str:
        """Return `function`, `class` or `value`, depending on what `name` is.

        Raises:
            NotDefined: there is no such name, or only the stub's.
        """
        module = self.report.modules.get(stem)
        if module is None or not module.file:
            raise NotDefined(
                _("no file {stem}.py or {stem}.ipynb was handed in", stem=stem),
                _("a file {stem}.py or {stem}.ipynb", stem=stem),
            )
        target = module.targets.get(name, TargetReport())
        if target.kind == "missing":
            raise _missing(module, name, target, self.notes())
        if target.stub:
            raise NotDefined(_("not written yet"), where=load_report.where(module, target))
        return target.kind

    def absent(self, stem: str, names: Sequence[str]) -> NotDefined | None:
        """Return why there is nothing to check of an exercise, if none of its targets was written.

        Return None if what keeps a target from being used is seen in a check.
        """
        faults = []
        for name in names:
            try:
                self.kind(stem, name)
                return None
            except NotDefined as fault:
                faults.append(fault)
            except StudentFault:
                return None
        return faults[0]

    def file_of(self, stem: str) -> str:
        """Return the file that was loaded for an assignment; "" if there is none."""
        module = self.report.modules.get(stem)
        return module.file if module is not None else ""

    def mentions(self, name: str, stem: str) -> bool:
        """Tell whether the files mention `name` beyond the place in `stem` that defines it.

        Code that calls it has to mention it, and asking this costs nothing.
        """
        own = self.plan.entries.get(stem)
        return any(
            data.count(name.encode()) > (1 if path == own else 0)
            for path, data in self.plan.files.items()
        )

    def choices(self) -> Mapping[str, Choice]:
        """Return the file that was loaded for each assignment for which there was a choice."""
        plan = self.plan
        return {
            stem: load_report.choice(reported, (plan.entries[stem], *plan.others.get(stem, ())))
            for stem, reported in self.report.files.items()
            if stem in plan.entries
        }

    def notes(self) -> tuple[Note, ...]:
        return tuple(load_report.note(note) for note in self.report.notes)

    def forgotten(self, fault: StudentRaised) -> Note | None:
        """Return the note on the missing import of the name that was undefined, if there is one."""
        match = _UNDEFINED.search(fault.message) if fault.type_name == "NameError" else None
        if match is None or fault.where is None:
            return None
        about = fault.where.file, match[1]
        fitting = (one for one in self.report.notes if (one.file, one.unimported) == about)
        return next(map(load_report.note, fitting), None)


def place_in(files: Mapping[str, bytes], file: Any, cell: Any, line: Any) -> Where | None:
    """Return a place that a worker names, if there is such a place in the files.

    Any other text or number could carry a hidden input.
    """
    data = files.get(file) if type(file) is str else None
    if data is None:
        return None
    numbers = [number for number in (line, cell) if number is not None]
    inside = all(type(n) is int and 0 <= n <= len(data) for n in numbers)
    return Where(file, line, cell) if inside else Where(file)


def _missing(
    module: ModuleReport, name: str, target: TargetReport, notes: tuple[Note, ...]
) -> StudentFault:
    broken = [n for n in notes if n.kind == "problem" and n.where and n.where.file == module.file]
    if broken:
        # The same words for every name that it costs: one mistake, told once.
        fault = Crashed(broken[0].text, _("a definition of {name}", name=name))
        fault.where = broken[0].where
        return fault
    observed = _("{file} does not define {name}", file=module.file, name=name)
    expected = _("a definition of {name}", name=name)
    if not target.close:
        return NotDefined(observed, expected)
    # Somebody wrote it, under another name: nobody may read that they did not try.
    observed = _("{told}; there is a {name}: is that the one?", told=observed, name=target.close[0])
    return StudentFault(observed, expected, where=load_report.where(module, target))
