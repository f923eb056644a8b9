"""The second set of programs: what it calls wrong is wrong, by torch's own functions.

`python -m tests.restyled.anew prove` does the same for those with weights, in some seconds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.validate.data import read_course
from tests.restyled.anew.programs import HELD_OUT, PROBED, TUNED, unproven
from tests.restyled.anew.verdicts import KIND
from tests.restyled.by_hand import Program

FUNCTIONS = [program for program in (*TUNED, *HELD_OUT) if program.slug in PROBED]


@pytest.mark.parametrize("program", FUNCTIONS, ids=lambda program: program.style)
def test_a_program_does_as_torch_does_and_its_edits_do_not(program: Program) -> None:
    assert not unproven(program)


def test_an_edit_that_changes_nothing_is_no_mistake() -> None:
    heads = next(program for program in FUNCTIONS if program.slug == "a3.heads")
    assert unproven(replace(heads, mistakes=(("|nothing", "-1)", "dim=-1)"),)))


def test_every_name_of_a_mistake_is_in_the_bank() -> None:
    programs = (*TUNED, *HELD_OUT)
    mistakes = [mistake for program in programs for mistake, _, _ in program.mistakes]
    names = {name for mistake in mistakes for name in mistake.split()}
    known = {
        each.entry.id for each in read_course(find_course(Path(__file__).parent)).misconceptions
    }
    assert {name for name in names if not name.startswith(KIND)} <= known
