"""List what a group may have written: edits of the reference by the grammar, and known mistakes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from ...course.misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    apply_misconception,
)
from ...course.scope import Definition
from ..data import CourseData, Edited, read_course
from ..edits.change import Operator
from ..edits.generation import OPERATORS, WIDER_OPERATORS, Mutant, mutants
from ..edits.learnt import LearntRule, operators, rules
from ..edits.state import KEPT
from ..survivors import MutantTrial, mutant_trials
from .statement_lines import definitions

MOST_LEARNT = 600
"""The most edits of an exercise that are made of the rules learnt from known mistakes."""
AT_ONCE = 50
"""The rules that are tried together, so that the likeliest edits come first."""


@dataclass(frozen=True)
class CandidateEdit:
    """A text of one reference with one or two edits in it."""

    stem: str
    definition: str
    """The function or class at the top of the file in which the edits are."""
    source: str
    edits: tuple[str, ...]
    """Each edit in words: its kind, and the text before and after; or a known mistake's id."""
    lines: tuple[int, ...]
    """The line of each edit in the reference; 0 for a known mistake, which has its id."""
    helpers: tuple[str, ...] = ()
    """What a student's own text needs of the rest of their file."""
    unusual: str = ""
    """A name in a student's own text that no exercise needs, such as `open`."""

    @property
    def id(self) -> str:
        """Return the candidate in a line, as no other one of the course is called."""
        pairs = zip(self.lines, self.edits, strict=True)
        edits = (f"line {line}: {edit}" if line else edit for line, edit in pairs)
        return f"{self.stem}.{self.definition}: {' and '.join(edits)}"

    @property
    def place(self) -> Definition:
        return self.stem, self.definition

    @property
    def remembers(self) -> bool:
        """Tell whether an edit keeps something: then a check alone shows other numbers."""
        return any(edit.startswith(KEPT) for edit in self.edits)


def learnt_rules(data: CourseData) -> tuple[LearntRule, ...]:
    """Return the changes that the known mistakes of a course make, as rules for other places."""
    trees: dict[Definition, ast.AST | None] = {}
    pairs = []
    for each in data.misconceptions:
        place = each.stem, each.entry.target.partition(".")[0]
        if place not in trees:
            trees[place] = _tree(data.references[each.stem], place[1])
        right, wrong = trees[place], _tree(each.source, place[1])
        if right is not None and wrong is not None:
            pairs.append((each.entry.id, right, wrong))
    return rules(pairs)


def _tree(source: str, name: str) -> ast.AST | None:
    return definitions(ast.parse(source)).get(name)


class Candidates:
    """The candidates of one exercise."""

    def __init__(self, data: CourseData, slug: str) -> None:
        self._data, self._slug = data, slug
        self._edited: dict[tuple[str, str], list[Mutant]] = {}

    @cached_property
    def single(self) -> tuple[CandidateEdit, ...]:
        """Return every known mistake and every edit that the exercise can see."""
        return (*map(_of_known, self._known), *self._by(OPERATORS))

    @cached_property
    def wider(self) -> tuple[CandidateEdit, ...]:
        """Return the edits that are tried where none of `single` computes the same."""
        texts = {one.source for one in self.single}
        return tuple(one for one in self._by(WIDER_OPERATORS) if one.source not in texts)

    @cached_property
    def learnt(self) -> tuple[CandidateEdit, ...]:
        """Return the edits that known mistakes of other places make here, the likeliest first."""
        return tuple(islice(self._as_elsewhere(), MOST_LEARNT))

    def _as_elsewhere(self) -> Iterator[CandidateEdit]:
        rules = learnt_rules(read_course(self._data.course))
        texts = {one.source for one in (*self.single, *self.wider)}
        for start in range(0, len(rules), AT_ONCE):
            for one in self._by(operators(rules[start : start + AT_ONCE])):
                if one.source not in texts:
                    texts.add(one.source)
                    yield one

    @cached_property
    def _known(self) -> tuple[Edited, ...]:
        known = self._data.misconceptions
        return tuple(each for each in known if self._slug in each.slugs)

    def _by(self, operators: Sequence[Operator]) -> Iterator[CandidateEdit]:
        for each in mutant_trials(self._data, operators):
            if self._slug in each.slugs:
                yield _of_edit(each)

    def both(self, first: CandidateEdit, second: CandidateEdit) -> CandidateEdit | None:
        """Return both edits in one text; None if they do not fit beside each other."""
        if first.place != second.place:
            return None
        source = self._with(second, first.source)
        if source is None or source in (first.source, second.source):
            return None
        edits, lines = first.edits + second.edits, first.lines + second.lines
        return CandidateEdit(first.stem, first.definition, source, edits, lines)

    def _with(self, single: CandidateEdit, source: str) -> str | None:
        (edit,), (line,) = single.edits, single.lines
        if not line:
            return next(_applied(one, source) for one in self._known if one.entry.id == edit)
        fitting = [
            each
            for each in self._mutants(source, single.definition)
            if _in_words(each) == edit and each.line == line
        ]
        return fitting[0].source if len(fitting) == 1 else None

    def _mutants(self, source: str, definition: str) -> list[Mutant]:
        key = source, definition
        if key not in self._edited:
            every = (mutants(source, definition, some) for some in (OPERATORS, WIDER_OPERATORS))
            self._edited[key] = [mutant for some in every for mutant in some]
        return self._edited[key]


def _of_known(each: Edited) -> CandidateEdit:
    name = each.entry.target.partition(".")[0]
    return CandidateEdit(each.stem, name, each.source, (each.entry.id,), (0,))


def _of_edit(trial: MutantTrial) -> CandidateEdit:
    one = trial.mutant
    return CandidateEdit(trial.stem, one.definition, one.source, (_in_words(one),), (one.line,))


def _in_words(mutant: Mutant) -> str:
    return f"{mutant.operator}: {mutant.before} -> {mutant.after}"


def _applied(known: Edited, source: str) -> str | None:
    assert isinstance(known.entry, Misconception)
    try:
        return apply_misconception(source, known.entry, Origin(known.place, {known.entry.id: 1}))
    except MisconceptionError:
        return None


def in_pairs(ranked: list[CandidateEdit]) -> Iterator[tuple[CandidateEdit, CandidateEdit]]:
    """Yield pairs of candidates, those first whose members stand first in the ranking."""
    for last in range(1, len(ranked)):
        for first in range(last):
            yield ranked[first], ranked[last]
