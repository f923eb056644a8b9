"""Find the exercises that an edit of the reference can reach: their targets use what it edits."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from .rubric import Rubric
from .scope import Definition

Uses = Mapping[Definition, set[Definition]]


def touched(rubric: Rubric, uses: Uses, definition: Definition) -> list[str]:
    """Return the slugs of the exercises with a target that uses the definition.

    A target counts as a user of itself, and of everything that it uses at any distance.
    """
    return [
        slug
        for slug, exercise in rubric.exercises.items()
        if any(
            definition in reach((exercise.assignment, target), uses) for target in exercise.targets
        )
    ]


def users(uses: Uses, definition: Definition) -> set[Definition]:
    """Return the definition, and all that use it, at any distance."""
    return {one for one in {*uses, definition} if definition in reach(one, uses)}


def reach(start: Definition, uses: Uses) -> set[Definition]:
    """Return the definition, and all that it uses, at any distance."""
    reached, waiting = {start}, [start]
    while waiting:
        for used in uses.get(waiting.pop(), set()) - reached:
            reached.add(used)
            waiting.append(used)
    return reached


def uses_of(references: Mapping[str, str]) -> Uses:
    """Return the definitions that each top-level definition of the references mentions.

    They may stand in its own file or in another reference.
    """
    mentioned_by: dict[Definition, set[Definition]] = {}
    for stem, source in references.items():
        body = ast.parse(source).body
        imported = _imported(body, references)
        for node in body:
            for name in _defined(node):
                mentioned = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                mentioned_by[stem, name] = {imported.get(n, (stem, n)) for n in mentioned}
    return mentioned_by


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
