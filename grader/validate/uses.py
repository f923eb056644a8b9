"""Which exercises an edit of the reference can reach: those whose targets use what it edits."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..rubric import Rubric
from ..scope import Definition

Uses = Mapping[Definition, set[Definition]]


def touched(rubric: Rubric, uses: Uses, definition: Definition) -> list[str]:
    """Slugs of the exercises one of whose targets is the definition or uses it, at any distance."""
    return [
        slug
        for slug, exercise in rubric.exercises.items()
        if any(
            definition in _reach((exercise.assignment, target), uses) for target in exercise.targets
        )
    ]


def users(uses: Uses, definition: Definition) -> set[Definition]:
    """The definition, and all that use it, at any distance."""
    return {one for one in {*uses, definition} if definition in _reach(one, uses)}


def _reach(start: Definition, uses: Uses) -> set[Definition]:
    found, waiting = {start}, [start]
    while waiting:
        for used in uses.get(waiting.pop(), set()) - found:
            found.add(used)
            waiting.append(used)
    return found


def uses_of(references: Mapping[str, str]) -> Uses:
    """What every top-level definition of every reference mentions, in its own file or another."""
    found: dict[Definition, set[Definition]] = {}
    for stem, source in references.items():
        body = ast.parse(source).body
        imported = _imported(body, references)
        for node in body:
            for name in _defined(node):
                mentioned = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                found[stem, name] = {imported.get(n, (stem, n)) for n in mentioned}
    return found


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    return [
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def _imported(body: list[ast.stmt], references: Mapping[str, str]) -> dict[str, Definition]:
    return {
        alias.asname or alias.name: (stem, alias.name)
        for node in body
        if isinstance(node, ast.ImportFrom)
        for stem in [(node.module or "").rpartition(".")[2]]
        if stem in references
        for alias in node.names
    }
