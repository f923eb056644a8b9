"""Report on each target after loading: its kind and place, or why it is missing.

A target that is there may still be the untouched stub of the hand-out; the report says so.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection, Iterable, Mapping

from ....text.language import _, joined
from ....wire.load_report import TargetReport
from ..source.digest import definition_digest
from ..source.names import DEFINITIONS
from ..source.sources import Fault, spot
from ..source.statements import Script, Statement
from ..source.trees import children, walk
from .module import StudentModule
from .notes import Notes
from .standins import is_standin

_REDEFINED_ON_PURPOSE = frozenset({"overload", "register", "setter", "getter", "deleter"})


def target_finding(
    module: StudentModule, name: str, stub: str | None, others: Collection[str] = ()
) -> TargetReport:
    """Make the report's entry for one target; `others` are targets of the same file."""
    namespace = module.module.__dict__
    value = namespace.get(name)
    if name not in namespace or is_standin(value):
        return _missing(module, name, others)
    statement = _last_binder(module, name)
    if statement is None:
        return TargetReport(kind_of(value))
    node = definition_in(statement, name)
    line = statement.line if node is None else node.lineno
    is_stub = stub is not None and node is not None and definition_digest(node) == stub
    return TargetReport(kind_of(value), line, statement.block.cell, is_stub)


def _missing(module: StudentModule, name: str, others: Collection[str]) -> TargetReport:
    """Report a missing target, at the place of the definition that may be meant to be it."""
    line, cell = None, None
    close = tuple(one for one in close_names(module, name) if one not in others)
    fault = broken_definition(module.script, name)
    other = _last_binder(module, close[0]) if close else None
    if fault is not None:
        line, cell = fault.line, fault.cell
    elif other is not None:
        line, cell = other.line, other.block.cell
    return TargetReport("missing", line, cell, close=close, why=why_missing(module, name))


def kind_of(value: object) -> str:
    """Return `function`, `class` or `value`, by the real type only."""
    if issubclass(type(value), type):
        return "class"
    return "function" if callable(value) else "value"


def why_missing(module: StudentModule, name: str) -> str:
    """Explain in one sentence why a name is not there."""
    value = module.module.__dict__.get(name)
    if is_standin(value):
        return _(
            "`{name}` in {file} comes from a module that is not available",
            name=name,
            file=module.path,
        )
    fault = broken_definition(module.script, name)
    if fault is not None:
        place = spot(module.path, fault.cell, fault.line)
        return _("`{name}` could not be read: see {place}", name=name, place=place)
    if name in module.lost:
        why = module.lost[name]
        return _("`{name}` is missing from {file}: {why}", name=name, file=module.path, why=why)
    for statement in reversed(module.ran):
        if isinstance(statement.node, ast.Delete) and name in statement.binds:
            place = spot(module.path, statement.block.cell, statement.line)
            return _("`{name}` is deleted again in {place}", name=name, place=place)
    close = close_names(module, name)
    text = _("{file} does not define `{name}`", file=module.path, name=name)
    return _("{told} (did you mean `{name}`?)", told=text, name=close[0]) if close else text


def close_names(module: StudentModule, name: str) -> list[str]:
    """List functions and classes of the file whose names are easily mistaken for the wanted one."""
    defined = {
        item.name
        for statement in module.ran
        for item in walk(statement.node)
        if isinstance(item, DEFINITIONS) and item.name in module.module.__dict__
    }
    plain = {n: _plain(n) for n in sorted(defined)}
    same = [n for n, text in plain.items() if text == _plain(name)]
    return same or difflib.get_close_matches(name, list(plain), n=3, cutoff=0.7)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def broken_definition(script: Script, name: str) -> Fault | None:
    """Return the unreadable piece of source that defines the name, as far as can be seen."""
    pattern = re.compile(rf"^\s*(?:(?:async\s+)?def|class)\s+{re.escape(name)}\b", re.MULTILINE)
    return next((fault for fault in script.faults if pattern.search(fault.text)), None)


def _last_binder(module: StudentModule, name: str) -> Statement | None:
    stars = None
    for statement in reversed(module.ran):
        if name in statement.binds:
            return statement
        if isinstance(statement.node, ast.ImportFrom) and statement.node.names[0].name == "*":
            stars = stars or statement
    return stars


def definition_in(statement: Statement, name: str) -> ast.stmt | None:
    definition: ast.stmt | None = None
    stack: list[ast.AST] = [statement.node]
    while stack:
        item = stack.pop(0)
        if isinstance(item, DEFINITIONS):
            definition = item if item.name == name else definition
        elif not isinstance(item, ast.expr):
            stack += children(item)
    return definition


def note_other_assignment(
    notes: Notes, module: StudentModule, stem: str, targets: Mapping[str, Iterable[str]]
) -> None:
    """Add a note if a file defines no target of its own assignment and one of another."""
    own = {name for statement in module.ran for name in statement.binds}
    if own.intersection(targets.get(stem, ())):
        return
    for other, names in targets.items():
        foreign = [name for name in names if name in own]
        if other != stem and foreign:
            text = _(
                "this looks like {other}: it defines {name} and nothing of {stem}. "
                "Was the wrong file handed in?",
                other=other,
                name=foreign[0],
                stem=stem,
            )
            notes.note(text, module.path, None)


def note_duplicates(
    notes: Notes, module: StudentModule, targets: Iterable[str], stubs: Mapping[str, str]
) -> None:
    """Report which of several definitions of a name counts."""
    places: dict[str, list[Statement]] = {}
    for statement in module.ran:
        node = statement.node
        if isinstance(node, DEFINITIONS) and node.name != "_" and not _on_purpose(node):
            places.setdefault(node.name, []).append(statement)
    for name, statements in places.items():
        last = statements[-1]
        if len(statements) > 1 and _stub_wins(statements, stubs.get(name)):
            notes.problem(
                _(
                    "`{name}` is defined in {places}, and the last one, which counts, is the "
                    "untouched hand-out: delete it",
                    name=name,
                    places=_places(statements),
                ),
                module.path,
                last.line,
                last.block.cell,
            )
        elif len(statements) > 1:
            notes.note(
                _(
                    "`{name}` is defined in {places}: the last one counts",
                    name=name,
                    places=_places(statements),
                ),
                module.path,
                last.line,
                last.block.cell,
            )
    for name in targets:
        if name in places:
            _note_replaced(notes, module, name, places[name][-1])


def _note_replaced(notes: Notes, module: StudentModule, name: str, defined: Statement) -> None:
    last = _last_binder(module, name)
    if last is None or last.index <= defined.index or isinstance(last.node, ast.Delete):
        return
    reads = {n.id for n in walk(last.node) if isinstance(n, ast.Name)}
    wraps = isinstance(last.node, ast.Assign) and name in {
        n.id for n in walk(last.node.value) if isinstance(n, ast.Name)
    }
    if not wraps and (name in reads or isinstance(last.node, ast.Import | ast.ImportFrom)):
        notes.note(
            _(
                "`{name}` from {place} is replaced here, and this is what counts",
                name=name,
                place=defined.spot,
            ),
            module.path,
            last.line,
            last.block.cell,
        )


def _stub_wins(statements: list[Statement], stub: str | None) -> bool:
    first, last = (definition_digest(s.node) for s in (statements[0], statements[-1]))
    return last == stub != first


def _places(statements: list[Statement]) -> str:
    cells = dict.fromkeys(s.block.cell for s in statements)
    if len(cells) > 1:
        return _("cells {cells}", cells=_listed(cells))
    lines = _listed(s.line for s in statements)
    if None in cells:
        return _("lines {lines}", lines=lines)
    return _("lines {lines} of cell {cell}", lines=lines, cell=_listed(cells))


def _listed(items: Iterable[object]) -> str:
    return joined(map(str, items))


def _on_purpose(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
        if name in _REDEFINED_ON_PURPOSE:
            return True
    return False
