"""A wrong number in a right formula is found, in a course of any subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
import torch

from grader.judge.checks.check_trace import FailedComparison
from grader.judge.diagnose.families import family_finding
from grader.judge.diagnose.knowledge import Family


def decay(x: torch.Tensor, *, number: float) -> torch.Tensor:
    return torch.exp(-number * x)


def rates(x: torch.Tensor) -> Mapping[str, float]:
    return {"1/n": 1 / len(x), "1": 1.0, "1/√n": len(x) ** -0.5}


FAMILY = Family(
    "fit.rate", ("decay",), decay, rates, "1/n", "{factor}exp(-{number} x), not {right}"
)


def pairs(student: Callable[[torch.Tensor], torch.Tensor]) -> list[FailedComparison]:
    generator = torch.Generator().manual_seed(5)
    inputs = [torch.rand(n, generator=generator, dtype=torch.float64) * 3 for n in (5, 9)]
    return [
        FailedComparison(student(x), decay(x, number=1 / len(x)), ((x,), {}), "decay")
        for x in inputs
    ]


@pytest.mark.parametrize(
    ("student", "told"),
    [
        (lambda x: torch.exp(-x), "exp(-1 x), not 1/n"),
        (lambda x: torch.exp(-x / len(x)) / len(x), "1/n · exp(-1/n x), not 1/n"),
        (lambda x: torch.exp(-x * len(x) ** -0.5) * 7, "7 · exp(-1/√n x), not 1/n"),
        (lambda x: torch.exp(-0.321 * x), "exp(-0.321 x), not 1/n"),
    ],
    ids=["number", "factor", "both", "number-without-a-name"],
)
def test_the_number_and_the_factor_are_found(
    student: Callable[[torch.Tensor], torch.Tensor], told: str
) -> None:
    found = family_finding(FAMILY, pairs(student))
    assert found is not None
    assert (found.id, found.text) == ("fit.rate", told)


@pytest.mark.parametrize(
    "student",
    [
        lambda x: torch.exp(-x / len(x)),
        lambda x: 1 / (1 + x),
        lambda x: torch.exp(-x) if len(x) == 5 else torch.exp(-2 * x),
        lambda x: torch.exp(-2 * x).to("meta"),
    ],
    ids=["right", "another-formula", "another-number-each-time", "no-numbers"],
)
def test_nothing_else_is_taken_for_it(student: Callable[[torch.Tensor], torch.Tensor]) -> None:
    assert family_finding(FAMILY, pairs(student)) is None


def test_one_answer_is_not_enough() -> None:
    assert family_finding(FAMILY, pairs(lambda x: torch.exp(-x))[:1]) is None


def test_an_answer_without_any_tensor_has_no_number() -> None:
    """A function without `return` was told no cause, for an error of ours."""
    nothing = [replace(pair, observed=None) for pair in pairs(torch.exp)]
    assert family_finding(FAMILY, nothing) is None
