"""What several failing checks show together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import CheckTrace, FailedComparison
from grader.judge.diagnose.knowledge import Knowledge
from grader.judge.diagnose.observed import observed_causes

NO_SUITE = SimpleNamespace(module=SimpleNamespace())
X = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
NAN = X * torch.nan
MASKED = X.masked_fill(X > 0, -torch.inf)


@dataclass(eq=False)
class HiddenCheck:
    """As much of a check as is asked for here."""

    id: str
    hidden: bool = True
    item: Any = field(default_factory=lambda: NO_SUITE)


def check(id: str) -> Any:
    return HiddenCheck(id)


def failed(given: torch.Tensor, reason: tuple[str, str] | None = None) -> CheckTrace:
    """Return the trace of a check in which everything came out NaN."""
    failure = FailedComparison(NAN, X, ((given,), {}))
    return CheckTrace(Outcome.FAILED, failure=failure, reason=reason)


def ids(first: CheckTrace, second: CheckTrace, explained: CheckTrace | None = None) -> list[str]:
    others = {} if explained is None else {check("known"): explained}
    failing = {check("a"): first, check("b"): second}
    causes = observed_causes(Knowledge(), failing, others, lambda _: None)
    return [causes[id].id if id in causes else "" for id in ("a", "b")]


def test_large_numbers_overflow_if_nothing_else_is_nan() -> None:
    assert ids(failed(100 * X), failed(200 * X)) == ["infinity.overflow"] * 2
    assert ids(failed(100 * X), failed(X)) == ["nan.everywhere"] * 2


def test_a_known_mistake_that_gives_nan_for_ordinary_numbers_counts_too() -> None:
    assert ids(failed(100 * X), failed(100 * X), failed(X)) == ["nan.everywhere"] * 2
    assert ids(failed(100 * X), failed(100 * X), failed(200 * X)) == ["infinity.overflow"] * 2


def test_infinities_that_were_handed_in_tell_nothing_of_large_numbers() -> None:
    assert ids(failed(100 * X), failed(MASKED)) == ["infinity.overflow", "nan.everywhere"]


@pytest.mark.parametrize(
    ("id", "left"), [("mode.another_each_time", ""), ("mode.same_in_each_call", "leak.depends")]
)
def test_what_varies_by_itself_says_nothing_of_what_it_depends_on(id: str, left: str) -> None:
    assert ids(failed(X, (id, "…")), failed(X, ("leak.depends", "…"))) == [id, left]


def test_a_length_that_checks_read_in_two_ways_is_read_in_none() -> None:
    def texts(*shapes: tuple[int, int]) -> list[str]:
        failing = {
            check(str(length)): CheckTrace(
                Outcome.FAILED,
                failure=FailedComparison(torch.ones(2, length), torch.ones(2, right), ((), {})),
            )
            for length, right in shapes
        }
        causes = observed_causes(Knowledge(), failing, {}, lambda _: None)
        return [cause.text for cause in causes.values()]

    one = "you returned (2, 5) in place of (2, 6)"
    assert texts((5, 6)) == [f"{one}: along axis 1 one is missing"]
    assert texts((5, 6), (4, 6))[0] == f"{one}: along axis 1 one is missing"
    assert texts((5, 6), (8, 7))[0] == one


def test_none_in_place_of_an_answer_and_a_failed_assert_are_told() -> None:
    nothing = CheckTrace(Outcome.FAILED, (torch.zeros(2), None))
    refused = CheckTrace(Outcome.STUDENT_ERROR, ("AssertionError",))
    assert ids(nothing, refused) == ["returned.none", "raised.assertion"]


def test_a_raise_of_the_code_itself_is_told_whatever_its_words_are() -> None:
    words = "masks must have the same size"
    raised = CheckTrace(Outcome.STUDENT_ERROR, ("ValueError",), words)
    assert ids(replace(raised, refused=True), raised) == ["raised.refused", ""]
