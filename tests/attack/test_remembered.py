"""Answers that are remembered earn nothing: who asks twice asks the second time in another process.

Code that computes nothing, keeps what it was given and what it said, and answers what it knows
again as before, wins no hidden check of the course that it would not win without its memory. The
control asks everything in one process: there the same code wins.

The same holds for who has worked out at home what the public checks ask: their inputs and right
answers win no hidden check. There the control is a public check, asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from grader.course.course import find_course
from grader.course.rubric import Visibility
from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import Draw
from grader.judge.checks.checks import Check
from grader.judge.grading import Grading
from grader.messages.exercise_plan import ExercisePlan
from tests.attack.remembering import KINDS, OneProcess, TwoProcesses

ROOT = Path(__file__).resolve().parents[2]
DRAW = Draw("remembered")
WON = {
    "a1.simple/structure/test_samples_keep_to_themselves": "beginning",
    "a1.modules/conversion/test_same_weights[widths-differ]": "whole",
    "a2.causal_attention/masking/test_future_tokens_stay_hidden[next]": "beginning",
    "a3.wrapper/masking/test_future_tokens_stay_hidden": "beginning",
    "a3.mha/masking/test_future_tokens_stay_hidden": "beginning",
    "a3.packed/masking/test_hidden_tokens_do_not_matter[for-all]": "allowed",
    "a3.cross/masking/test_padding_does_not_matter[usual]": "allowed",
    "a3.gqa/groups/test_neighbours_share[one-W_key]": "whole",
}
"""Check -> a kind of memory that wins it where one process is asked everything."""

COURSE = find_course(Path(__file__).parent)


@cache
def graded(slug: str) -> tuple[Grading, Mapping[str, ModuleType], ExercisePlan]:
    exercise = COURSE.rubric.exercises[slug]
    hidden = frozenset(
        n for n, c in exercise.criteria.items() if c.visibility is not Visibility.PUBLIC
    )
    suites = tuple(map(str, COURSE.suite_files(exercise)))
    plan = ExercisePlan(slug, exercise.assignment, exercise.targets, suites, hidden)
    grading = Grading(COURSE.root, "a seed", [plan], False, COURSE.rubric.assignments.values())
    return grading, grading._modules, plan


def won(slug: str, check: Check, client: OneProcess) -> bool:
    grading, modules, _plan = graded(slug)
    trace = grading._runner.trace_on_references(check, modules, "digest", DRAW, client)
    return trace.outcome is Outcome.PASSED


def hidden_checks(slug: str) -> Iterator[Check]:
    return (check for check in graded(slug)[0].checks if check.hidden and not check.fresh)


def gained(slug: str, kind: type[OneProcess]) -> dict[str, str]:
    """Check -> the kind of memory that wins it, of those that are lost without any memory."""
    _grading, modules, plan = graded(slug)
    found = {}
    for check in hidden_checks(slug):
        for memory in KINDS:
            if won(slug, check, kind(modules, plan.targets, memory, True)):
                if not won(slug, check, kind(modules, plan.targets, memory, False)):
                    found[check.id] = memory
                break
    return found


@pytest.mark.parametrize("slug", COURSE.rubric.exercises)
def test_a_memory_wins_nothing(slug: str) -> None:
    assert gained(slug, TwoProcesses) == {}


@pytest.mark.parametrize("id", WON)
def test_control_a_memory_wins_where_one_process_is_asked(id: str) -> None:
    slug = id.partition("/")[0]
    _grading, modules, plan = graded(slug)
    (check,) = (check for check in hidden_checks(slug) if check.id == id)
    assert not won(slug, check, OneProcess(modules, plan.targets, WON[id], False))
    assert won(slug, check, OneProcess(modules, plan.targets, WON[id], True))


def public_checks(slug: str) -> Iterator[Check]:
    return (check for check in graded(slug)[0].checks if not check.hidden and not check.fresh)


def prepared(slug: str, kind: str, remembers: bool = True) -> OneProcess:
    """Wrong code with the right answers to all public checks in its memory."""
    _grading, modules, plan = graded(slug)
    client = OneProcess(modules, plan.targets, kind, remembers)
    client.memory.learns = True
    for check in public_checks(slug):
        won(slug, check, client)
    client.memory.learns, client.memory.is_closed = False, True
    return client


@pytest.mark.parametrize("slug", COURSE.rubric.exercises)
def test_answers_to_public_checks_win_no_hidden_one(slug: str) -> None:
    by_heart, blank = prepared(slug, "whole"), prepared(slug, "whole", remembers=False)
    winning = [check for check in hidden_checks(slug) if won(slug, check, by_heart)]
    assert [check.id for check in winning if not won(slug, check, blank)] == []


@pytest.mark.parametrize("slug", ["a1.sdpa", "a2.causal_attention", "a3.mha", "a4.vit"])
def test_control_answers_to_public_checks_win_these(slug: str) -> None:
    by_heart, blank = prepared(slug, "whole"), prepared(slug, "whole", remembers=False)
    ids = {c.id for c in public_checks(slug) if won(slug, c, by_heart)}
    assert ids - {c.id for c in public_checks(slug) if won(slug, c, blank)}
