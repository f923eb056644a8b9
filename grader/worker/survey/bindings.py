"""Find out what names stand for, across the files of a submission; execute nothing."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..loading.source.module_map import ModuleMap, folder_of, is_real
from ..loading.source.names import DEFINITIONS, bound, own_nodes, root
from ..loading.source.statements import Script, Statement


class Ref(NamedTuple):
    """A thing that a name may stand for."""

    path: str | None
    """The file of the submission that defines it; None if it is from outside the submission."""
    name: str
    """Dotted name: `torch.nn.functional`, `MultiHead.forward`; empty for a whole file."""

    def __add__(self, attribute: object) -> Ref:
        return Ref(self.path, f"{self.name}.{attribute}" if self.name else str(attribute))


class NameBinding(NamedTuple):
    """One statement, or part of one, that gives a name its value."""

    node: ast.AST
    cell: int | None


@dataclass
class LocalNames:
    """The local names of a function."""

    path: str
    names: dict[str, list[ast.expr | Ref]] = field(default_factory=dict)
    """Local name -> what is assigned to it, as far as that can be seen."""
    parent: LocalNames | None = None
    known: dict[str, set[Ref]] = field(default_factory=dict)
    """Local name -> the things that it was found to stand for."""


MOST_STEPS = 40
"""Limit on aliases of aliases; nobody's code has more."""


class Bindings:
    """The top-level names of every file, and the things that they stand for."""

    def __init__(self, module_map: ModuleMap, script_of: Callable[[str], Script]) -> None:
        self._module_map, self._script_of = module_map, script_of
        self._tables: dict[str, dict[str, list[NameBinding]]] = {}
        self._known: dict[tuple[str, str], frozenset[Ref]] = {}

    def of(self, path: str, name: str) -> list[NameBinding]:
        """Return the definitions of a name that count: the last one, or all branches of it."""
        return self._table(path).get(name, [])

    def _table(self, path: str) -> dict[str, list[NameBinding]]:
        if path not in self._tables:
            table = self._tables[path] = {}
            kept: set[str] = set()
            for statement in self._script_of(path).statements:
                if not statement.demo:
                    kept |= _kept(statement.node)
                    _enter(table, statement, kept)
        return self._tables[path]

    # ---- what a name stands for ----------------------------------------------------------

    def meaning(self, path: str, name: str, steps: int = 0) -> frozenset[Ref]:
        """Return everything that a top-level name of a file may stand for."""
        key = (path, name)
        if key not in self._known:
            self._known[key] = frozenset()  # while it is looked for: aliases may run in circles
            self._known[key] = frozenset(self._meanings(path, name, steps))
        return self._known[key]

    def _meanings(self, path: str, name: str, steps: int) -> Iterator[Ref]:
        bindings = self.of(path, name)
        for node, _ in bindings:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for ref in imported(node, name):
                    yield from self._settled(ref, node, path, steps)
                continue
            yield Ref(path, name)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                yield from self.dotted(node.value, LocalNames(path), steps + 1)
        if not bindings:
            yield from self._from_elsewhere(path, name, steps)

    def _from_elsewhere(self, path: str, name: str, steps: int) -> Iterator[Ref]:
        for node, _ in self.of(path, "*"):
            assert isinstance(node, ast.ImportFrom)
            yield from self._settled(Ref(None, f"{node.module or ''}.{name}"), node, path, steps)
        if hasattr(builtins, name):
            yield Ref(None, f"builtins.{name}")

    def _settled(
        self, ref: Ref, node: ast.Import | ast.ImportFrom, here: str, steps: int
    ) -> Iterator[Ref]:
        """Yield the thing that an import gives, of the submission's own files or from elsewhere."""
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        own = self.own(ref.name, folder_of(here), level)
        if own is None:
            yield ref
        else:
            yield from self._expanded(own, steps)

    def own(self, dotted: str, folder: str, level: int = 0) -> Ref | None:
        """Find the file of the submission that a dotted name leads into, and the rest of the name.

        Return None if it leads into no file of the submission.
        """
        parts = dotted.strip(".").split(".")
        if not level and is_real(parts[0]):
            return None
        for count in range(len(parts), -1, -1):
            module = ".".join(parts[:count])
            if level:
                chain = self._module_map.find_relative(module, level, folder)
            else:
                chain = self._module_map.find(module, folder) if module else None
            if chain and chain[-1].path is not None:
                return Ref(chain[-1].path, ".".join(parts[count:]))
        return None

    def _expanded(self, ref: Ref, steps: int) -> Iterator[Ref]:
        """Yield a name of the submission, and the things that it may stand for in turn."""
        yield ref
        if ref.path is None or not ref.name or steps > MOST_STEPS:
            return
        first, _, rest = ref.name.partition(".")
        for meaning in self.meaning(ref.path, first, steps + 1):
            yield meaning + rest if rest else meaning

    # ---- what an expression stands for ---------------------------------------------------

    def dotted(self, node: ast.expr, scope: LocalNames, steps: int = 0) -> set[Ref]:
        """Return every dotted name that an expression may stand for; none for most expressions."""
        if steps > MOST_STEPS:
            return set()
        if isinstance(node, ast.Name):
            return self._of_name(node.id, scope, steps)
        owner, attribute = _attribute(node)
        if owner is None:
            return self._of_import(node, scope, steps)
        refs: set[Ref] = set()
        for ref in self.dotted(owner, scope, steps + 1):
            longer = ref + attribute
            if longer.path is None:
                own = self.own(longer.name, folder_of(scope.path))
                longer = own if own is not None else longer
            refs |= {*self._expanded(longer, steps)}
        return refs

    def _of_name(self, name: str, scope: LocalNames, steps: int) -> set[Ref]:
        around: LocalNames | None = scope
        while around is not None:
            if name in around.names:
                if name not in around.known:
                    around.known[name] = set()  # while it is looked for, as at the top
                    around.known[name] = self._of_local(name, around, steps)
                return around.known[name]
            around = around.parent
        return set(self.meaning(scope.path, name, steps))

    def _of_local(self, name: str, scope: LocalNames, steps: int) -> set[Ref]:
        refs: set[Ref] = set()
        for value in scope.names[name]:
            if isinstance(value, Ref):
                own = self.own(value.name, folder_of(scope.path))
                refs |= {*self._expanded(own, steps)} if own else {value}
            else:
                refs |= self.dotted(value, scope, steps + 1)
        return refs

    def _of_import(self, node: ast.expr, scope: LocalNames, steps: int) -> set[Ref]:
        """Resolve `__import__("a")` and `importlib.import_module("a.b")`."""
        if not isinstance(node, ast.Call) or not node.args:
            return set()
        name = folded(node.args[0])
        if name is None or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return set()
        called = {ref.name for ref in self.dotted(node.func, scope, steps + 1)}
        if called & {"builtins.__import__", "importlib.import_module", "importlib.__import__"}:
            return {self.own(name, folder_of(scope.path)) or Ref(None, name)}
        return set()


def _kept(node: ast.AST) -> set[str]:
    """Return names whose present value a statement keeps: `old = head`, `class Head(Head)`.

    A call does not keep the value of the name that is called.
    """
    items = list(own_nodes(node))
    called = {id(item.func) for item in items if isinstance(item, ast.Call)}
    return {
        item.id
        for item in items
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load) and id(item) not in called
    }


def _enter(table: dict[str, list[NameBinding]], statement: Statement, kept: set[str]) -> None:
    """Enter the names that a statement binds into a table.

    A definition replaces an earlier one, unless some statement keeps the earlier one's value.
    """
    node, cell = statement.node, statement.block.cell
    names = {*statement.binds}
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        table.setdefault("*", []).append(NameBinding(node, cell))
    plain = isinstance(node, (*DEFINITIONS, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom))
    for item in own_nodes(node):
        if isinstance(item, (ast.Import, ast.ImportFrom, *DEFINITIONS)):
            for name in bound(item) & names:
                if plain and name not in kept:
                    table[name] = []
                table.setdefault(name, []).append(NameBinding(item, cell))
                names.discard(name)
        elif isinstance(item, (ast.Attribute, ast.Subscript)) and isinstance(item.ctx, ast.Store):
            # Module.forward = something: whoever uses the module uses that too
            owner = root(item)
            if owner is not None and owner in table:
                table[owner].append(NameBinding(node, cell))
    for name in names:
        if plain and name not in kept:
            table[name] = []
        table.setdefault(name, []).append(NameBinding(node, cell))


def imported(node: ast.Import | ast.ImportFrom, name: str) -> Iterator[Ref]:
    """Yield the thing that an import statement binds a name to."""
    for alias in node.names:
        held = alias.asname or alias.name.partition(".")[0]
        if held != name:
            continue
        if isinstance(node, ast.ImportFrom):
            yield Ref(None, f"{node.module}.{alias.name}" if node.module else alias.name)
        else:
            yield Ref(None, alias.name if alias.asname else held)


def _attribute(node: ast.expr) -> tuple[ast.expr | None, str]:
    """Return owner and name of `a.b`, `getattr(a, "b")`, `vars(a)["b"]`, `a.__dict__["b"]`."""
    match node:
        case ast.Attribute(value=owner, attr=name):
            return owner, name
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, key, *_]):
            attribute = folded(key)
        case ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[owner]), slice=key):
            attribute = folded(key)
        case ast.Subscript(value=ast.Attribute(value=owner, attr="__dict__"), slice=key):
            attribute = folded(key)
        case _:
            return None, ""
    return (owner, attribute) if attribute is not None else (None, "")


def folded(node: ast.expr) -> str | None:
    """Return the text that an expression of constants gives, or None.

    >>> folded(ast.parse("'soft' + 'max'", mode="eval").body)
    'softmax'
    """
    pieces: list[str] = []
    stack: list[ast.expr] = [node]
    while stack:
        match stack.pop():
            case ast.Constant(value=str(text)):
                pieces.append(text)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                stack += [right, left]
            case ast.JoinedStr(values=values):
                stack += reversed(values)
            case ast.FormattedValue(value=value, format_spec=None):
                stack.append(value)
            case _:
                return None
    return "".join(pieces)
