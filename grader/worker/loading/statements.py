"""Which statements of a file run: definitions and cheap ones, and whatever a target needs.

Loops and calls whose results nothing graded depends on (training, plots, demonstrations) are left
out, so that they can neither fail nor use up the time.
"""

from __future__ import annotations
import __future__ as futures

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType

from .blocks import parse
from .digest import is_text
from .names import (
    DEFINITIONS,
    FUNCTIONS,
    IMPORTS,
    bound,
    callees,
    costly,
    declared_global,
    global_reads,
    guarded_import_lines,
    own_nodes,
    reaches_anything,
    touched,
)
from .sources import Block, Fault, Source, is_demo_line
from .splitting import PARSE_ERRORS, explain, line_of

_CELL_MARK = re.compile(r"#\s*%%(?P<rest>.*)")
_DEMO_TAG = re.compile(r"\bdemo\b", re.IGNORECASE)
_ALWAYS = (*DEFINITIONS, *IMPORTS, ast.Raise, ast.Pass, ast.Global)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Statement:
    """One top-level statement; `index` counts through the whole file."""

    index: int
    node: ast.stmt
    block: Block
    code: CodeType
    flags: int
    demo: bool = False

    @cached_property
    def binds(self) -> frozenset[str]:
        return frozenset(bound(self.node))

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def spot(self) -> str:
        """Its place within the file, in words."""
        cell = self.block.cell
        return f"line {self.line}" if cell is None else f"cell {cell}, line {self.line}"

    @property
    def is_text(self) -> bool:
        return is_text(self.node)

    @property
    def is_definition(self) -> bool:
        return isinstance(self.node, (*DEFINITIONS, *IMPORTS))


@dataclass(frozen=True)
class Script:
    """A file as statements, with everything in it that could not be read."""

    blocks: tuple[Block, ...]
    statements: tuple[Statement, ...]
    faults: tuple[Fault, ...]
    doc: str | None = None
    guarded: frozenset[tuple[str, int]] = frozenset()
    """Block and line of imports whose failure the file itself handles."""


def compile_statement(node: ast.stmt, block: Block, flags: int) -> CodeType:
    """Code for one statement alone, under the file's `__future__` imports.

    In a cell it may `await`, as in Jupyter; then the code is a coroutine's.
    """
    module = ast.Module([node], [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if block.cell is not None:
            flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code: CodeType = compile(module, block.filename, "exec", flags=flags, dont_inherit=True)
        return code


def read_script(source: Source) -> Script:
    """Every statement that compiles, in order."""
    statements: list[Statement] = []
    found, flags, index, doc = list(source.faults), 0, 0, None
    for block in source.blocks:
        parsed = parse(block)
        found += parsed.faults
        demo = _demo_lines(block)
        for node in parsed.statements:
            if index == 0 and is_text(node):
                doc = ast.get_docstring(ast.Module([node], []), clean=False)
            flags |= _future_flags(node)
            try:
                code = compile_statement(node, block, flags)
            except PARSE_ERRORS as error:
                text = "\n".join(block.text.split("\n")[node.lineno - 1 : node.end_lineno])
                line = line_of(error) or node.lineno
                found.append(Fault(explain(error), line, text, block.cell))
            else:
                in_demo = block.demo or node.lineno in demo
                statements.append(Statement(index, node, block, code, flags, in_demo))
            index += 1
    guarded = frozenset(
        (statement.block.filename, line)
        for statement in statements
        if "try" in statement.block.text or "suppress" in statement.block.text
        for line in guarded_import_lines(statement.node)
    )
    return Script(source.blocks, tuple(statements), tuple(found), doc, guarded)


def _future_flags(node: ast.stmt) -> int:
    if not isinstance(node, ast.ImportFrom) or node.module != "__future__" or node.level:
        return 0
    flags = 0
    for alias in node.names:
        feature = getattr(futures, alias.name, None)
        flags |= getattr(feature, "compiler_flag", 0)
    return flags


def _demo_lines(block: Block) -> frozenset[int]:
    """Lines under a `# demo` line: to the end of a `# %%` cell, else to the next definition."""
    lines: set[int] = set()
    demo, in_cell, first = False, False, False
    for number, line in enumerate(block.text.split("\n"), start=1):
        mark = _CELL_MARK.match(line)
        if mark:
            demo, in_cell = _DEMO_TAG.search(mark["rest"]) is not None, True
            first = True
        elif is_demo_line(line):
            demo, in_cell = True, first and in_cell
        elif demo and not in_cell and re.match(r"(?:async\s+def|def|class)\s|@", line):
            demo = False
        if line.strip() and not mark:
            first = False
        if demo:
            lines.add(number)
    return frozenset(lines)


@dataclass
class Needs:
    """What the wanted names of a file depend on, followed through its statements."""

    statements: Sequence[Statement]
    wanted: frozenset[str] | None
    """None: everything the file binds."""
    names: set[str] = field(default_factory=set)
    _reads: dict[int, set[str]] = field(default_factory=dict)
    _effects: dict[str, set[str]] = field(default_factory=dict)
    _changers: set[str] = field(default_factory=set)
    _known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        live = [s for s in self.statements if not s.demo and not isinstance(s.node, IMPORTS)]
        self._known = {name for s in live for name in s.binds | declared_global(s.node)}
        for statement in live:
            self._reads[statement.index] = global_reads(statement.code, self._known)
        self._summarise_definitions(live)
        by_name: dict[str, list[int]] = {}
        for statement in live:
            for name in self.changed(statement.node):
                by_name.setdefault(name, []).append(statement.index)
        start = self._known if self.wanted is None else self.wanted
        queue = [*start]
        for statement in live:
            if reaches_anything(statement.node):
                queue += self._reads[statement.index]
        while queue:
            name = queue.pop()
            if name not in self.names:
                self.names.add(name)
                for index in by_name.get(name, ()):
                    queue += self._reads[index]

    def _summarise_definitions(self, live: Iterable[Statement]) -> None:
        """What calling each function or class may change in the module."""
        own: dict[str, set[str]] = {}
        reads: dict[str, set[str]] = {}
        for statement in live:
            node = statement.node
            if not isinstance(node, DEFINITIONS):
                continue
            inside = touched(ast.walk(node))
            seen = self._reads[statement.index]
            own[node.name] = declared_global(node) | (inside & seen)
            reads[node.name] = seen
            if isinstance(node, FUNCTIONS) and inside & _parameters(node):
                self._changers.add(node.name)
        for name in own:
            reached, stack = set[str](), [name]
            while stack:
                item = stack.pop()
                if item in own and item not in reached:
                    reached.add(item)
                    stack += reads[item]
            self._effects[name] = set().union(*(own[item] for item in reached))

    def changed(self, node: ast.AST) -> set[str]:
        """Names that running the statement may set or change."""
        names = bound(node) | touched(own_nodes(node), self._changers)
        for called in callees(node):
            names |= self._effects.get(called, set())
        return names

    def keeps(self, node: ast.stmt) -> bool:
        """Whether a statement that is no container runs."""
        if isinstance(node, _ALWAYS):
            return True
        if not isinstance(node, _LOOPS) and not costly(node):
            return True
        return bool(self.changed(node) & self.names) or reaches_anything(node)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {parameter.arg for parameter in every if parameter}
