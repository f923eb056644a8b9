"""One run of a check on the reference proves it, times it, and tells its names and values."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from grader.course.course import find_course
from grader.grade.evidence import Outcome
from grader.judge.bind.roles import Roles
from grader.judge.calls.client import LocalClient
from grader.judge.check_runner import CheckRunner
from grader.judge.checks.check_trace import CheckTrace, Draw, Match, match
from grader.judge.checks.checks import Check
from grader.judge.mutants.mutant_runs import AS_GRADED
from grader.judge.reference.references import References
from grader.messages.hello import hello

ROOT = Path(__file__).resolve().parents[2] / "toy_course"


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    references = References(ROOT, ("f1_filters", "f2_learned"))
    yield {"f1_filters": references.module("f1_filters")}
    sys.modules.pop("reference.f1_filters", None)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the checks that are run, in order."""
    seen: list[str] = []
    real = CheckRunner._run_on_references

    def noted(self: CheckRunner, check: Check, *rest: object) -> object:
        seen.append(check.id)
        return real(self, check, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(CheckRunner, "_run_on_references", noted)
    return seen


@pytest.fixture
def runner(modules: dict[str, ModuleType], runs: list[str]) -> CheckRunner:
    plans = hello(find_course(ROOT), ("f1.blur",)).exercises
    return CheckRunner(ROOT, "a seed", plans, modules, Roles())


def firm(runner: CheckRunner) -> Check:
    """A check that draws, keeps what it saw, and sees the same in every submission."""
    return next(check for check in runner.checks if "test_images_are_not_modified" in check.id)


def seen(
    runner: CheckRunner, modules: Mapping[str, ModuleType], draw: Draw = AS_GRADED
) -> CheckTrace:
    client = LocalClient(lambda stem, name: getattr(modules[stem], name), lambda name: False)
    client.in_words = False
    return runner.trace_on_references(firm(runner), modules, "", draw, client)


def test_one_run_serves_all(
    runner: CheckRunner, modules: dict[str, ModuleType], runs: list[str]
) -> None:
    check = firm(runner)

    assert runner.requested_names(check) == {"box_blur"}
    assert runner.proof_of(check) is None
    proven = seen(runner, runner._modules)
    assert runs == [check.id]

    runner.begin_submission()
    again = seen(runner, runner._modules)
    assert runs == [check.id] * 2
    assert match(proven, again) is Match.SAME
    assert (proven.outcome, proven.drew, proven.failure) == (Outcome.PASSED, again.drew, None)
    assert list(proven.drawn) == list(again.drawn)
    assert len(proven.compared) > 0


def test_another_draw_and_other_modules_are_run(
    runner: CheckRunner, modules: dict[str, ModuleType], runs: list[str]
) -> None:
    check = firm(runner)
    runner.proof_of(check)

    other = seen(runner, runner._modules, Draw(inputs="others"))
    seen(runner, {**modules})

    assert runs == [check.id] * 3
    assert match(other, seen(runner, runner._modules)) is Match.OTHER
