"""Import Python files of a course, those of a sealed course from memory."""

from __future__ import annotations

import errno
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from .memory_path import SealedPath


class MemoryLoader(SourceLoader):
    """Imports one file of a sealed course. No compiled copy of it is kept anywhere."""

    def __init__(self, path: SealedPath) -> None:
        self._path = path

    def get_filename(self, fullname: str) -> str:
        return str(self._path)

    def get_data(self, path: str | bytes) -> bytes:
        if path != str(self._path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self._path.read_bytes()

    def get_source(self, fullname: str) -> str | None:
        """Return nothing: a traceback in a log names file and line, and never shows the line."""
        return None

    def source_to_code(self, data: object, path: object, *_rest: object) -> CodeType:  # type: ignore[override]
        try:
            code: CodeType = super().source_to_code(data, path)  # type: ignore[arg-type]
        except SyntaxError as error:
            place = (error.filename, error.lineno, error.offset, None)
            raise SyntaxError(error.msg, place) from None
        return code


class MemoryFinder(MetaPathFinder):
    """Finds what stands in one folder of a sealed course, as a package of that name.

    So one of its files can import another one: `from ..causal_suite import CausalSuite`.
    """

    def __init__(self, package: str, folder: SealedPath) -> None:
        self.package, self._folder = package, folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        first, *rest = fullname.split(".")
        if first != self.package:
            return None
        place = self._folder.joinpath(*rest)
        if place.is_dir():
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        file = place.with_name(f"{place.name}.py")
        if not file.is_file():
            return None
        return ModuleSpec(fullname, MemoryLoader(file), origin=str(file))


def package_from_memory(package: str, folder: SealedPath) -> None:
    """Let this process import what stands in a folder of a sealed course as a package."""
    for known in [one for one in sys.meta_path if isinstance(one, MemoryFinder)]:
        if known.package == package:
            sys.meta_path.remove(known)
    sys.meta_path.insert(0, MemoryFinder(package, folder))


def module_of(name: str, path: Path) -> ModuleType:
    """Run a file of a course, sealed or not, and return it as a module that nobody else imports."""
    loader = MemoryLoader(path) if isinstance(path, SealedPath) else None
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def imported(name: str, path: SealedPath) -> ModuleType:
    """Import a file of a sealed course under a name, and keep it under that name as `import` does.

    A dataclass, for one, looks for its module there.
    """
    module = importlib.util.module_from_spec(ModuleSpec(name, MemoryLoader(path), origin=str(path)))
    module.__file__ = str(path)
    assert module.__spec__ is not None and module.__spec__.loader is not None
    sys.modules[name] = module
    try:
        module.__spec__.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
