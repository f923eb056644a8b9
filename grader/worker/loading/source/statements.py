"""Read a file as a list of compiled top-level statements that keep their numbers and lines."""

from __future__ import annotations
import __future__ as futures

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from ....text.language import _
from .blocks import parse, read
from .digest import is_text
from .names import (
    DEFINITIONS,
    IMPORTS,
    bound,
    guarded_import_lines,
)
from .sources import Block, Fault, SourceFile, is_demo_line
from .splitting import PARSE_ERRORS, explain, line_of

_CELL_MARK = re.compile(r"#\s*%%(?P<rest>.*)")
_TRY = re.compile(r"try(?<=\btry)\s*[:\\]")
"""Begins with plain letters, for which `re` looks quickly: `\\btry` costs as much as parsing."""
_DEMO_TAG = re.compile(r"\bdemo\b", re.IGNORECASE)


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
        """Return the statement's place within the file, in words."""
        cell = self.block.cell
        if cell is None:
            return _("line {line}", line=self.line)
        return _("cell {cell}, line {line}", cell=cell, line=self.line)

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
    """File name of the block, and line, of imports whose failure the file itself handles."""


def compile_statement(node: ast.stmt, block: Block, flags: int) -> CodeType:
    """Compile one statement alone, under the file's `__future__` imports.

    In a cell it may `await`, as in Jupyter; then the code is a coroutine's.
    """
    module = ast.Module([node], [])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if block.cell is not None:
            flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code: CodeType = compile(module, block.filename, "exec", flags=flags, dont_inherit=True)
        return code


def read_script(source: SourceFile) -> Script:
    """Compile every statement that can be, in order, and collect the faults."""
    statements: list[Statement] = []
    faults, flags, index, doc = list(source.faults), 0, 0, None
    for block in source.blocks:
        parsed = parse(block)
        faults += parsed.faults
        demo = _demo_lines(block)
        for node in parsed.statements:
            if index == 0 and is_text(node):
                doc = ast.get_docstring(ast.Module([node], []), clean=False)
            flags |= _future_flags(node)
            try:
                code = compile_statement(node, block, flags)
            except PARSE_ERRORS as error:
                text = "\n".join(block.lines[node.lineno - 1 : node.end_lineno])
                line = line_of(error) or node.lineno
                faults.append(Fault(explain(error), line, text, block.cell))
            else:
                in_demo = block.demo or node.lineno in demo
                statements.append(Statement(index, node, block, code, flags, in_demo))
            index += 1
    guarding = {id(block) for block in source.blocks if _may_guard(block.text)}
    guarded = frozenset(
        (statement.block.filename, line)
        for statement in statements
        if id(statement.block) in guarding
        for line in guarded_import_lines(statement.node)
    )
    return Script(source.blocks, tuple(statements), tuple(faults), doc, guarded)


def _may_guard(text: str) -> bool:
    """Look for words around an import that may fail, which costs less than walking every file."""
    return "suppress" in text or _TRY.search(text) is not None


class Scripts:
    """The files of a submission as scripts, each read once."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._scripts: dict[str, Script] = {}

    def __call__(self, path: str) -> Script:
        if path not in self._scripts:
            self._scripts[path] = read_script(read(path, self._files.get(path, b"")))
        return self._scripts[path]

    def replace(self, path: str, script: Script) -> None:
        """Read a file as this script from now on."""
        self._scripts[path] = script


def _future_flags(node: ast.stmt) -> int:
    if not isinstance(node, ast.ImportFrom) or node.module != "__future__" or node.level:
        return 0
    flags = 0
    for alias in node.names:
        feature = getattr(futures, alias.name, None)
        flags |= getattr(feature, "compiler_flag", 0)
    return flags


def _demo_lines(block: Block) -> frozenset[int]:
    """Return the lines under a `# demo` line, or under a `# %%` mark with that word.

    They reach to the end of the `# %%` cell if the line opens one, else to the next definition.
    """
    lines: set[int] = set()
    demo, in_cell, first = False, False, False
    for number, line in enumerate(block.lines, start=1):
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
