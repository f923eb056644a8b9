"""Run one file of the submission as a module: with care the first time, as recorded afterwards."""

from __future__ import annotations

import ast
import contextlib
import linecache
import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from ....text.language import _
from ..source.names import FUNCTIONS, IMPORTS, own_nodes, touched
from ..source.needs import Needs, select
from ..source.statements import Script, Statement
from .generators import Generators
from .notes import Notes, innermost
from .running import execute
from .snapshots import Snapshot
from .unimported import USUAL, tell

SLOW_S = 0.005
"""Seconds after which a statement is restored from a copy instead of being run again."""
_REPEATABLE_S = 0.05
"""Seconds up to which a slow statement is run again all the same if its values can't be copied."""

_MAY_SET = re.compile(r"^(?:(?:async\s+)?def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)
"""Matches the names that unreadable source would have set at the top of the file."""


@dataclass(frozen=True)
class ResetStep:
    """The step of a reset that stands for one statement."""

    code: CodeType
    snapshot: Snapshot | None = None
    generators: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class Shared:
    """The state that the modules of one submission share."""

    notes: Notes
    generators: Generators
    places: dict[str, tuple[str, int | None]]
    """Code file name -> file and cell of the submission."""
    skip: frozenset[tuple[str, int]]
    begin: Callable[[str, int, bool], None]
    """Called with (path, index, whether it may take long) before each statement."""


class StudentModule:
    """One file of the submission as a module.

    The module object keeps its identity; its namespace is filled anew at every reset.
    """

    def __init__(self, path: str, name: str, script: Script, shared: Shared) -> None:
        self.path = path
        self.name = name
        self.script = script
        self.module = ModuleType(name)
        self.started = False
        self.lost: dict[str, str] = {}
        """Names that are missing because a statement was left out or failed -> why."""
        self.ran: list[Statement] = []
        self._shared = shared
        self._steps: list[ResetStep] | None = None
        self._lines = {
            b.filename: [f"{line}\n" for line in b.seen.split("\n")] for b in script.blocks
        }
        for block in script.blocks:
            shared.places[block.filename] = (path, block.cell)

    def publish(self, dunders: Mapping[str, Any]) -> None:
        """Empty the namespace and enter the module in `sys.modules`, and its text in `linecache`.

        Both are entered under the file's own names.
        """
        namespace = self.module.__dict__
        namespace.clear()
        namespace.update(dunders, __name__=self.name, __file__=self.path, __doc__=self.script.doc)
        sys.modules[self.name] = self.module
        for filename, lines in self._lines.items():
            # mtime None: never looked for on disk
            linecache.cache[filename] = (len(lines), None, lines, filename)

    def withdraw(self) -> None:
        """Remove the module from `sys.modules` and `linecache` again."""
        if sys.modules.get(self.name) is self.module:
            del sys.modules[self.name]
        for filename in self._lines:
            linecache.cache.pop(filename, None)

    def execute(self, needs: Callable[[], Needs]) -> None:
        """Run the file: statement by statement the first time, as recorded afterwards."""
        if self._steps is None:
            # taken at once: a statement may import this file again
            steps: list[ResetStep] = []
            self._steps = steps
            self._run(needs(), steps)
        else:
            self._replay(self._steps)

    def _replay(self, steps: list[ResetStep]) -> None:
        namespace = self.module.__dict__
        for step in steps:
            if step.snapshot is None:
                # a failure was reported when it happened first
                with contextlib.suppress(BaseException):
                    execute(step.code, namespace)
                continue
            with contextlib.suppress(BaseException):
                step.snapshot.restore(namespace)
            if step.generators is not None:
                self._shared.generators.restore(step.generators)

    def _run(self, needs: Needs, steps: list[ResetStep]) -> None:
        for fault in self.script.faults:
            self._shared.notes.unreadable(self.path, fault)
            for name in _MAY_SET.findall(fault.text):
                why = _(
                    "the statement in line {line} that sets it could not be read", line=fault.line
                )
                self.lost["".join(name)] = why
        left_out: list[Statement] = []
        for statement in self.script.statements:
            if (self.path, statement.index) in self._shared.skip:
                self._shared.notes.timed_out(self.path, statement)
                self._lose(
                    statement,
                    _(
                        "the statement in {place} that sets it ran too long and was left out",
                        place=statement.spot,
                    ),
                )
                continue
            code = select(statement, needs)
            if code is not statement.code:
                place = statement.spot
                self._lose(
                    statement, _("the statement in {place} that sets it was not run", place=place)
                )
            if code is not None:
                steps.append(self._first_run(statement, code))
            elif not statement.is_text and not statement.demo:
                left_out.append(statement)
        if left_out:
            self._shared.notes.left_out(self.path, left_out)

    def _lose(self, statement: Statement, why: str) -> None:
        for name in statement.binds:
            self.lost[name] = why

    def _first_run(self, statement: Statement, code: CodeType) -> ResetStep:
        self._shared.begin(self.path, statement.index, may_take_long(statement.node))
        namespace = self.module.__dict__
        before = {} if statement.is_definition else dict(namespace)
        start = time.perf_counter()
        try:
            execute(code, namespace)
        except BaseException as error:
            self._report(statement, error)
        else:
            self.ran.append(statement)
            for name in statement.binds & namespace.keys():
                self.lost.pop(name, None)
        took = time.perf_counter() - start
        if took <= SLOW_S or statement.is_definition:
            return ResetStep(code)
        snapshot = Snapshot(before, namespace, touched(own_nodes(statement.node)))
        if not snapshot.copied and took <= _REPEATABLE_S:
            return ResetStep(code)
        return ResetStep(code, snapshot, self._shared.generators.capture())

    def _report(self, statement: Statement, error: BaseException) -> None:
        # exact types: a subclass may answer with code of its own
        name = error.name if type(error) is NameError else None
        if type(name) is str and self._forgot_to_import(name):
            place = innermost(sys.exc_info()[2], self._shared.places)
            if place is not None and place[0] == self.path:
                tell(self._shared.notes, self.path, statement, name, place[1])
                text = _(
                    "the statement in {place} that sets it uses `{name}`, never imported",
                    place=statement.spot,
                    name=name,
                )
                self._lose(statement, text)
                return
        if type(name) is str and name in self.lost:
            self._shared.notes.follows(self.path, statement, name)
            text = _(
                "the statement in {place} that sets it uses `{name}`, which is missing",
                place=statement.spot,
                name=name,
            )
            self._lose(statement, text)
            return
        self._shared.notes.failed(self.path, statement, error, self._shared.places)
        for lost in statement.binds - self.module.__dict__.keys():
            self.lost[lost] = _(
                "the statement in {place} that sets it failed", place=statement.spot
            )

    def _forgot_to_import(self, name: str) -> bool:
        bound = (name in statement.binds for statement in self.script.statements)
        return name in USUAL and name not in self.lost and not any(bound)


def may_take_long(node: ast.stmt) -> bool:
    """Tell whether a statement needs a time limit; it needs none if it cannot run foreign code."""
    match node:
        case ast.Import(names=names):
            return not all(alias.name in sys.modules for alias in names)
        case ast.ImportFrom(module=module):
            return module not in sys.modules
        case ast.FunctionDef(decorator_list=[]) | ast.AsyncFunctionDef(decorator_list=[]):
            plain = (ast.Name, ast.Attribute, ast.Constant, ast.expr_context, *FUNCTIONS)
            return not all(isinstance(item, plain) for item in own_nodes(node))
        case ast.Assign(targets=targets, value=ast.Constant() | ast.Name()):
            return not all(isinstance(target, ast.Name) for target in targets)
    return not isinstance(node, (*IMPORTS, ast.Pass))
