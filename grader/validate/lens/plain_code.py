"""Tell whether code is of the kind that an exercise needs, before somebody lets it run.

An entry of the bank runs without a jail, and an entry made of a student's text may hold more than
a mistake. This is a help for whoever reads the entry, and takes the place of no reading.
"""

from __future__ import annotations

import ast
import builtins

PLAIN_BUILTINS = frozenset(
    {
        "abs", "all", "any", "bool", "dict", "divmod", "enumerate",
        "float", "int", "isinstance", "len", "list", "map", "max",
        "min", "pow", "range", "reversed", "round", "set", "sorted",
        "staticmethod", "str", "sum", "super", "tuple", "zip", "None",
        "True", "False", "ValueError", "TypeError", "RuntimeError", "IndexError", "KeyError",
        "NotImplementedError", "property", "print",
    }
)  # fmt: skip
FOREIGN_MODULES = frozenset(
    {
        "load", "save", "hub", "ops", "utils", "jit", "compile",
        "library", "classes", "serialization", "multiprocessing", "distributed", "package", "fx",
        "export", "onnx", "profiler", "cuda", "os", "sys",
    }
)  # fmt: skip
"""Attributes of torch, or of a module, that read files, run code or start processes."""
PLAIN_IMPORTS = frozenset({"torch", "math", "einops", "typing", "functools", "collections"})
_PLAIN_METHODS = frozenset({"__init__", "__call__", "__len__"})
_STATEMENTS = (
    ast.Global,
    ast.Nonlocal,
    ast.Try,
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Delete,
)


def unusual(tree: ast.AST) -> str:
    """Return the first name or statement that no exercise needs; "" if there is none.

    >>> unusual(ast.parse("y = torch.softmax(x, dim=-1)")), unusual(ast.parse("open('f')"))
    ('', 'open')
    """
    names = (_of(node) for node in ast.walk(tree))
    return next(filter(None, names), "")


def _of(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        is_known = node.id in PLAIN_BUILTINS or not _is_builtin(node.id)
        return "" if is_known and not node.id.startswith("__") else node.id
    if isinstance(node, ast.Attribute):
        is_private = node.attr.startswith("__") and node.attr not in _PLAIN_METHODS
        return node.attr if is_private or node.attr in FOREIGN_MODULES else ""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        module = getattr(node, "module", None)
        names = [module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        foreign = [one for one in names if one.partition(".")[0] not in PLAIN_IMPORTS]
        foreign += [a.name for a in node.names if a.name in FOREIGN_MODULES or a.name == "*"]
        foreign += [one for one in names if {*one.split(".")} & FOREIGN_MODULES]
        return foreign[0] if foreign else ""
    return type(node).__name__.lower() if isinstance(node, _STATEMENTS) else ""


def _is_builtin(name: str) -> bool:
    return hasattr(builtins, name)
