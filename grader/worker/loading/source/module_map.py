"""Find the file of the submission that a dotted name means, and name its module."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from .blocks import READERS

HAND_OUTS = "assignments"
"""The package name under which hand-outs import each other."""

_THROUGH_IPYNB = re.compile(r"^ipynb\.fs\.(?:full|defs)\.(?=.)")
"""Matches the prefix under which the package `ipynb` imports notebooks; it is not needed here."""

AVAILABLE = frozenset(
    {"torch", "numpy", "einops", "torchgen", "functorch", "typing_extensions", "sympy"}
    | {"mpmath", "networkx", "jinja2", "markupsafe", "filelock", "fsspec"}
)
"""Packages besides the standard library that a submission may import for real."""


def is_real(name: str) -> bool:
    """Tell whether an absolute import of the name means a module from outside the submission."""
    top = name.partition(".")[0]
    return top in AVAILABLE or top in sys.stdlib_module_names


_PREFIX = "submission"
_TAKEN = frozenset({"grader", "__main__", _PREFIX})


class ModuleLocation(NamedTuple):
    """A module of the submission: a file, a folder without `__init__`, or both."""

    name: str
    path: str | None
    folder: str | None


class ModuleMap:
    """The submission's files as modules: looks names up and executes nothing."""

    def __init__(self, files: Collection[str], entries: Mapping[str, str]) -> None:
        self._entries = dict(entries)
        self._stems = {path: stem for stem, path in entries.items()}
        self._files: dict[str, ModuleLocation] = {}
        self.sources = {p for p in files if PurePosixPath(p).suffix in READERS}
        self.sources |= set(entries.values())
        self._folders = {
            str(parent) if str(parent) != "." else ""
            for path in self.sources
            for parent in PurePosixPath(path).parents
        }

    def names(self) -> list[str]:
        """List the names that a submission can import from itself, for suggestions."""
        stems = {PurePosixPath(path).stem for path in self.sources}
        return sorted(stems | set(self._entries))

    def find(self, dotted: str, here: str) -> tuple[ModuleLocation, ...] | None:
        """Find the chain of modules of an absolute import from folder `here`.

        Return None if the name is not one of the submission's.
        """
        dotted = _THROUGH_IPYNB.sub("", dotted)
        parts = dotted.split(".")
        if is_real(dotted):
            return None
        if parts[0] == HAND_OUTS:
            return self._hand_out(parts, here)
        if len(parts) == 1 and dotted in self._entries:
            return (self.entry(dotted),)
        for folder in _upwards(here):
            chain = self._chain(folder, parts)
            if chain:
                return chain
        return None

    def find_relative(
        self, dotted: str, level: int, here: str
    ) -> tuple[ModuleLocation, ...] | None:
        """Find the chain of `from .dotted import …`; the package itself when `dotted` is empty."""
        folder = here
        for _ in range(level - 1):
            if not folder:
                return None
            folder = _parent(folder)
        if not dotted:
            return (self._package(folder),)
        chain = self._chain(folder, dotted.split("."))
        if chain is None and dotted in self._entries:
            return (self.entry(dotted),)
        return chain

    def entry(self, stem: str) -> ModuleLocation:
        return self._file(self._entries[stem])

    def child(self, place: ModuleLocation, name: str) -> ModuleLocation | None:
        """Return the submodule `name` of a package, or None."""
        if place.folder is None:
            return None
        chain = self._chain(place.folder, [name])
        if chain is None and name in self._entries:
            return self.entry(name)
        return chain[-1] if chain else None

    def _hand_out(self, parts: list[str], here: str) -> tuple[ModuleLocation, ...] | None:
        package = self._package(HAND_OUTS) if HAND_OUTS in self._folders else None
        package = package or ModuleLocation(HAND_OUTS, None, "")
        if len(parts) == 1:
            return (package,)
        if len(parts) == 2 and parts[1] in self._entries:
            return (package, self.entry(parts[1]))
        for folder in (HAND_OUTS, here, ""):
            chain = self._chain(folder, parts[1:])
            if chain:
                return (package, *chain)
        return None

    def _chain(self, folder: str, parts: list[str]) -> tuple[ModuleLocation, ...] | None:
        places: list[ModuleLocation] = []
        for k, part in enumerate(parts):
            base = f"{folder}/{part}" if folder else part
            if base in self._folders:
                places.append(self._package(base))
                folder = base
                continue
            path = next((base + s for s in READERS if base + s in self.sources), None)
            if path is None or k + 1 < len(parts):
                return None
            places.append(self._file(path))
        return tuple(places)

    def _package(self, folder: str) -> ModuleLocation:
        inits = (f"{folder}/__init__{s}" if folder else f"__init__{s}" for s in READERS)
        path = next((p for p in inits if p in self.sources), None)
        return ModuleLocation(_safe(folder.replace("/", ".")), path, folder)

    def _file(self, path: str) -> ModuleLocation:
        if path not in self._files:
            self._files[path] = self._place_of(path)
        return self._files[path]

    def _place_of(self, path: str) -> ModuleLocation:
        pure = PurePosixPath(path)
        if pure.stem == "__init__" and path not in self._stems:
            return self._package(folder_of(path))
        if path in self._stems:
            return ModuleLocation(_safe(self._stems[path]), path, None)
        name = ".".join(pure.with_suffix("").parts)
        return ModuleLocation(
            f"{_PREFIX}.{name}" if name in self._entries else _safe(name), path, None
        )


def folder_of(path: str) -> str:
    """Return the folder of a file, empty for the top of the submission."""
    return _parent(path)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _upwards(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = _parent(folder)
    yield ""


def _safe(name: str) -> str:
    """Return a module name that cannot take the place of a real module in `sys.modules`."""
    if not name:
        return _PREFIX
    taken = is_real(name) or name.partition(".")[0] in _TAKEN
    return f"{_PREFIX}.{name}" if taken else name
