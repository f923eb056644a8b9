"""Call the variables of one program as another program calls them."""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from difflib import SequenceMatcher

_WORD = re.compile(r"self\.\w+|[A-Za-z_]\w*|\d+|\S")
_SAME_NAME, _SAME_LINE, _SAME_PLACE = 2, 3, 1
"""What speaks for two variables to be one: their names, equal lines around them, equal parts."""


def renamed_like(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    """Return `new` with the names that `old` has for the same variables.

    Variables are what is assigned within, and attributes of `self`; parameters keep their names.

    >>> old = ast.parse("def f(x):\\n    y = x * 2\\n    return y").body[0]
    >>> new = ast.parse("def f(x):\\n    two = x * 2\\n    return two").body[0]
    >>> ast.unparse(renamed_like(new, old))
    'def f(x):\\n    y = x * 2\\n    return y'
    """
    ours, theirs = _variables(old), _variables(new)
    names = _matched(_votes(new, old, theirs, ours))
    kept = theirs - names.keys()
    names |= {name: f"{name}_" for name in kept & {*names.values()} if name not in ours}
    changed: ast.stmt = _Rename(names).visit(copy.deepcopy(new))
    return changed


def _variables(tree: ast.stmt) -> set[str]:
    nodes = tuple(ast.walk(tree))
    parameters = {node.arg for node in nodes if isinstance(node, ast.arg)}
    assigned = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    attributes = {f"self.{n.attr}" for n in nodes if _is_own(n) and isinstance(n, ast.Attribute)}
    return (assigned - parameters) | attributes


def _is_own(node: ast.AST) -> bool:
    """Tell whether a node is an attribute of `self`."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


def _votes(
    new: ast.stmt, old: ast.stmt, theirs: Collection[str], ours: Collection[str]
) -> Counter[tuple[str, str]]:
    """Count what speaks for each pair of a name in `new` and one in `old`."""
    votes = Counter({(name, name): _SAME_NAME for name in {*theirs} & {*ours}})
    first = [_Masked(line, theirs) for line in ast.unparse(new).split("\n")]
    second = [_Masked(line, ours) for line in ast.unparse(old).split("\n")]
    lines = SequenceMatcher(
        None, [one.text for one in first], [one.text for one in second], autojunk=False
    )
    for kind, i, j, k, m in lines.get_opcodes():
        for one, other in zip(first[i:j], second[k:m], strict=False):
            if kind == "equal":
                votes.update(
                    {pair: _SAME_LINE for pair in zip(one.names, other.names, strict=True)}
                )
            else:
                votes.update({pair: _SAME_PLACE for pair in _in_places(one, other)})
    return votes


class _Masked:
    """A line with a mark in place of each variable, and the variables in their order."""

    def __init__(self, line: str, variables: Collection[str]) -> None:
        words: list[str] = _WORD.findall(line)
        self.words = words
        self.masked = ["_" if word in variables else word for word in words]
        self.names = [word for word in words if word in variables]
        self.text = " ".join(self.masked)


def _in_places(one: _Masked, other: _Masked) -> Iterator[tuple[str, str]]:
    """Yield the variables that stand in equal parts of two lines."""
    matcher = SequenceMatcher(None, one.masked, other.masked, autojunk=False)
    for at, to, size in matcher.get_matching_blocks():
        for step in range(size):
            if one.masked[at + step] == "_":
                yield one.words[at + step], other.words[to + step]


def _matched(votes: Counter[tuple[str, str]]) -> dict[str, str]:
    """Return the best name for each, no name twice; attributes become attributes only."""
    names: dict[str, str] = {}
    for (theirs, ours), _count in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        is_fit = theirs.startswith("self.") == ours.startswith("self.")
        if is_fit and theirs not in names and ours not in names.values():
            names[theirs] = ours
    return names


class _Rename(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self._names.get(node.id, node.id), node.ctx), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        if _is_own(node):
            node.attr = self._names.get(f"self.{node.attr}", f"self.{node.attr}").partition(".")[2]
        return node
