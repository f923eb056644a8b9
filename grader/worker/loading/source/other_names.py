"""Take a class for the one that is wanted if only case and underscores of their names differ.

Books spell `SelfAttention_v1` what a hand-out calls `SelfAttentionV1`. The file is read as if its
author had added `SelfAttentionV1 = SelfAttention_v1` below the class.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import replace

from .statements import Script, Scripts, Statement, compile_statement


def add_wanted_names(
    scripts: Scripts, entries: Mapping[str, str], targets: Mapping[str, Collection[str]]
) -> None:
    """Add the wanted names to the files that are graded, by assignment stem.

    The files of other assignments are not read, which costs more than loading what is graded.
    """
    for stem, names in targets.items():
        if stem in entries:
            path = entries[stem]
            scripts.replace(path, with_wanted_names(scripts(path), names))


def with_wanted_names(script: Script, wanted: Collection[str]) -> Script:
    """Return the script with another name for each class that is meant to be a wanted one."""
    bound = {name for statement in script.statements for name in statement.binds}
    added: dict[int, list[Statement]] = {}
    for name in wanted:
        alike = [s for s in script.statements if _is_meant(s, name, wanted)]
        if name not in bound and len(alike) == 1:
            added.setdefault(alike[0].index, []).append(_named(alike[0], name))
    if not added:
        return script
    ordered = [each for old in script.statements for each in (old, *added.get(old.index, ()))]
    numbered = tuple(replace(each, index=index) for index, each in enumerate(ordered))
    return replace(script, statements=numbered)


def _is_meant(statement: Statement, name: str, wanted: Collection[str]) -> bool:
    node = statement.node
    if not isinstance(node, ast.ClassDef) or statement.demo or node.name in wanted:
        return False
    return _plain(node.name) == _plain(name)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _named(statement: Statement, name: str) -> Statement:
    """Return the statement that gives a class another name, at the place of its definition."""
    assert isinstance(statement.node, ast.ClassDef)
    node = ast.Assign([ast.Name(name, ast.Store())], ast.Name(statement.node.name, ast.Load()))
    node = ast.fix_missing_locations(ast.copy_location(node, statement.node))
    code = compile_statement(node, statement.block, statement.flags)
    return replace(statement, node=node, code=code)
