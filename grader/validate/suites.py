"""Find gaps in suites by reading them, before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from ..course.course import Course, CourseError
from .gap import Gap

DISABLING = frozenset({"skip", "skipif", "xfail", "importorskip"})
MUTATING = frozenset(
    {
        "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove",
        "discard", "clear", "sort", "reverse", "fill_", "zero_", "copy_", "mul_", "add_", "sub_",
    }
)  # fmt: skip
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def suite_gaps(course: Course, slugs: tuple[str, ...]) -> Iterator[Gap]:
    """Yield everything wrong with the suites of the exercises, and suites that no exercise has."""
    wanted: set[Path] = set()
    for slug, exercise in course.rubric.exercises.items():
        try:
            files = course.suite_files(exercise)
        except CourseError:
            message = f"{slug} has no suite"
            shown = f"tests/suites/{exercise.assignment}/{exercise.suite}"
            yield Gap(shown, 1, message, "write this file, or take the exercise out of rubric.yaml")
            continue
        wanted |= set(files)
        if slug in slugs:
            for path in files:
                yield from file_gaps(path.read_text(encoding="utf-8"), _shown(course, path))
    folder = course.root / "tests" / "suites"
    for path in sorted(folder.glob("*.py")):  # checks that several suites share
        if path.name != "conftest.py":
            yield from file_gaps(path.read_text(encoding="utf-8"), _shown(course, path))
    for path in sorted(folder.rglob("test_*.py")):
        if path not in wanted:
            message = "this suite belongs to no exercise of rubric.yaml"
            yield Gap(_shown(course, path), 1, message, "put its exercise back, or delete the file")


def file_gaps(source: str, shown: str) -> Iterator[Gap]:
    """Yield everything wrong with one suite, by its text."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        yield Gap(shown, error.lineno or 1, f"not valid Python: {error.msg}", "mend it")
        return
    yield from _structure(tree, shown)
    yield from _disabled(tree, shown)
    for line, name in _written_globals(tree):
        message = f"writes to {name}, which all checks share"
        yield Gap(shown, line, message, "make it anew in each check, by a function")


def _structure(tree: ast.Module, shown: str) -> Iterator[Gap]:
    for node in tree.body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            message = f"{node.name} stands in no class: the class is the criterion"
            yield Gap(shown, node.lineno, message, "move it into a class such as TestOutputs")
        if not isinstance(node, ast.ClassDef) or not node.name.startswith("Test"):
            continue
        for child in node.body:
            if not isinstance(child, _Function) or not child.name.startswith("test"):
                continue
            if not ast.get_docstring(child):
                message = f"{node.name}.{child.name} has no docstring: it is the line people see"
                yield Gap(shown, child.lineno, message, "say in one sentence what must hold")
            for statement in ast.walk(child):
                if isinstance(statement, ast.Assert):
                    message = f"{node.name}.{child.name} asserts: a failure would be called ours"
                    yield Gap(shown, statement.lineno, message, "use expect.true(...)")


def _disabled(tree: ast.Module, shown: str) -> Iterator[Gap]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in DISABLING and "pytest" in _root(node):
            message = f"{ast.unparse(node)}: a check that is skipped proves nothing"
            yield Gap(shown, node.lineno, message, "let it run, or delete the check")


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _written_globals(tree: ast.Module) -> Iterator[tuple[int, str]]:
    tops = {
        name.id
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    for function in ast.walk(tree):
        if not isinstance(function, _Function):
            continue
        shared = tops - _locals(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield node.lineno, ", ".join(node.names)
            elif (name := _written(node)) in shared:
                yield getattr(node, "lineno", function.lineno), name


def _locals(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    names = {argument.arg for argument in ast.walk(function) if isinstance(argument, ast.arg)}
    stored = (n for n in ast.walk(function) if isinstance(n, ast.Name))
    return names | {n.id for n in stored if isinstance(n.ctx, ast.Store)}


def _written(node: ast.AST) -> str:
    """Return the name at the root of what a node changes in place; empty if it changes nothing."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return _root(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _root(node.func.value) if node.func.attr in MUTATING else ""
    return ""


def _shown(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()
