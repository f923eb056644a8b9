"""A submission's text, read for what was asked: uses of names, loops, and places of patterns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..loading.layout import Layout
from ..loading.names import FUNCTIONS
from ..loading.statements import Script
from .bindings import Binding, Bindings
from .facts import Asked, Facts, facts_of
from .patterns import Patterns, words_of

MOST_FINDINGS = 20
"""Of one kind, about one target."""
_ALWAYS_CALLED = frozenset({"forward"})

Unit = tuple[str, str, str]
"""File, top-level name, and method; empty for what is in no method."""


@dataclass(frozen=True)
class Wanted:
    """What to look for."""

    targets: Mapping[str, tuple[str, ...]]
    """Assignment -> names whose code is read, and whatever they reach."""
    methods: Mapping[str, tuple[str, ...]]
    """Class -> methods that are called from outside."""
    names: tuple[str, ...]
    """Dotted names whose uses are told."""
    patterns: Mapping[str, tuple[str, ...]]
    """Group -> patterns of code whose places are told, the better ones first."""


def survey(
    wanted: Wanted, entries: Mapping[str, str], layout: Layout, script_of: Callable[[str], Script]
) -> dict[str, Any]:
    """Assignment -> target -> what its code says, ready for JSON."""
    known = Bindings(layout, script_of)
    paths = [entries[stem] for stem in wanted.targets if stem in entries]
    reading = _Reading(known, _asked(wanted, map(script_of, paths)), wanted)
    graded = frozenset(entries.values())
    return {
        stem: {name: reading.target(entries[stem], name, graded) for name in names}
        for stem, names in wanted.targets.items()
        if stem in entries
    }


def _asked(wanted: Wanted, scripts: Iterable[Script]) -> Asked:
    """What is looked for, without the patterns of words that no graded file has."""
    texts = (block.text for script in scripts for block in script.blocks)
    words = set().union(*map(words_of, texts)) if wanted.patterns else set()
    parts = {name.rpartition(".")[2] for name in wanted.names}
    return Asked(frozenset(parts), Patterns(wanted.patterns, words))


class _Reading:
    """Reads each function and method once, whoever reaches it."""

    def __init__(self, known: Bindings, asked: Asked, wanted: Wanted) -> None:
        self._known, self._asked, self._wanted = known, asked, wanted
        self._facts: dict[Unit, list[Facts]] = {}
        self._called = _ALWAYS_CALLED.union(*wanted.methods.values())

    def target(self, path: str, name: str, graded: Collection[str]) -> dict[str, Any]:
        """`graded`: the files of all assignments."""
        units = self._reached(path, name)
        found = [facts for unit in units for facts in self._facts[unit]]
        # What is wrong in another assignment is told there.
        own = [facts for facts in found if facts.path == path or facts.path not in graded]
        return {
            "uses": _first(self._uses(found)),
            "loops": _first(_places(found, "loops")),
            "opaque": _first(_places(found, "opaque")),
            "numbers": _first(_numbers(found)),
            "again": _first(self._calls_itself(units)),
            "places": _best_matches(own),
        }

    def _uses(self, found: Iterable[Facts]) -> Iterator[list[Any]]:
        for facts in found:
            for dotted, said in sorted(facts.uses, key=lambda use: use[1].line):
                for name in self._wanted.names:
                    if is_use_of(dotted, name):
                        yield [name, said.text, facts.path, facts.cell, said.line]
            for name in self._wanted.names:
                owner, _, method = name.rpartition(".")
                if owner == "torch.Tensor" and method in facts.methods:
                    yield [name, f".{method}()", facts.path, facts.cell, facts.methods[method]]

    def _reached(self, path: str, name: str) -> list[Unit]:
        """The units that a target's code can run through, its own first."""
        found: dict[Unit, None] = {}
        waiting, idle = self._units(path, name), list[Unit]()
        mentioned: set[str] = set()
        while waiting:
            unit = waiting.pop(0)
            if unit in found:
                continue
            if not self._is_called(unit, mentioned):
                idle.append(unit)
                continue
            found[unit] = None
            for facts in self._read(unit):
                for other in sorted(facts.own):
                    waiting += [one for one in self._units(*other) if one not in found]
                if not facts.attributes <= mentioned:
                    mentioned |= facts.attributes
                    waiting, idle = waiting + idle, []
        return list(found)

    def _is_called(self, unit: Unit, mentioned: set[str]) -> bool:
        method = unit[2]
        if not method or (method.startswith("__") and method.endswith("__")):
            return True
        return method in mentioned or method in self._called

    def _units(self, path: str, name: str) -> list[Unit]:
        units: list[Unit] = []
        for node, _ in self._known.of(path, name):
            units.append((path, name, ""))
            if isinstance(node, ast.ClassDef):
                units += [(path, name, f.name) for f in node.body if isinstance(f, FUNCTIONS)]
        return list(dict.fromkeys(units))

    def _read(self, unit: Unit) -> list[Facts]:
        if unit not in self._facts:
            self._facts[unit] = [
                facts_of(nodes, (unit[0], binding.cell), self._known, self._asked)
                for binding in self._known.of(*unit[:2])
                if (nodes := _nodes(binding, unit[2]))
            ]
        return self._facts[unit]

    def _calls_itself(self, units: list[Unit]) -> Iterator[list[Any]]:
        """Functions that call themselves: loops by another name."""
        for path, name, method in units:
            known = self._known.of(path, name)
            if method or len(known) != 1 or not isinstance(known[0].node, FUNCTIONS):
                continue
            if any((path, name) in facts.own for facts in self._facts[path, name, ""]):
                yield [f"{name} calls itself", path, known[0].cell, known[0].node.lineno]


def is_use_of(dotted: str, name: str) -> bool:
    """Whether a dotted name is another one, lies in it, or is the same thing by another path.

    >>> is_use_of("torch._C._nn.gelu", "torch.nn.functional.gelu"), is_use_of("timm.layers", "timm")
    (True, True)
    >>> is_use_of("torch.nn.TransformerEncoder", "torch.nn.Transformer")
    False
    """
    if dotted == name or dotted.startswith(f"{name}."):
        return True
    (top, *inner), (wanted, *rest) = dotted.split("."), name.split(".")
    return top == wanted and bool(rest) and rest[-1] in inner


def _nodes(binding: Binding, method: str) -> list[ast.AST]:
    """The code of a unit: one method, or everything in it but its methods."""
    node = binding.node
    if not isinstance(node, ast.ClassDef):
        return [] if method or isinstance(node, (ast.Import, ast.ImportFrom)) else [node]
    if method:
        return [part for part in node.body if isinstance(part, FUNCTIONS) and part.name == method]
    around = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    return [*around, *(part for part in node.body if not isinstance(part, FUNCTIONS))]


def _places(found: Iterable[Facts], kind: str) -> Iterator[list[Any]]:
    for facts in found:
        for said in sorted(getattr(facts, kind), key=lambda said: said.line):
            yield [said.text, facts.path, facts.cell, said.line]


def _numbers(found: Iterable[Facts]) -> Iterator[list[Any]]:
    for facts in found:
        for count, line in facts.numbers:
            yield [count, facts.path, facts.cell, line]


def _best_matches(found: Iterable[Facts]) -> dict[str, list[Any]]:
    """The place of the best pattern of each group, in the order in which code is reached."""
    best: dict[str, tuple[int, int, int, Facts]] = {}
    for order, facts in enumerate(found):
        for group, (rank, line) in facts.matches.items():
            if group not in best or (rank, order, line) < best[group][:3]:
                best[group] = (rank, order, line, facts)
    return {
        group: [facts.path, facts.cell, abs(line)]
        for group, (_, _, line, facts) in sorted(best.items())
    }


def _first(rows: Iterable[list[Any]]) -> list[list[Any]]:
    distinct: list[list[Any]] = []
    for row in rows:
        if row not in distinct:
            distinct.append(row)
        if len(distinct) == MOST_FINDINGS:
            break
    return distinct
