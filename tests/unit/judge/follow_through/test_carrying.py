"""What a mistake that was made twice is told by: wrong numbers, and enough of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
import torch

from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import CheckTrace
from grader.judge.follow_through import carrying
from grader.judge.follow_through.carrying import ExerciseFailures, RepeatedMistakes
from grader.judge.mutants.mutant_runs import AGAIN

DRAWN = torch.randn(2, 3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
WRONG, OTHER_DRAW = DRAWN
RIGHT = CheckTrace(Outcome.PASSED, (WRONG / 2,))
RAISED = CheckTrace(Outcome.STUDENT_ERROR, ("RuntimeError",))
HALF_WAY = CheckTrace(Outcome.STUDENT_ERROR, (WRONG / 2, "RuntimeError"))


def failed(*seen: Any) -> CheckTrace:
    return CheckTrace(Outcome.FAILED, seen, drew=True)


NUMBERS = failed(WRONG)
CHANGED = failed((WRONG / 2, ["x"]))


@dataclass(frozen=True)
class Check:
    id: str
    fresh: bool = False


@dataclass
class Rehearsed:
    """What a mistake gives: the same in every check, and something else on another draw."""

    made: CheckTrace
    again: CheckTrace = field(default_factory=lambda: failed(OTHER_DRAW))

    def of(self, mistake: Any, check: Any, digest: str, draw: Any = None) -> CheckTrace:
        return self.again if draw is AGAIN else self.made

    def right(self, check: Any, digest: str, draw: Any = None) -> CheckTrace:
        return RIGHT


class NoRecord:
    """Rules nothing out."""

    def rules_out(self, mistake: Any, failing: Any) -> bool:
        return False


NO_RECORD: Any = NoRecord()


def is_carried(made: CheckTrace, checks: int, again: CheckTrace = NUMBERS) -> bool:
    """Whether it is where a student's code gives the very same."""
    seen: dict[Any, CheckTrace] = {Check(f"{number}"): made for number in range(checks)}
    failures = ExerciseFailures(seen, "", lambda check: again)
    rehearsed: Any = Rehearsed(made)
    twice: Any = ("first", "second")
    return (
        RepeatedMistakes(rehearsed, NO_RECORD).made_twice([twice], failures, failures) is not None
    )


def test_two_probes_with_wrong_numbers_are_enough() -> None:
    assert is_carried(NUMBERS, checks=2)


def test_one_is_asked_once_more_on_another_draw() -> None:
    assert is_carried(NUMBERS, checks=1, again=failed(OTHER_DRAW))
    assert not is_carried(NUMBERS, checks=1, again=failed(OTHER_DRAW + 1))
    assert not is_carried(NUMBERS, checks=1, again=RAISED)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(RAISED, id="an exception"),
        pytest.param(HALF_WAY, id="right numbers and then an exception"),
        pytest.param(failed(torch.zeros(3)), id="zeros"),
        pytest.param(failed("3 of 9 tokens"), id="words"),
        pytest.param(CHANGED, id="right numbers and a changed input"),
    ],
)
@pytest.mark.parametrize("checks", [1, 2, 9])
def test_anything_else_is_no_probe_however_often(
    made: CheckTrace, checks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_carried(made, checks, again=made)
    monkeypatch.setattr(carrying, "PROBES", 0)
    assert is_carried(made, checks, again=made), "nothing but the probes stands in its way"


def test_both_exercises_are_asked() -> None:
    numbers: Any = {Check("a"): NUMBERS, Check("b"): NUMBERS}
    nothing: Any = {}
    pair: Any = ("first", "second")
    rehearsed: Any = Rehearsed(NUMBERS)
    full, empty = (ExerciseFailures(seen, "", lambda check: RAISED) for seen in (numbers, nothing))
    told: Any = RepeatedMistakes(rehearsed, NO_RECORD).made_twice
    assert told([pair], full, full) == "second"
    assert told([pair], empty, full) is told([pair], full, empty) is told([], full, full) is None


@pytest.mark.parametrize("ruled_out", ["first", "second"])
def test_what_a_record_rules_out_is_not_run(ruled_out: str) -> None:
    class Record:
        def rules_out(self, mistake: Any, failing: Any) -> bool:
            return bool(mistake == ruled_out)

    class NeverRun:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"{name} was asked for")

    numbers: Any = {Check("a"): NUMBERS}
    failures = ExerciseFailures(numbers, "", lambda check: RAISED)
    record: Any = Record()
    never: Any = NeverRun()
    pair: Any = ("first", "second")
    assert RepeatedMistakes(never, record).made_twice([pair], failures, failures) is None
