"""Mistakes of two assignments that are the same one of the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.judge.mutants.mutants import KnownMistake, Mutants
from grader.judge.reference.references import References

COURSE = find_course(Path(__file__).parent)
STEMS = sorted({exercise.assignment for exercise in COURSE.rubric.exercises.values()})


@pytest.fixture(scope="module")
def mutants() -> Mutants:
    return Mutants(COURSE.root, References(COURSE.root, STEMS))


def shared(first: KnownMistake, second: KnownMistake) -> set[str]:
    return {*first.entry.mistakes} & {*second.entry.mistakes}


@pytest.mark.parametrize("earlier", STEMS[::2])
@pytest.mark.parametrize("later", STEMS[1::2])
def test_each_two_that_share_one_are_a_pair(mutants: Mutants, earlier: str, later: str) -> None:
    """In the order of the course, each once: the first that explains both exercises is told."""
    both = ((first, second) for first in mutants.of(earlier) for second in mutants.of(later))
    assert mutants.pairs(earlier, later) == tuple(pair for pair in both if shared(*pair))
    assert mutants.pairs(earlier, later)


def test_pairs_are_looked_for_once(mutants: Mutants) -> None:
    assert mutants.pairs(*STEMS[:2]) is mutants.pairs(*STEMS[:2])
