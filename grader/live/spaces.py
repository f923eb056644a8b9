"""Find the student's namespaces in a kernel, the text behind them, and their assignments."""

from __future__ import annotations

import linecache
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from grader.course.rubric import Rubric
from grader.text.language import _
from grader.worker.live import Space
from grader.worker.loading.source.notebooks import is_demo_cell
from grader.worker.loading.source.sources import Block

_INSTALLED = frozenset({"site-packages", "dist-packages"})

Namespace = dict[str, Any]


class Spaces:
    """The namespace that a check is called from, and the modules that the student wrote."""

    def __init__(self, caller: Namespace, folder: Path, names: Mapping[str, str]) -> None:
        """Read the caller's namespace, and find the student's modules in `folder`.

        `names` maps the file name that the kernel's shell gives a cell to the cell's number.
        """
        self._folder = folder
        self.here = _here(caller, folder, names)
        self._modules = dict(_own_modules(folder, caller))
        self._made = {self.here.path: self.here}

    @property
    def all(self) -> tuple[Space, ...]:
        """Return the spaces that were asked for, and those of all the student's modules."""
        for module in self._modules.values():
            self.of_module(module)
        return tuple(self._made.values())

    def of_module(self, module: ModuleType) -> Space:
        """Return the space of a module, wherever the module lies."""
        if module.__dict__ is self.here.values:
            return self.here
        space = _file_space(module, self._folder)
        return self._made.setdefault(space.path, space)

    def owner(self, value: object) -> Space:
        """Return the student's space in which a value was defined, else the caller's."""
        name = getattr(value, "__module__", None)
        module = self._modules.get(name) if isinstance(name, str) else None
        return self.here if module is None else self.of_module(module)

    def entry(self, stem: str, targets: tuple[str, ...]) -> Space | None:
        """Return the space that holds an assignment's targets; None if none does."""
        values = [self.here.values[name] for name in targets if name in self.here.values]
        if values:
            owners = {space.path: space for space in map(self.owner, values)}
            paths = Counter(self.owner(value).path for value in values)
            return owners[paths.most_common(1)[0][0]]
        module = self._modules.get(stem) or self._modules.get(f"assignments.{stem}")
        return None if module is None else self.of_module(module)


def entries(spaces: Spaces, rubric: Rubric) -> dict[str, Space]:
    """Map each assignment to the space that holds its targets, if there is one."""
    targets: dict[str, tuple[str, ...]] = {}
    for exercise in rubric.exercises.values():
        stem = exercise.assignment
        targets[stem] = (*targets.get(stem, ()), *exercise.targets)
    by_stem = {stem: spaces.entry(stem, names) for stem, names in targets.items()}
    return {stem: space for stem, space in by_stem.items() if space is not None}


def cell_names() -> Mapping[str, str]:
    """Map the code file names of cells that this process's IPython has run to their numbers."""
    shell = shell_of_this_process()
    names: Mapping[str, int] = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return {name: str(number) for name, number in names.items()}


def shell_of_this_process() -> Any:
    """Return IPython's shell; None outside of IPython."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _here(caller: Namespace, folder: Path, names: Mapping[str, str]) -> Space:
    shell = shell_of_this_process()
    file = caller.get("__file__")
    if shell is not None and shell.user_ns is caller:
        numbered = sorted((int(number), name) for name, number in names.items())
        cells = tuple(_cell(name, number) for number, name in numbered)
        return Space(_("this notebook"), caller, cells=cells)
    module = sys.modules.get(str(caller.get("__name__")))
    if isinstance(file, str) and module is not None and module.__dict__ is caller:
        return _file_space(module, folder)
    return Space(_("this session"), caller, cells=tuple(_cells_of_functions(caller)))


def _cell(filename: str, number: int | None = None) -> Block:
    text = "".join(linecache.getlines(filename))
    return Block(text, filename, number, demo=is_demo_cell(text))


def _cells_of_functions(caller: Namespace) -> Iterator[Block]:
    """Yield the texts, where still known, that were typed into a console or given to `exec`."""
    seen: set[str] = set()
    for value in list(caller.values()):
        members = vars(value).values() if isinstance(value, type) else (value,)
        for member in members:
            if isinstance(member, FunctionType) and member.__globals__ is caller:
                filename = member.__code__.co_filename
                if filename not in seen and linecache.getlines(filename):
                    seen.add(filename)
                    yield _cell(filename)


def _file_space(module: ModuleType, folder: Path) -> Space:
    file = _file_of(module)
    if file is None or not file.is_file():
        return Space(f"{module.__name__}.py", module.__dict__, module=module)
    path = file.relative_to(folder) if file.is_relative_to(folder) else Path(file.name)
    name = str(getattr(module, "__file__", None) or file)
    return Space(path.as_posix(), module.__dict__, file.read_bytes(), name, module=module)


def _own_modules(folder: Path, caller: Namespace) -> Iterator[tuple[str, ModuleType]]:
    """Yield the modules in the folder the student works in that are neither installed nor ours."""
    for name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or module.__dict__ is caller:
            continue
        file = _file_of(module)
        if file is None or not file.is_relative_to(folder) or _INSTALLED & {*file.parts}:
            continue
        top = name.partition(".")[0]
        # Somebody's home may hold both their notebooks and their Python.
        if top not in ("grader", "__main__") and top not in sys.stdlib_module_names:
            yield name, module


def _file_of(module: ModuleType) -> Path | None:
    spec = getattr(module, "__spec__", None)
    file = getattr(module, "__file__", None) or getattr(spec, "origin", None)
    if not isinstance(file, str) or not file.endswith((".py", ".ipynb")):
        return None
    return Path(file).resolve()
