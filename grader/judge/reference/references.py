"""Import the course's worked solutions.

They import each other as hand-outs do: `from t1_sums import add`. They are no package and nothing
of the reference's folder is on the path, so that a bare name means an assignment and nothing else,
here as in a submission.
"""

from __future__ import annotations

import builtins
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ...course.paths import CoursePaths


class ReferenceBroken(Exception):
    """The reference can't be imported: the author's fault. The message starts with file:line."""


class References:
    """The references of a course, each imported once, when it is first asked for."""

    def __init__(
        self,
        root: Path,
        assignments: Iterable[str],
        rewritten: Mapping[str, str] | None = None,
        finish: Callable[[str, ModuleType], object] = lambda stem, module: None,
        compiled: dict[str, CodeType] | None = None,
    ) -> None:
        """Set up references that are imported later.

        `assignments`: the stems that hand-outs can import; `rewritten`: other texts for some;
        `finish` gets each module before others import it; `compiled`: the code of texts as they
        stand in their files, by stem, once somebody has needed it.
        """
        self.assignments = tuple(assignments)
        self._root = root
        self._finish = finish
        self._rewritten = rewritten or {}
        self._compiled = {} if compiled is None else compiled
        self._modules: dict[str, ModuleType] = {}
        self._under_way: list[str] = []
        if str(root) not in sys.path:
            sys.path.append(str(root))

    def module(self, stem: str) -> ModuleType:
        """Return the reference of an assignment. Raises ReferenceBroken."""
        if stem not in self._modules:
            path = self._path(stem)
            if not path.is_file():
                raise ReferenceBroken(f"{path}  there is no such reference")
            module = ModuleType(f"reference.{stem}")
            module.__file__ = str(path)
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
            if not self._rewritten:
                sys.modules[module.__name__] = module
            self._under_way.append(stem)
            try:
                self._execute(stem, path, module)
                self._finish(stem, module)
            finally:
                self._under_way.pop()
            self._modules[stem] = module
        return self._modules[stem]

    def rewritten(self, stem: str, source: str) -> References:
        """Return references of the same course in which `source` is the text of `stem`."""
        rewritten = {stem: source}
        return References(self._root, self.assignments, rewritten, compiled=self._compiled)

    def _path(self, stem: str) -> Path:
        return CoursePaths(self._root).solution(stem)

    def _execute(self, stem: str, path: Path, module: ModuleType) -> None:
        try:
            exec(self._code(stem, path), module.__dict__)
        except ReferenceBroken:
            raise
        except Exception as error:
            line = _line_in(path, error)
            raise ReferenceBroken(f"{path}:{line}  {type(error).__name__}: {error}") from error

    def _code(self, stem: str, path: Path) -> CodeType:
        """Compile the text of an assignment; one that is not rewritten once for all references."""
        rewritten = self._rewritten.get(stem)
        if rewritten:
            return _compiled(rewritten, path)
        if stem not in self._compiled:
            self._compiled[stem] = _compiled(path.read_text(encoding="utf-8"), path)
        return self._compiled[stem]

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level or "." in name:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        if name in self._under_way:
            circle = " -> ".join([*self._under_way[self._under_way.index(name) :], name])
            raise ReferenceBroken(
                f"{_caller()}  references import each other in a circle: {circle}"
            )
        if name in self.assignments:
            return self.module(name)
        if self._path(name).is_file():
            known = ", ".join(self.assignments)
            raise ReferenceBroken(f"{_caller()}  {name} is no assignment of rubric.yaml: {known}")
        return builtins.__import__(name, globals, locals, fromlist or (), level)


def _compiled(source: str, path: Path) -> CodeType:
    code: CodeType = compile(source, str(path), "exec", dont_inherit=True)
    return code


def _caller() -> str:
    """Return file:line of the import statement that is being executed."""
    frame = sys._getframe(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _line_in(path: Path, error: Exception) -> int:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return (lines[-1] if lines else None) or 1
