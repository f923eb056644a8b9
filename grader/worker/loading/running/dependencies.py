"""Find out whether the targets of an assignment use a definition of another assignment."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..source.names import global_reads
from ..source.trees import walk
from .module import StudentModule
from .standins import is_standin


def reaches(
    module: StudentModule, names: Iterable[str], source: StudentModule | None, stem: str, name: str
) -> bool:
    """Tell whether `names` of a module use `name` of `source`, the file of the assignment `stem`.

    An import of it that could not be served counts as a use. A definition of one's own in its place
    does not, and neither does an import that nothing of `names` uses.
    """
    held = module.module.__dict__
    own = source.module.__dict__.get(name, source) if source is not None else source
    for used in _used(module, names):
        value = held.get(used)
        if used not in held or is_standin(value):
            if _is_imported(module, used, stem, name):
                return True
        elif source is not None and (value is own or value is source.module):
            return True
    return False


def _used(module: StudentModule, names: Iterable[str]) -> set[str]:
    """Return all names that the given ones depend on in their module, directly or indirectly."""
    live = [s for s in module.script.statements if not s.demo]
    known = {name for s in live for name in s.binds} | set(module.module.__dict__)
    used, waiting = set[str](), [*names]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            for statement in live:
                if name in statement.binds:
                    waiting += global_reads(statement.code, known)
    return used


def _is_imported(module: StudentModule, used: str, stem: str, name: str) -> bool:
    nodes = [n for s in module.script.statements if used in s.binds for n in walk(s.node)]
    return any(_gives(node, used, stem, name) for node in nodes)


def _gives(node: ast.AST, used: str, stem: str, name: str) -> bool:
    """Tell whether a node imports `name` of the assignment, or all of the assignment, as `used`."""
    match node:
        case ast.ImportFrom(module=str(module)) if _last(module) == stem:
            return any(a.name == name and (a.asname or name) == used for a in node.names)
        case ast.Import():
            return any(_last(alias.name) == stem for alias in node.names)
    return False


def _last(dotted: str) -> str:
    return dotted.rpartition(".")[2]
