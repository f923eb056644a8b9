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


def with_entries(source: str, variable: str, entries: str, file: str) -> str:
    """The file with more entries at the end of one of its tuples.

    >>> print(with_entries("ALL = (\\n    One(),\\n)\\n", "ALL", "    Two(),\\n", "a.py"), end="")
    ALL = (
        One(),
        Two(),
    )

    Raises ScaffoldError if there is no such tuple, written over several lines, or if an id is
    there already.
    """
    found = _tuple(source, variable, file)
    last = found.end_lineno or found.lineno
    lines = source.split("\n")
    if lines[last - 1].strip() != ")":
        raise ScaffoldError(
            f"{file}:{last}: the `)` of {variable} does not stand alone on its line. "
            "Next: move it to a line of its own, then run the same command"
        )
    there = _ids(found)
    for id in _ids(parsed(f"(\n{entries})", file)):
        if id in there:
            raise ScaffoldError(
                f"{file}:{there[id]}: the id {id} is there already. Next: rename that entry"
            )
    if found.elts:
        end, column = found.elts[-1].end_lineno or 1, found.elts[-1].end_col_offset or 0
        line = lines[end - 1].encode()
        rest = "\n".join([line[column:].decode(), *lines[end : last - 1]])
        if not rest.lstrip().startswith(","):
            lines[end - 1] = f"{line[:column].decode()},{line[column:].decode()}"
    return "\n".join([*lines[: last - 1], *entries.rstrip("\n").split("\n"), *lines[last - 1 :]])


def _tuple(source: str, variable: str, file: str) -> ast.Tuple:
    for node in parsed(source, file).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple() as value):
                if name == variable:
                    return value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Tuple() as value):
                if name == variable:
                    return value
    raise ScaffoldError(
        f"{file}:1: there is no tuple {variable} = (...) in here. "
        f"Next: write {variable} = (), over two lines, then run the same command"
    )


def _ids(tree: ast.AST) -> dict[str, int]:
    return {
        keyword.value.value: keyword.value.lineno
        for keyword in ast.walk(tree)
        if isinstance(keyword, ast.keyword) and keyword.arg == "id"
        if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)
    }
