"""The reasons that checks of the suites can prove, and what they must not take for one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.functional import interpolate, layer_norm

from tests.suites import proofs, reasons

T = 4
OTHERS = ~torch.eye(T, dtype=torch.bool)
LATER = torch.ones(2, T, T, dtype=torch.bool).tril()
LATER[1, 2, 0] = False


def test_a_mask_read_the_other_way_round_is_named() -> None:
    named = proofs.reading_of(LATER.mT, LATER, OTHERS, False)
    assert named == reasons.TRANSPOSED


def test_an_inverted_mask_is_named() -> None:
    assert proofs.reading_of(~LATER, LATER, OTHERS, False) == reasons.INVERTED


def test_the_first_samples_mask_for_all_is_named() -> None:
    seen = LATER[:1].expand_as(LATER)
    assert proofs.reading_of(seen, LATER, OTHERS, False) == reasons.OF_THE_FIRST_SAMPLE


def test_that_everybody_is_seen_is_not_yet_a_mask_without_effect() -> None:
    """A softmax over the queries lets everybody be seen, too, and the mask has an effect."""
    everybody = torch.ones_like(LATER)
    assert proofs.reading_of(everybody, LATER, OTHERS, False) is None
    assert proofs.reading_of(everybody, LATER, OTHERS, True) == reasons.WITHOUT_EFFECT


def test_a_mask_that_is_not_read_beside_a_triangle_does_not_let_everybody_be_seen() -> None:
    assert proofs.reading_of(LATER, LATER, OTHERS, True) == reasons.NOT_READ
    assert proofs.reading_of(LATER & ~OTHERS, LATER, OTHERS, True) is None


def test_a_sample_that_changes_with_the_mask_of_another_is_masked_by_it() -> None:
    before, after = torch.zeros(3, T, 2), torch.zeros(3, T, 2)
    after[0] = 1.0
    assert proofs.masks_of_other_samples(before, after) is None
    after[2, 1] = 1.0
    assert proofs.masks_of_other_samples(before, after) == reasons.OF_OTHER_SAMPLES


def test_readings_that_cannot_be_told_apart_are_none() -> None:
    """Of one mask for all, the first sample's is everybody's; a symmetric one has no other way."""
    alike = (torch.eye(T) + torch.eye(T).flip(0)).bool().expand(2, T, T)
    assert proofs.reading_of(alike, alike, OTHERS, False) is None


def test_hidden_values_in_equal_parts_prove_a_fill() -> None:
    hidden = torch.randn(5, 3, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    wanted = torch.zeros(5, 2, dtype=torch.float64)
    shared = hidden.mean(1).clone()
    shared[3:] = 0.0
    assert proofs.filled_with_a_number(shared, wanted, hidden) == reasons.FILLED_WITH_A_NUMBER
    assert proofs.filled_with_a_number(shared * 1.5, wanted, hidden) is None
    shared[1:] = 0.0  # one sample is one draw: chance is not ruled out
    assert proofs.filled_with_a_number(shared, wanted, hidden) is None


def test_lost_weight_proves_a_fill_only_where_ordinary_scores_lose_none() -> None:
    gap, calm = torch.ones(4, 2), torch.zeros(4, 2)
    assert proofs.lost_to_a_number(gap, calm) == reasons.LOST_TO_A_NUMBER
    assert proofs.lost_to_a_number(gap, gap) is None
    assert proofs.lost_to_a_number(calm, calm) is None


def test_what_tokens_see_of_others_is_named_by_its_pattern() -> None:
    ones = torch.ones(5, 5, dtype=torch.bool)
    causal = ones.tril()
    assert proofs.causal_reading(causal) is None
    assert proofs.causal_reading(ones.tril(1)) == reasons.NEXT_TOKEN_SEEN
    assert proofs.causal_reading(ones.tril(-1)) == reasons.OWN_TOKEN_HIDDEN
    assert proofs.causal_reading(ones.triu()) == reasons.OTHER_TRIANGLE
    assert proofs.causal_reading(ones.triu(1)) == reasons.OTHER_TRIANGLE
    assert proofs.causal_reading(ones) == reasons.LATER_TOKENS_SEEN
    assert proofs.causal_reading(ones.tril(1) & ones.triu(-1)) == reasons.LATER_TOKENS_SEEN
    assert proofs.causal_reading(causal & ones.triu(-2)) == reasons.EARLIER_TOKENS_HIDDEN


def test_who_sees_whom_is_found_by_changing_one_token_after_another() -> None:
    x = torch.zeros(2, 4, 3)
    assert torch.equal(proofs.seen_by_token(lambda x: x.cumsum(1), x), torch.ones(4, 4).tril() > 0)
    assert proofs.look_ahead(lambda x: x.flip(1).cumsum(1).flip(1), x) == reasons.OTHER_TRIANGLE


def test_a_norm_in_front_hides_no_token() -> None:
    x = torch.randn(2, 4, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert proofs.look_ahead(lambda x: layer_norm(x, (6,)).cumsum(1), x) is None


def test_a_gradient_alone_is_not_finite_only_beside_a_finite_output() -> None:
    assert proofs.not_finite_back(torch.ones(2, 3)) == reasons.NOT_FINITE_BACK
    assert proofs.not_finite_back(torch.tensor([1.0, torch.nan])) is None


def test_survivors_that_stay_as_they_were_are_told_from_another_rate() -> None:
    assert proofs.survivors_not_scaled(torch.tensor(0.8), 0.2, 0.02) == reasons.SURVIVORS_NOT_SCALED
    assert proofs.survivors_not_scaled(torch.tensor(0.2), 0.2, 0.02) is None
    assert proofs.survivors_not_scaled(torch.tensor(torch.nan), 0.2, 0.02) is None


def test_what_is_drawn_at_a_rate_of_0_shows_in_two_calls() -> None:
    first = torch.ones(2, 3)
    assert proofs.dropped_at_rate_0(first, 0.9 * first) == reasons.DROPPED_AT_RATE_0
    assert proofs.dropped_at_rate_0(first, first.clone()) is None


def test_hidden_scores_take_part_only_where_nothing_is_left() -> None:
    wanted = torch.ones(2, 3)
    gone = torch.tensor([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    assert proofs.hidden_scores_take_part(gone, wanted) == reasons.HIDDEN_SCORES_TAKE_PART
    assert proofs.hidden_scores_take_part(gone + 0.5, wanted) is None
    assert proofs.hidden_scores_take_part(wanted + 1e-4, wanted) is None


def test_a_mask_that_is_no_square_has_no_other_way_round() -> None:
    allowed = torch.tensor([[[True, False, True]] * 2, [[True, True, False]] * 2])
    anywhere = torch.ones_like(allowed)
    assert proofs.reading_of(~allowed, allowed, anywhere, False) == reasons.INVERTED
    assert proofs.reading_of(allowed, allowed, anywhere, False) is None


def test_dropout_before_the_softmax_is_told_from_none_at_all() -> None:
    first = torch.ones(2, 3)
    assert proofs.rows_add_up(first, 1.1 * first) == reasons.ROWS_ADD_UP
    assert proofs.rows_add_up(first, first.clone()) == reasons.NOTHING_DROPPED


def test_what_may_attend_to_nothing_is_told_what_it_gathers() -> None:
    bias, zeros = torch.ones(2, 3), torch.zeros(2, 3)
    assert proofs.nobody_is_seen(bias, bias + 0.5) == reasons.NOBODY_SEES_SOMEBODY
    assert proofs.nobody_is_seen(zeros, zeros) == reasons.ZEROS_TOO_LATE
    assert proofs.nobody_is_seen(bias, bias) is None
    assert proofs.nobody_is_seen(bias * torch.nan, bias * torch.nan) is None


def test_numbers_that_change_one_by_one_are_no_dropped_weights() -> None:
    draws = torch.Generator().manual_seed(0)
    vector, sizes = torch.randn(1, 5, generator=draws), torch.rand(16, 1, generator=draws)
    alike, mixed = torch.ones(3, 5), torch.arange(15.0).reshape(3, 5)
    dropped = vector * (torch.rand(16, 5, generator=draws) > 0.5)
    beside = proofs.beside_the_weights
    assert beside([vector * sizes], alike) is None
    assert beside([vector * sizes, dropped], alike) == reasons.DROPPED_ELSEWHERE
    assert beside([vector.expand(16, 5)], alike) is None
    assert beside([dropped], mixed) is None  # features are mixed with tokens


def test_heads_that_hold_other_values_are_not_told_that_more_is_dropped() -> None:
    """Values that are cut without their axes exchanged differ, though all tokens are alike."""
    alike = torch.ones(4, 5)
    assert proofs.dropped_elsewhere(3, 2, alike) == reasons.DROPPED_ELSEWHERE
    assert proofs.dropped_elsewhere(2, 2, alike) is None
    assert proofs.dropped_elsewhere(3, 2, alike * torch.arange(4.0)[:, None]) is None


def test_a_random_module_is_not_told_what_its_tokens_see() -> None:
    draws = torch.Generator().manual_seed(0)
    x = torch.zeros(2, 4, 3)
    named = proofs.look_ahead(lambda x: x + torch.rand(x.shape, generator=draws), x)
    assert named == reasons.ANOTHER_EACH_TIME


def test_a_loaded_state_is_told_from_an_answer_that_varies() -> None:
    first = torch.ones(2, 3)
    assert proofs.state_outside(first, first.clone()) == reasons.STATE_OUTSIDE
    assert proofs.state_outside(first, first + 0.5) == reasons.ANOTHER_EACH_TIME


def test_a_mask_that_hides_nothing_brings_no_nan() -> None:
    assert proofs.nan_of_the_mask(torch.tensor([0.5, torch.nan])) == reasons.NAN_OF_THE_MASK
    assert proofs.nan_of_the_mask(torch.tensor([0.5, 0.5])) is None


def test_masks_of_some_heads_alone_are_told() -> None:
    masks = torch.zeros(1, 3, 4, 4, dtype=torch.bool)
    for head in range(3):
        masks[0, head, :, head] = True
    anywhere = torch.ones(1, 4, 4, dtype=torch.bool)
    assert proofs.masks_of_other_heads(masks[:, 0], masks, anywhere) == reasons.MASKS_OF_OTHER_HEADS
    assert proofs.masks_of_other_heads(masks.any(1), masks, anywhere) is None
    assert proofs.masks_of_other_heads(anywhere, masks, anywhere) is None
    alike = masks[:, :1].expand(1, 3, 4, 4)
    assert proofs.masks_of_other_heads(alike.any(1), alike, anywhere) is None


def test_the_factor_of_what_survives_is_told() -> None:
    before = torch.tensor([1.0, -2.0, 3.0])
    for factor, named in (
        (1.0, reasons.SURVIVORS_NOT_SCALED),
        (0.8**-2, reasons.DROPPED_TWICE),
        (5.0, reasons.GROWN_BY_THE_OTHER_SHARE),
        (1.25, None),
        (3.0, None),
        (torch.nan, None),
    ):
        assert proofs.growth_of_survivors(before, before * factor, 0.2) == named


def test_a_share_is_the_other_one_only_if_it_is_that() -> None:
    kept = torch.tensor([1.0, 0.0, 0.0, 0.0])
    assert proofs.share_is_kept(kept, 0.25, 0.02) == reasons.SHARE_IS_KEPT
    assert proofs.share_is_kept(kept, 0.5, 0.02) is None


def test_where_nothing_is_dropped_no_share_is() -> None:
    kept = torch.tensor([1.0, 0.5, 2.0])
    assert proofs.all_survive(kept) == reasons.ALL_SURVIVE
    assert proofs.share_is_kept(kept, 1.0, 0.02) == reasons.ALL_SURVIVE
    assert proofs.all_survive(torch.tensor([1.0, 0.0])) is None


def test_a_norm_over_tokens_does_not_see_that_all_grow() -> None:
    added = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert proofs.norm_over_tokens(added + 1e-6, added) == reasons.NORM_OVER_TOKENS
    assert proofs.norm_over_tokens(2 * added, added) is None


def test_what_goes_along_a_fixed_axis_shows_once_both_are_exchanged() -> None:
    weights = torch.tensor([[0.25, torch.nan], [0.75, 0.5]])
    assert proofs.along_a_fixed_axis(weights, weights.clone()) is None
    assert proofs.along_a_fixed_axis(weights, weights.mT) == reasons.ALONG_A_FIXED_AXIS


def test_dropout_that_is_applied_twice_shows_in_several_draws() -> None:
    assert proofs.applied_twice(torch.tensor([[2.0, 0.0], [2.0, 3.0]])) is None
    assert proofs.applied_twice(torch.tensor([[2.0, 0.0], [1.0, 3.0]])) == reasons.APPLIED_TWICE
    assert proofs.applied_twice(torch.tensor([[2.0, 2.0], [1.0, 3.0]])) is None
    assert proofs.applied_twice(torch.zeros(2, 3)) is None


def test_biases_hide_or_have_no_effect() -> None:
    bias = torch.tensor([[0.5, -1.0, -torch.inf], [2.0, -torch.inf, 1.0]])
    assert proofs.biases_dropped(torch.zeros(2, 3), bias) == reasons.BIASES_DROPPED
    alike = torch.tensor([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    assert proofs.biases_dropped(alike, bias) == reasons.BIASES_DROPPED
    assert proofs.biases_dropped(bias.softmax(-1), bias) is None
    assert proofs.biases_dropped(torch.full((2, 3), torch.nan), bias) is None


def test_sines_stand_twice_side_by_side_or_in_two_halves() -> None:
    angles = torch.outer(torch.arange(3.0), torch.tensor([1.0, 0.1]))
    sines, cosines = angles.sin(), angles.cos()
    for pairs in (torch.stack([sines, sines], -1).flatten(1), torch.cat([sines, sines], 1)):
        assert proofs.sines_alone(pairs) == reasons.SINES_ALONE
    assert proofs.sines_alone(torch.cat([sines, cosines], 1)) is None
    assert proofs.sines_alone(torch.cat([cosines, cosines], 1)) is None
    assert proofs.sines_alone(torch.zeros(6, 7)) is None  # of another width


def stretched(positions: torch.Tensor, old: tuple[int, int], new: tuple[int, int], _: int) -> Any:
    grid = positions.T.reshape(1, -1, *old)  # 1 D h w
    return interpolate(grid, new, mode="bilinear").flatten(2)[0].T


def test_a_grid_taken_for_one_row_grows_evenly() -> None:
    def row(positions: torch.Tensor, old: object, new: tuple[int, int], _: int) -> Any:
        return interpolate(positions.T[None], new[0] * new[1], mode="linear")[0].T

    assert proofs.in_one_row(row) == reasons.IN_ONE_ROW
    assert proofs.in_one_row(stretched) is None


def test_a_prefix_comes_last_among_patches_or_scaled() -> None:
    def placed(front: float, back: int) -> Any:
        def stretch(positions: torch.Tensor, old: Any, new: Any, prefix: int) -> torch.Tensor:
            patches = stretched(positions[prefix:], old, new, 0)
            return torch.cat([front * positions[:prefix], patches]).roll(back, 0)

        return stretch

    def mixed(positions: torch.Tensor, old: object, new: tuple[int, int], prefix: int) -> Any:
        rows = prefix + new[0] * new[1]
        return interpolate(positions.T[None], rows, mode="linear")[0].T

    assert proofs.prefix_moved(placed(1.0, -1)) == reasons.PREFIX_LAST
    assert proofs.prefix_moved(mixed) == reasons.PREFIX_AMONG_PATCHES
    assert proofs.prefix_moved(placed(0.5, 0)) == reasons.PREFIX_SCALED
    assert proofs.prefix_moved(placed(0.0, 0)) is None


def test_a_mean_that_is_subtracted_is_no_prefix_among_patches() -> None:
    def centred(positions: torch.Tensor, old: Any, new: Any, prefix: int) -> torch.Tensor:
        positions = positions - positions.mean()
        return torch.cat([positions[:prefix], stretched(positions[prefix:], old, new, 0)])

    assert proofs.prefix_moved(centred) is None


def test_features_are_mixed_by_reshape_in_place_of_permute() -> None:
    def reshaped(positions: torch.Tensor, old: Any, new: Any, _: int) -> torch.Tensor:
        grid = positions.reshape(1, -1, *old)
        return interpolate(grid, new, mode="bilinear").flatten(2)[0].T

    assert proofs.features_mixed(reshaped) == reasons.FEATURES_MIXED
    assert proofs.features_mixed(stretched) is None


def test_steps_are_read_by_which_of_them_are_wrong() -> None:
    def wrong(at: list[int], least: int) -> Any:
        """Answers that are 1, and 2 at places of chunks that are not the first."""

        def ask(widths: list[int]) -> torch.Tensor:
            answers = torch.ones(2, 4, 3)
            if len(widths) > 1 and max(widths) >= least:
                answers[1, at] = 2.0
            return answers

        return ask

    reading = proofs.steps_reading
    assert reading(wrong([2], 2), 4) == reasons.SEVERAL_AT_A_TIME
    assert reading(wrong([1, 2, 3], 1), 4) == reasons.STEP_IS_ANOTHER
    assert reading(wrong([3], 1), 4) == reasons.LATER_STEPS
    assert reading(wrong([0], 1), 4) is None  # no step has anything to do with it


def test_what_large_scores_alone_let_through_is_seen_from_afar() -> None:
    x, later = torch.ones(2, 1), 2 * torch.ones(2, 1)
    assert proofs.seen_from_afar(x, x + 1e-8) == reasons.SEEN_FROM_AFAR
    assert proofs.seen_from_afar(x, later) is None  # the mask never holds


def test_positions_beside_the_attention_are_none_of_its_own() -> None:
    same, other = (torch.ones(2, 3), torch.ones(2, 3)), (torch.ones(2, 3), torch.zeros(2, 3))
    beside = proofs.beside_the_attention
    assert beside(same, same) == reasons.POSITIONS_ADDED
    assert beside(other, same) is None
    assert beside(same, other) is None  # it sees more than it may


def test_a_cache_in_the_state_is_as_large_as_what_is_kept() -> None:
    assert proofs.cache_in_the_state([torch.zeros(2, 3), torch.zeros(6)], 12) is not None
    assert proofs.cache_in_the_state([torch.tensor(3)], 12) is None  # the number of tokens


def test_what_lies_around_branches_shows_where_they_add_zeros() -> None:
    x = torch.linspace(-1.0, 2.0, 24).square().reshape(2, 3, 4)
    normalised = torch.nn.functional.layer_norm(x, (4,))
    around = proofs.around_branches
    assert around(normalised, x, normalised) == reasons.NORM_AROUND_BRANCHES
    assert around(0 * x, x, 0 * x) == reasons.NOTHING_AROUND_BRANCHES
    assert around(2 * x, x, 6 * x + 10) is None


def test_a_window_is_read_by_who_is_seen() -> None:
    past = torch.ones(6, 6, dtype=torch.bool).tril()
    for seen, named in (
        (past, reasons.WINDOW_WITHOUT_EFFECT),
        (past.triu(-1), reasons.WINDOW_OFF_BY_ONE),
        (past.triu(-3), reasons.WINDOW_OFF_BY_ONE),
        (past.triu(-2), None),
        (past.T, reasons.LATER_TOKENS_SEEN),
    ):
        assert proofs.window_reading(seen, 3) == named
    around = past.triu(-2) | past.triu(-2).T
    for window in (4, 5):
        assert proofs.window_reading(around, window) == reasons.WINDOW_CENTRED
        assert proofs.window_reading(past.triu(-2), window) == reasons.WINDOW_HALF_AS_LONG
    assert proofs.window_reading(torch.eye(6, dtype=torch.bool), 1) is None
    either = past.triu(-1) | past.triu(-1).T  # around each token, or to both sides
    assert proofs.window_reading(either, 2) == reasons.LATER_TOKENS_SEEN


def test_a_map_of_all_samples_together_may_be_affine() -> None:
    x = torch.arange(6.0).view(2, 3)
    assert proofs.not_affine(lambda x: 3 * x - x.mean(0) + 1, x) is None
    assert proofs.not_affine(torch.relu, x - 2) is None
    assert proofs.not_affine(lambda x: torch.relu(x + 1), x - 3) == reasons.NOT_AFFINE
    assert proofs.not_affine(torch.tanh, x) == reasons.NOT_AFFINE


def rates(warmup: int, low: float = 0.0, ramp: int = 1, flat: int = 0, ahead: int = 0) -> Any:
    """Return the learning rates of 20 steps with a peak of 3: (20,)."""
    step = torch.arange(20, dtype=torch.float64)
    share = (step + ahead - warmup) / (20 - warmup)
    down = low + (1 - low) * (1 + torch.cos(torch.pi * share)) / 2
    return 3 * torch.where(step < warmup, (step + ramp) / max(1, warmup + flat), down)


@pytest.mark.parametrize("warmup", [0, 2, 5])
def test_a_schedule_is_read_in_the_part_that_is_wrong(warmup: int) -> None:
    right, is_long = rates(warmup), warmup > 2

    def reading(**changes: Any) -> Any:
        return proofs.schedule_reading(rates(warmup, **changes), right, 3.0, warmup)

    assert reading() is None
    assert reading(low=0.1) is reasons.ENDS_ABOVE_0
    assert reading(low=1.0) is None
    assert reading(ahead=1) is reasons.COSINE_AHEAD
    assert reading(ahead=2) is None
    assert reading(ramp=0) is (reasons.RAMP_FROM_0 if is_long else None)
    behind = rates(warmup, ramp=0)
    behind[:1] = right[:1]
    told = proofs.schedule_reading(behind, right, 3.0, warmup)
    assert told is (reasons.RAMP_BEHIND if is_long else None)
    assert reading(flat=1) is (reasons.RAMP_TOO_FLAT if is_long else None)
    assert reading(flat=1, low=0.1) is (reasons.RAMP_TOO_FLAT if is_long else reasons.ENDS_ABOVE_0)
    capped = rates(warmup, ramp=2).clamp(max=3.0)
    told = proofs.schedule_reading(capped, right, 3.0, warmup)
    assert told is (reasons.RAMP_AHEAD if is_long else None)
    assert reading(ramp=3) is None


def test_a_schedule_that_is_no_number_is_not_read() -> None:
    nothing = torch.full((20,), torch.nan, dtype=torch.float64)
    assert proofs.schedule_reading(nothing, rates(5), 3.0, 5) is None


def drawn(*tokens: int) -> torch.Tensor:
    return torch.bincount(torch.tensor([0, 2, 4, *tokens]), minlength=6) / 9


@pytest.mark.parametrize(
    ("tokens", "knobs", "told"),
    [
        ([], (3,), None),
        ([5], (3,), reasons.TOP_K_PASSED_OVER),
        ([1, 5], (3,), reasons.TOP_K_PASSED_OVER),
        ([1, 3, 5], (None, 0.7), reasons.TOP_P_PASSED_OVER),
        ([5], (None, 0.7), reasons.TOP_P_PASSED_OVER),
        ([5], (4, 0.7), reasons.TOP_P_PASSED_OVER),
        ([1, 5], (4, 0.7), reasons.TOP_K_PASSED_OVER),
    ],
)
def test_the_knob_that_is_passed_over_is_told_by_what_is_drawn(
    tokens: list[int], knobs: tuple[Any, ...], told: reasons.Reason | None
) -> None:
    assert proofs.cut_off_and_drawn(drawn(*tokens), *knobs) is told
