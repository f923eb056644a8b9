"""Find the names of each file that the targets need, followed through the submission's imports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

from .module_map import ModuleLocation, ModuleMap, folder_of
from .statements import Script, Statement
from .trees import walk

Wanted = dict[str, set[str] | None]
"""Path -> names; None for every name of the file."""


def wanted_names(
    entries: Mapping[str, str],
    targets: Mapping[str, Iterable[str]],
    module_map: ModuleMap,
    script_of: Callable[[str], Script],
) -> Wanted:
    """Return the names that must exist after loading, for every file reachable from the entries."""
    wanted: Wanted = {}
    requested = {stem: path for stem, path in entries.items() if stem in targets}
    for stem, path in requested.items():
        _want(wanted, path, targets[stem])
    queue, seen = list(requested.values()), set(requested.values())
    if len(module_map.sources) <= 1:
        return wanted
    while queue:
        path = queue.pop()
        script = script_of(path)
        attributes = cache(partial(_attributes, script))
        importing = [s.node for s in script.statements if _may_import(s)]
        for node in (inside for one in importing for inside in walk(one)):
            for place, names in _imported(node, module_map, folder_of(path), attributes):
                if place.path is None:
                    continue
                _want(wanted, place.path, names)
                if place.path not in seen:
                    seen.add(place.path)
                    queue.append(place.path)
    return wanted


def _may_import(statement: Statement) -> bool:
    """Look for the word in a statement's lines, which costs less than walking its tree."""
    node = statement.node
    return any(
        "import" in line for line in statement.block.lines[node.lineno - 1 : node.end_lineno]
    )


def _attributes(script: Script) -> set[str]:
    nodes = (node for statement in script.statements for node in walk(statement.node))
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def _want(wanted: Wanted, path: str, names: Iterable[str] | None) -> None:
    known = wanted.setdefault(path, set())
    if names is None:
        wanted[path] = None
    elif known is not None:
        known.update(names)


def _imported(
    node: ast.AST, module_map: ModuleMap, here: str, attributes: Callable[[], set[str]]
) -> list[tuple[ModuleLocation, Iterable[str] | None]]:
    """List each module of the submission that the import reaches, and the names taken from it.

    A module imported as a whole is asked for every attribute that the importing file names.
    """
    imported: list[tuple[ModuleLocation, Iterable[str] | None]] = []
    if isinstance(node, ast.Import):
        for alias in node.names:
            chain = module_map.find(alias.name, here) or ()
            imported += [(place, attributes()) for place in chain]
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            chain = module_map.find_relative(module, node.level, here) or ()
        else:
            chain = module_map.find(module, here) or ()
        names = {alias.name for alias in node.names}
        imported += [(place, attributes()) for place in chain[:-1]]
        for place in chain[-1:]:
            imported.append((place, None if "*" in names else names))
            children = (module_map.child(place, name) for name in sorted(names))
            imported += [(child, attributes()) for child in children if child is not None]
    return imported
