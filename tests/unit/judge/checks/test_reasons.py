"""The reasons that checks of the suites can prove, and what they must not take for one."""

from __future__ import annotations

import torch

from tests.suites import reasons

T = 4
OTHERS = ~torch.eye(T, dtype=torch.bool)
LATER = torch.ones(2, T, T, dtype=torch.bool).tril()
LATER[1, 2, 0] = False


def test_a_mask_read_the_other_way_round_is_named() -> None:
    named = reasons.reading_of(LATER.mT, LATER, OTHERS, False)
    assert named == reasons.TRANSPOSED


def test_an_inverted_mask_is_named() -> None:
    assert reasons.reading_of(~LATER, LATER, OTHERS, False) == reasons.INVERTED


def test_the_first_samples_mask_for_all_is_named() -> None:
    seen = LATER[:1].expand_as(LATER)
    assert reasons.reading_of(seen, LATER, OTHERS, False) == reasons.OF_THE_FIRST_SAMPLE


def test_that_everybody_is_seen_is_not_yet_a_mask_without_effect() -> None:
    """A softmax over the queries lets everybody be seen, too, and the mask has an effect."""
    everybody = torch.ones_like(LATER)
    assert reasons.reading_of(everybody, LATER, OTHERS, False) is None
    assert reasons.reading_of(everybody, LATER, OTHERS, True) == reasons.WITHOUT_EFFECT


def test_readings_that_cannot_be_told_apart_are_none() -> None:
    """Of one mask for all, the first sample's is everybody's; a symmetric one has no other way."""
    alike = (torch.eye(T) + torch.eye(T).flip(0)).bool().expand(2, T, T)
    assert reasons.reading_of(alike, alike, OTHERS, False) is None


def test_hidden_values_in_equal_parts_prove_a_fill() -> None:
    hidden = torch.randn(5, 3, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    wanted = torch.zeros(5, 2, dtype=torch.float64)
    shared = hidden.mean(1).clone()
    shared[3:] = 0.0
    assert reasons.filled_with_a_number(shared, wanted, hidden) == reasons.FILLED_WITH_A_NUMBER
    assert reasons.filled_with_a_number(shared * 1.5, wanted, hidden) is None
    shared[1:] = 0.0  # one sample is one draw: chance is not ruled out
    assert reasons.filled_with_a_number(shared, wanted, hidden) is None


def test_lost_weight_proves_a_fill_only_where_ordinary_scores_lose_none() -> None:
    gap, calm = torch.ones(4, 2), torch.zeros(4, 2)
    assert reasons.lost_to_a_number(gap, calm) == reasons.LOST_TO_A_NUMBER
    assert reasons.lost_to_a_number(gap, gap) is None
    assert reasons.lost_to_a_number(calm, calm) is None
