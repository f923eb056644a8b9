"""Additions to Python files that people have written; every other line stays as it was."""

from __future__ import annotations

import ast

from . import ScaffoldError


def parsed(source: str, file: str) -> ast.Module:
    """The file as a tree. Raises ScaffoldError with file:line."""
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise ScaffoldError(
            f"{file}:{error.lineno or 1}: not valid Python: {error.msg}. "
            "Next: mend it, then run the same command"
        ) from error


def with_imports(source: str, wanted: dict[str, str], file: str) -> str:
    """The file with an import statement for each name that it does not import yet.

    >>> with_imports("import torch\\n\\nx = 1\\n", {"nn": "from torch import nn"}, "a.py")
    'import torch\\nfrom torch import nn\\n\\nx = 1\\n'
    """
    tree = parsed(source, file)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    have = {alias.asname or alias.name for node in imports for alias in node.names}
    missing = [statement for name, statement in wanted.items() if name not in have]
    if not missing:
        return source
    lines = source.split("\n")
    at = max((node.end_lineno or 0 for node in imports), default=0)
    if not imports and ast.get_docstring(tree) is not None:
        at = tree.body[0].end_lineno or 0
    space = [] if imports else [""]
    lines[at:at] = [*(space if at else []), *missing, *space]
    return "\n".join(lines)


def with_definition(source: str, name: str, definition: str, file: str) -> str:
    """The file with one definition more, at its end. Raises ScaffoldError if the name is taken."""
    for node in parsed(source, file).body:
        if getattr(node, "name", "") == name:
            raise ScaffoldError(
                f"{file}:{node.lineno}: {name} is there already. Next: choose another --target"
            )
    return f"{source.rstrip()}\n\n\n{definition}"


def with_entries(source: str, variable: str, entries: str, name: str, file: str) -> str:
    """The file with more entries at the end of one of its tuples.

    >>> print(with_entries("ALL = (\\n    1,\\n)\\n", "ALL", "    2,\\n", "_TWO", "a.py"), end="")
    ALL = (
        1,
        2,
    )

    Where the tuple is a sum of others, `name` becomes one more of them.

    >>> print(with_entries("ALL = _ONE\\n", "ALL", "    2,\\n", "_TWO", "a.py"), end="")
    _TWO = (
        2,
    )
    <BLANKLINE>
    ALL = _ONE + _TWO

    Raises ScaffoldError if there is no such tuple, written over several lines, or if an id is
    there already.
    """
    tree = parsed(source, file)
    there = _ids(tree)
    for id in _ids(parsed(f"(\n{entries})", file)):
        if id in there:
            raise ScaffoldError(
                f"{file}:{there[id]}: the id {id} is there already. Next: rename that entry"
            )
    statement, value = _assignment(tree, variable, file)
    lines = source.split("\n")
    if isinstance(value, ast.Tuple):
        return _into_tuple(lines, value, variable, entries, file)
    if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree)):
        raise ScaffoldError(f"{file}:1: {name} is there already. Next: rename that tuple")
    _put(lines, value, f" + {name}")
    new = [f"{name} = (", *entries.rstrip("\n").split("\n"), ")", ""]
    return "\n".join([*lines[: statement.lineno - 1], *new, *lines[statement.lineno - 1 :]])


def _into_tuple(lines: list[str], found: ast.Tuple, variable: str, entries: str, file: str) -> str:
    last = found.end_lineno or found.lineno
    if lines[last - 1].strip() != ")":
        raise ScaffoldError(
            f"{file}:{last}: the `)` of {variable} does not stand alone on its line. "
            "Next: move it to a line of its own, then run the same command"
        )
    if found.elts:
        end, column = found.elts[-1].end_lineno or 1, found.elts[-1].end_col_offset or 0
        line = lines[end - 1].encode()
        rest = "\n".join([line[column:].decode(), *lines[end : last - 1]])
        if not rest.lstrip().startswith(","):
            _put(lines, found.elts[-1], ",")
    return "\n".join([*lines[: last - 1], *entries.rstrip("\n").split("\n"), *lines[last - 1 :]])


def _put(lines: list[str], node: ast.expr, text: str) -> None:
    """Writes something directly behind an expression."""
    at, column = (node.end_lineno or 1) - 1, node.end_col_offset or 0
    line = lines[at].encode()  # columns of the tree count bytes
    lines[at] = f"{line[:column].decode()}{text}{line[column:].decode()}"


def _assignment(tree: ast.Module, variable: str, file: str) -> tuple[ast.stmt, ast.expr]:
    """What is assigned to the variable: a tuple, or a sum of names."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        if name == variable and (isinstance(value, ast.Tuple) or _is_sum(value)):
            return node, value
    raise ScaffoldError(
        f"{file}:1: there is no tuple {variable} = (...) in here. "
        f"Next: write {variable} = (), over two lines, then run the same command"
    )


def _is_sum(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _is_sum(value.left) and _is_sum(value.right)
    return isinstance(value, ast.Name)


def _ids(tree: ast.AST) -> dict[str, int]:
    return {
        keyword.value.value: keyword.value.lineno
        for keyword in ast.walk(tree)
        if isinstance(keyword, ast.keyword) and keyword.arg == "id"
        if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
    }
