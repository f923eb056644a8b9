"""Takes lines out of a Python module, one at a time: does a test notice that they are gone?

Taken out are each statement with all that belongs to it, what stands around a body (an `if`, a
loop), and each line of a statement that code is left without. A line without which nothing can be
compiled is no removal: whoever takes it out has no tests that run. Nor are imports, which the type
checker misses.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from tools.mutants import Mutant

_LEFT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
"""Statements that are not taken out themselves; of definitions, what is in them is."""


def removals(source: str) -> Iterator[Mutant]:
    """Yield each removal of a module, in the order of its source; other lines keep their numbers.

    >>> [one.name for one in removals("def f(a):\\n    if a:\\n        g(a)\\n    return a\\n")]
    ['f: without `if a:` and its body', 'f: without `if a:`', 'f: without `g(a)`', \
'f: without `return a`']
    """
    made: Counter[str] = Counter()
    for number, (name, line, text) in enumerate(_removals(source)):
        made[name] += 1
        yield Mutant(f"{name} ({made[name]})" if made[name] > 1 else name, line, number, text)


def _removals(source: str) -> Iterator[tuple[str, int, str]]:
    lines, seen = source.splitlines(), {source}
    for where, node in _statements(ast.parse(source), "module"):
        for what, text in _without(lines, node):
            if text not in seen and _compiles(text):
                seen.add(text)
                yield f"{where}: without {what}", node.lineno, text


def _statements(tree: ast.AST, where: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in ast.iter_child_nodes(tree):
        inner = where
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inner = f"{where}.{node.name}".removeprefix("module.")
        if isinstance(node, ast.stmt) and not isinstance(node, _LEFT) and not _is_text(node):
            yield where, node
        yield from _statements(node, inner)


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a docstring, of a module, a definition or a name."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _without(lines: list[str], node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield what can be taken out of a statement, and the module without it."""
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    body = getattr(node, "body", None)
    shown = f"`{lines[first].strip()}`"
    whole = f"{shown} and its body" if body else shown
    blank = [" " * node.col_offset + "pass", *[""] * (last - first - 1)]
    yield whole, _joined([*lines[:first], *blank, *lines[last:]])
    if body:
        begin = body[0].lineno - 1
        around = [" " * node.col_offset + "if True:", *[""] * (begin - first - 1)]
        yield shown, _joined([*lines[:first], *around, *lines[begin:]])
        return
    for at in range(first, last if last > first + 1 else first):
        if lines[at].strip() and not lines[at].strip().startswith("#"):
            yield f"`{lines[at].strip()}`", _joined([*lines[:at], "", *lines[at + 1 :]])


def _joined(lines: list[str]) -> str:
    return "\n".join([*lines, ""])


def _compiles(text: str) -> bool:
    try:
        compile(text, "removal", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True
