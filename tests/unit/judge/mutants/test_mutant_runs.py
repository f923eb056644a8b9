"""A judge keeps few known mistakes at a time, and of all what the checks saw of them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from grader.course.paths import CoursePaths
from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import CheckTrace
from grader.judge.mutants import mutant_runs, mutants
from grader.judge.mutants.mutant_runs import MutantRuns
from grader.judge.mutants.mutants import Mutants
from grader.judge.recorded.kept_runs import KeptRuns
from grader.judge.reference.references import References

TOY = Path(__file__).resolve().parents[3] / "toy_course"
STEM = "f1_filters"
FEW = 3


@dataclass(frozen=True)
class Exercise:
    assignment: str = STEM


@dataclass(frozen=True)
class Check:
    id: str
    fresh: bool = False
    alone: bool = False
    exercise: Exercise = field(default_factory=Exercise)


@dataclass
class Runner:
    """Counts the runs of checks, and says what they would see."""

    ran: list[str] = field(default_factory=list)

    def trace_on_references(
        self, check: Any, modules: Mapping[str, ModuleType], digest: str, draw: Any, client: Any
    ) -> CheckTrace:
        self.ran.append(check.id)
        return CheckTrace(Outcome.FAILED, [modules[STEM].__name__])


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Mutants:
    """The known mistakes of the toy course, of which few are kept."""
    for module in (mutants, mutant_runs):
        monkeypatch.setattr(module, "MAX_MADE", FEW)
    return Mutants(TOY, References(TOY, [STEM]))


def alive(made: Mutants) -> int:
    """So many of all mistakes are still there after each was asked for."""
    seen = [weakref.ref(made.made(mistake, STEM)) for mistake in made.of(STEM)]
    gc.collect()
    return sum(module() is not None for module in seen)


def test_the_latest_mistakes_are_kept_and_no_others(
    made: Mutants, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert alive(made) == FEW
    last = made.of(STEM)[-1]
    assert made.made(last, STEM) is made.made(last, STEM)

    monkeypatch.setattr(mutants, "MAX_MADE", 1000)
    assert alive(made) == len(made.of(STEM)) > 2 * FEW


def test_what_a_check_saw_of_a_mistake_that_is_gone_is_known(made: Mutants) -> None:
    runner = Runner()
    runs = MutantRuns({STEM: ModuleType(STEM)}, made, runner)
    known, fresh = made.of(STEM), Check("other", fresh=True)
    first = [runs.of(mistake, Check("one"), "") for mistake in known]  # type: ignore[arg-type]
    again = [runs.of(mistake, Check("one"), "") for mistake in known]  # type: ignore[arg-type]
    assert again == first
    assert runner.ran == ["one"] * len(known)

    for _time in range(2):
        runs.of(known[0], fresh, "")  # type: ignore[arg-type]
    assert runner.ran[len(known) :] == ["other", "other"]


@pytest.mark.parametrize(
    ("outcome", "fresh", "runs"),
    [(Outcome.FAILED, True, 0), (Outcome.PASSED, False, 1), (Outcome.PASSED, True, 2)],
    ids=["it fails by it", "remembered", "fresh"],
)
def test_the_reference_is_run_only_where_a_mistake_passes(
    made: Mutants, outcome: Outcome, fresh: bool, runs: int
) -> None:
    runner = Runner()
    known: Any = MutantRuns({STEM: ModuleType(STEM)}, made, runner)
    trace = CheckTrace(outcome, ["seen"])
    for _time in range(2):
        assert known.changes(made.of(STEM)[0], Check("one", fresh=fresh), "", trace)
    assert len(runner.ran) == runs


def test_of_a_check_that_a_mistake_passes_little_is_kept(made: Mutants) -> None:
    right = torch.arange(100.0)

    class Passing(Runner):
        def trace_on_references(
            self, check: Any, modules: Mapping[str, ModuleType], digest: str, draw: Any, client: Any
        ) -> CheckTrace:
            changes = check.id == "changed" and modules is not runs._modules
            return CheckTrace(Outcome.PASSED, [right + 1 if changes else right.clone()])

    runs: Any = MutantRuns({STEM: ModuleType(STEM)}, made, Passing())
    mistake = made.of(STEM)[0]
    same, changed = Check("same"), Check("changed")
    assert runs.of(mistake, same, "") is runs.right(same, "")
    assert not runs.changes(mistake, same, "", runs.of(mistake, same, ""))

    assert not isinstance(runs.of(mistake, changed, "").compared[0], torch.Tensor)
    assert runs.changes(mistake, changed, "", runs.of(mistake, changed, ""))


def test_a_mistake_that_is_made_anew_is_called_and_not_the_old_one(made: Mutants) -> None:
    called: list[tuple[ModuleType, Any]] = []

    class Noted(Runner):
        def trace_on_references(
            self, check: Any, modules: Mapping[str, ModuleType], digest: str, draw: Any, client: Any
        ) -> CheckTrace:
            called.append((modules[STEM], client))
            return CheckTrace(Outcome.PASSED)

    runs = MutantRuns({STEM: ModuleType(STEM)}, made, Noted())
    first, *others = made.of(STEM)
    for mistake in (first, first, *others[:FEW], first):
        runs.of(mistake, Check("fresh", fresh=True), "")  # type: ignore[arg-type]

    (old, client), (same, again), *_between, (new, another) = called
    assert old is same and client is again
    assert new is not old and another is not client


def test_what_another_process_has_run_is_neither_run_nor_made(
    made: Mutants, tmp_path: Path
) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "rubric.yaml").touch()
    check, fresh = Check("a/outputs/test_one"), Check("a/outputs/test_two", fresh=True)
    mistake = made.of(STEM)[0]
    modules = {STEM: References(TOY, [STEM]).module(STEM)}
    seen = []
    for _process in range(2):
        runner = Runner()
        kept = KeptRuns(CoursePaths(tmp_path), "a seed")
        runs: Any = MutantRuns(modules, made, runner, None, kept)
        seen.append((runs.of(mistake, check, ""), runs.of(mistake, fresh, ""), runner.ran))
        runs.write()

    (first, _fresh, ran), (second, _fresh_again, ran_again) = seen
    assert (ran, ran_again) == ([check.id, fresh.id], [fresh.id])
    assert list(first.compared) == list(second.compared)
