"""The second and third set of programs: what they call wrong is wrong, by an oracle.

`python -m tests.restyled.anew prove` does the same for those with weights, in some seconds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.validate.data import read_course
from tests.restyled.anew.programs import HELD_OUT, PROBED, TUNED, unproven
from tests.restyled.anew.third import MADE, THIRD, unproven_of_third
from tests.restyled.anew.verdicts import KIND
from tests.restyled.by_hand import Program

FUNCTIONS = [program for program in (*TUNED, *HELD_OUT) if program.slug in PROBED]


@pytest.mark.parametrize("program", FUNCTIONS, ids=lambda program: program.style)
def test_a_program_does_as_torch_does_and_its_edits_do_not(program: Program) -> None:
    assert not unproven(program)


def test_an_edit_that_changes_nothing_is_no_mistake() -> None:
    heads = next(program for program in FUNCTIONS if program.slug == "a3.heads")
    assert unproven(replace(heads, mistakes=(("|nothing", "-1)", "dim=-1)"),)))


@pytest.mark.parametrize(
    "program", [p for p in THIRD if p.slug not in MADE], ids=lambda program: program.style
)
def test_a_program_does_as_the_reference_does_and_its_edits_do_not(program: Program) -> None:
    assert not unproven_of_third(program)


def test_a_program_unlike_the_reference_is_not_right() -> None:
    scores = next(program for program in THIRD if program.slug == "a1.scores")
    _, text, by = scores.mistakes[0]
    spoilt = replace(scores, source=scores.source.replace(text, by), mistakes=())
    assert unproven_of_third(spoilt) == ["a1.scores, pair by pair: is not right"]


def test_every_name_of_a_mistake_is_in_the_bank() -> None:
    programs = (*TUNED, *HELD_OUT, *THIRD)
    mistakes = [mistake for program in programs for mistake, _, _ in program.mistakes]
    names = {name for mistake in mistakes for name in mistake.split()}
    known = {
        each.entry.id for each in read_course(find_course(Path(__file__).parent)).misconceptions
    }
    assert {name for name in names if not name.startswith(KIND)} <= known
