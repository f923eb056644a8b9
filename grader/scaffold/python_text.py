"""Add to Python files that people have written; every other line stays as it was."""

from __future__ import annotations

import ast

from . import ScaffoldError


def parsed(source: str, file: str) -> ast.Module:
    """Parse the file.

    Raises ScaffoldError with file:line.
    """
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise ScaffoldError(
            f"{file}:{error.lineno or 1}: not valid Python: {error.msg}. "
            "Next: mend it, then run the same command"
        ) from error


def with_imports(source: str, wanted: dict[str, str], file: str) -> str:
    """Return the file with an import statement for each name that it does not import yet.

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
    """Return the file with one definition more, at its end.

    Raises ScaffoldError if the name is taken.
    """
    for node in parsed(source, file).body:
        if getattr(node, "name", "") == name:
            raise ScaffoldError(
                f"{file}:{node.lineno}: {name} is there already. Next: choose another --target"
            )
    return f"{source.rstrip()}\n\n\n{definition}"
