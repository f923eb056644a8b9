"""Read a submission's text for a course's questions: uses of names, loops, places of patterns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from ...wire.load_plan import Wanted
from ...wire.survey_report import (
    CodeFinding,
    CodeSpot,
    CodeUse,
    NumberList,
    SurveyReport,
    TargetSurvey,
)
from ..loading.source.module_map import ModuleMap
from ..loading.source.names import FUNCTIONS
from ..loading.source.statements import Script
from .bindings import Bindings, NameBinding
from .facts import Facts, SearchTerms, facts_of
from .patterns import Patterns, words_of

MOST_FINDINGS = 20
"""Limit on the findings of one kind about one target."""
_ALWAYS_CALLED = frozenset({"forward"})

Unit = tuple[str, str, str]
"""File, top-level name, and method; the method is empty for code outside of methods."""


RowT = TypeVar("RowT", bound="tuple[object, ...]")


def survey(
    wanted: Wanted,
    entries: Mapping[str, str],
    module_map: ModuleMap,
    script_of: Callable[[str], Script],
) -> SurveyReport:
    """Return assignment -> target -> the findings on its code."""
    known = Bindings(module_map, script_of)
    paths = [entries[stem] for stem in wanted.targets if stem in entries]
    reading = _Reading(known, _terms(wanted, map(script_of, paths)), wanted)
    graded = frozenset(entries.values())
    return {
        stem: {name: reading.target(entries[stem], name, graded) for name in names}
        for stem, names in wanted.targets.items()
        if stem in entries
    }


def _terms(wanted: Wanted, scripts: Iterable[Script]) -> SearchTerms:
    """Return what to note, without the patterns that have a word that no graded file has."""
    texts = (block.text for script in scripts for block in script.blocks)
    words = set().union(*map(words_of, texts)) if wanted.patterns else set()
    parts = {name.rpartition(".")[2] for name in wanted.names}
    return SearchTerms(frozenset(parts), Patterns(wanted.patterns, words))


class _Reading:
    """Reads each function and method once, whichever targets reach it."""

    def __init__(self, known: Bindings, terms: SearchTerms, wanted: Wanted) -> None:
        self._known, self._terms, self._wanted = known, terms, wanted
        self._facts: dict[Unit, list[Facts]] = {}
        self._called = _ALWAYS_CALLED.union(*wanted.methods.values())

    def target(self, path: str, name: str, graded: Collection[str]) -> TargetSurvey:
        """Report the findings on one target; `graded` are the files of all assignments."""
        units = self._reached(path, name)
        every = [facts for unit in units for facts in self._facts[unit]]
        # What is wrong in another assignment is told there.
        own = [facts for facts in every if facts.path == path or facts.path not in graded]
        return TargetSurvey(
            uses=_first(self._uses(every)),
            loops=_first(_places(every, "loops")),
            opaque=_first(_places(every, "opaque")),
            numbers=_first(_numbers(every)),
            again=_first(self._calls_itself(units)),
            places=_best_matches(own),
        )

    def _uses(self, every: Iterable[Facts]) -> Iterator[CodeUse]:
        for facts in every:
            for dotted, piece in sorted(facts.uses, key=lambda use: use[1].line):
                for name in self._wanted.names:
                    if is_use_of(dotted, name):
                        yield CodeUse(name, piece.text, facts.path, facts.cell, piece.line)
            for name in self._wanted.names:
                owner, _, method = name.rpartition(".")
                if owner == "torch.Tensor" and method in facts.methods:
                    line = facts.methods[method]
                    yield CodeUse(name, f".{method}()", facts.path, facts.cell, line)

    def _reached(self, path: str, name: str) -> list[Unit]:
        """List the units that a target's code can run through, its own first."""
        reached: dict[Unit, None] = {}
        waiting, idle = self._units(path, name), list[Unit]()
        mentioned: set[str] = set()
        while waiting:
            unit = waiting.pop(0)
            if unit in reached:
                continue
            if not self._is_called(unit, mentioned):
                idle.append(unit)
                continue
            reached[unit] = None
            for facts in self._read(unit):
                for other in sorted(facts.own):
                    waiting += [one for one in self._units(*other) if one not in reached]
                if not facts.attributes <= mentioned:
                    mentioned |= facts.attributes
                    waiting, idle = waiting + idle, []
        return list(reached)

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
                facts_of(nodes, (unit[0], binding.cell), self._known, self._terms)
                for binding in self._known.of(*unit[:2])
                if (nodes := _nodes(binding, unit[2]))
            ]
        return self._facts[unit]

    def _calls_itself(self, units: list[Unit]) -> Iterator[CodeFinding]:
        """Yield functions that call themselves: loops by another name."""
        for path, name, method in units:
            known = self._known.of(path, name)
            if method or len(known) != 1 or not isinstance(known[0].node, FUNCTIONS):
                continue
            if any((path, name) in facts.own for facts in self._facts[path, name, ""]):
                line = known[0].node.lineno
                yield CodeFinding(f"{name} calls itself", path, known[0].cell, line)


def is_use_of(dotted: str, name: str) -> bool:
    """Tell whether a dotted name is another one, lies in it, or is the same by another path.

    >>> is_use_of("torch._C._nn.gelu", "torch.nn.functional.gelu"), is_use_of("timm.layers", "timm")
    (True, True)
    >>> is_use_of("torch.nn.TransformerEncoder", "torch.nn.Transformer")
    False
    """
    if dotted == name or dotted.startswith(f"{name}."):
        return True
    (top, *inner), (wanted, *rest) = dotted.split("."), name.split(".")
    return top == wanted and bool(rest) and rest[-1] in inner


def _nodes(binding: NameBinding, method: str) -> list[ast.AST]:
    """Return the code of a unit: one method, or everything in it but its methods."""
    node = binding.node
    if not isinstance(node, ast.ClassDef):
        return [] if method or isinstance(node, (ast.Import, ast.ImportFrom)) else [node]
    if method:
        return [part for part in node.body if isinstance(part, FUNCTIONS) and part.name == method]
    around = [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
    return [*around, *(part for part in node.body if not isinstance(part, FUNCTIONS))]


def _places(every: Iterable[Facts], kind: str) -> Iterator[CodeFinding]:
    for facts in every:
        for piece in sorted(getattr(facts, kind), key=lambda piece: piece.line):
            yield CodeFinding(piece.text, facts.path, facts.cell, piece.line)


def _numbers(every: Iterable[Facts]) -> Iterator[NumberList]:
    for facts in every:
        for count, line in facts.numbers:
            yield NumberList(count, facts.path, facts.cell, line)


def _best_matches(every: Iterable[Facts]) -> dict[str, CodeSpot]:
    """Return the place of the best pattern of each group.

    Of equally good ones, code that is reached earlier counts.
    """
    best: dict[str, tuple[int, int, int, Facts]] = {}
    for order, facts in enumerate(every):
        for group, (rank, line) in facts.matches.items():
            if group not in best or (rank, order, line) < best[group][:3]:
                best[group] = (rank, order, line, facts)
    return {
        group: CodeSpot(facts.path, facts.cell, abs(line))
        for group, (_, _, line, facts) in sorted(best.items())
    }


def _first(rows: Iterable[RowT]) -> tuple[RowT, ...]:
    distinct: list[RowT] = []
    for row in rows:
        if row not in distinct:
            distinct.append(row)
        if len(distinct) == MOST_FINDINGS:
            break
    return tuple(distinct)
