"""How a wrong mask differs from the right one is told, and nothing that does not hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from grader.judge.diagnose.truths import truth_finding

CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
WORDS = {5: "tokens"}


@pytest.mark.parametrize(
    ("change", "id", "told"),
    [
        (lambda m: ~m, "value.inverted", "every True should be False, and every False True"),
        (lambda m: m.mT, "value.transposed", "the entries are right with axes 0 and 1 swapped"),
        (lambda m: m.flip(0), "value.permuted", "the entries of axis 0 are in the opposite order"),
        (
            lambda m: torch.ones_like(m).tril(1),
            "value.shifted",
            "along axis 1 (tokens) the entries are shifted by 1 towards the end",
        ),
        (
            lambda m: torch.ones_like(m).tril(-2),
            "value.shifted",
            "along axis 1 (tokens) the entries are shifted by 2 towards the start",
        ),
        (
            lambda m: torch.ones_like(m),
            "value.constant",
            "every entry is True",
        ),
        (
            lambda m: m & (torch.arange(5) != 2),
            "value.too_few",
            "all that is True should be, and some entries are missing",
        ),
        (
            lambda m: m | (torch.arange(5) == 2),
            "value.too_many",
            "all that should be True is, and some entries more",
        ),
    ],
    ids=["inverted", "turned", "flipped", "wide", "narrow", "all", "fewer", "more"],
)
def test_a_wrong_mask_in_words(
    change: Callable[[torch.Tensor], torch.Tensor], id: str, told: str
) -> None:
    found = truth_finding(change(CAUSAL), CAUSAL, WORDS)
    assert found is not None
    assert (found.id, found.text) == (id, told)


def test_hidden_checks_tell_no_numbers() -> None:
    found = truth_finding(torch.ones_like(CAUSAL).tril(1), CAUSAL, WORDS)
    assert found is not None
    assert found.in_words(hidden=True) == "the edge of what is True is shifted"


@pytest.mark.parametrize(
    "observed",
    [CAUSAL, CAUSAL[:3], CAUSAL.float(), torch.tensor(True), CAUSAL ^ torch.eye(5).flip(0).bool()],
    ids=["right", "other-shape", "numbers", "no-axis", "both-ways"],
)
def test_anything_else_is_left_alone(observed: torch.Tensor) -> None:
    assert truth_finding(observed, CAUSAL, WORDS) is None
