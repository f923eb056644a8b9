"""Full marks for nothing through a mistake that was paid for: a class that only raises.

A cheap slip in an earlier exercise raises, and so does a known mistake of the later one; code of
the later one that only raises the same looks like that mistake in most checks, and is carried in
none. Graded as a whole they are `raising_after_a_cheap_slip` and `raising_after_a_slip_in_sdpa` in
`tests/corpus/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from grader.course.course import find_course
from grader.course.rubric import Visibility
from grader.grade.evidence import Outcome
from grader.judge.calls.client import LocalClient
from grader.judge.checks.check_trace import CheckTrace, same
from grader.judge.checks.checks import Check
from grader.judge.follow_through.carrying import ExerciseFailures, RepeatedMistakes
from grader.judge.grading import Grading
from grader.judge.mutants.mutant_runs import AGAIN, AS_GRADED
from grader.judge.mutants.mutants import KnownMistake, Mutants
from grader.messages.exercise_plan import ExercisePlan

COURSE = find_course(Path(__file__).parent)
DIGEST = "a digest"


@dataclass(frozen=True)
class Case:
    """A slip that raises, and a class that raises the same and nothing else."""

    earlier: str
    slip: str
    later: str
    target: str
    mistake: str
    error: type[Exception]


CASES = (
    Case(
        "a3.heads", "heads.split_needs_order_in_memory",
        "a3.mha", "MultiHeadAttention", "mha.view_after_transpose", RuntimeError,
    ),
    Case(
        "a3.heads", "heads.split_needs_order_in_memory",
        "a3.cross", "CrossAttention", "cross.view_after_transpose", RuntimeError,
    ),
    Case(
        "a3.heads", "heads.split_needs_order_in_memory",
        "a3.gqa", "GroupedQueryAttention", "gqa.view_after_transpose", RuntimeError,
    ),
    Case(
        "a1.sdpa", "sdpa.mask_fill",
        "a2.causal_attention", "CausalAttention", "causal.mask_fill", AttributeError,
    ),
)  # fmt: skip


def plan(slug: str) -> ExercisePlan:
    exercise = COURSE.rubric.exercises[slug]
    hidden = frozenset(
        n for n, c in exercise.criteria.items() if c.visibility is not Visibility.PUBLIC
    )
    suites = tuple(map(str, COURSE.suite_files(exercise)))
    return ExercisePlan(slug, exercise.assignment, exercise.targets, suites, hidden)


@dataclass(frozen=True)
class Graded:
    """Both exercises of a case, graded: the slip by itself, and the class that only raises."""

    grading: Grading
    slip: KnownMistake
    mistake: KnownMistake
    earlier: ExerciseFailures
    later: ExerciseFailures


@cache
def graded(case: Case) -> Graded:
    plans = [plan(case.earlier), plan(case.later)]
    grading = Grading(COURSE.root, "a seed", plans, False, COURSE.rubric.assignments.values())
    mutants = grading._follow_through._mutants
    slip = known(mutants, plans[0].assignment, case.slip)
    mistake = known(mutants, plans[1].assignment, case.mistake)
    slipped = mutants.made(slip, plans[0].assignment)
    assert slipped is not None
    module = grading.references[plans[1].assignment]
    raising: Any = SimpleNamespace(**vars(module))
    setattr(raising, case.target, only_raising(getattr(module, case.target), case.error))
    return Graded(
        grading,
        slip,
        mistake,
        failures(grading, case.earlier, {plans[0].assignment: slipped}),
        failures(grading, case.later, {plans[1].assignment: raising}),
    )


def known(mutants: Mutants, stem: str, id: str) -> KnownMistake:
    (mistake,) = (one for one in mutants.of(stem) if one.entry.id == id)
    return mistake


def only_raising(made: type, error: type[Exception]) -> type:
    def forward(self: Any, *args: Any, **kwargs: Any) -> None:
        raise error

    return type(made.__name__, (made,), {"forward": forward})


def failures(grading: Grading, slug: str, written: Mapping[str, ModuleType]) -> ExerciseFailures:
    """The failing checks of an exercise, where these modules were written for the reference's."""
    modules = {**grading.references, **written}
    client = LocalClient(lambda stem, name: getattr(modules[stem], name), lambda _name: False)

    def run(check: Check, draw: Any = AGAIN) -> CheckTrace:
        return grading._runner.trace_on_references(check, modules, DIGEST, draw, client)

    checks = [check for check in grading.checks if check.exercise.slug == slug]
    traces = {check: run(check, AS_GRADED) for check in checks}
    failing = {c: one for c, one in traces.items() if one.outcome is not Outcome.PASSED}
    return ExerciseFailures(failing, DIGEST, run)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.later)
def test_a_class_that_only_raises_is_carried_by_no_slip(case: Case) -> None:
    found = graded(case)
    pairs = [(found.slip, found.mistake)]

    repeated = RepeatedMistakes(found.grading._mutant_runs, found.grading._kill_records)
    assert repeated.made_twice(pairs, found.earlier, found.later) is None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.later)
def test_control_it_raises_what_the_mistake_raises_in_most_checks(case: Case) -> None:
    """Whoever believes an exception check by check, as was done once, carries these."""
    found = graded(case)
    runs = found.grading._mutant_runs
    alike = []
    for check, trace in found.later.traces.items():
        made = runs.of(found.mistake, check, DIGEST)
        if made is not None and made.outcome is trace.outcome is Outcome.STUDENT_ERROR:
            alike += [check.id] if same(made.compared, trace.compared) else []

    assert found.earlier.traces
    assert set(found.slip.entry.mistakes) & set(found.mistake.entry.mistakes)
    assert len(alike) > len(found.later.traces) / 2
