"""Prove reasons why a check failed, from what the student's own code answers.

Each is asked only once a check has failed, of the student's own module, and holds in whatever way
the module stores its weights. A reason that the numbers do not prove is none.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import torch

from . import reasons
from .reasons import Reason


def same_in_each_call(first: torch.Tensor, second: torch.Tensor) -> Reason | None:
    """Prove that two calls dropped the same; both are bool of one shape, True where dropped."""
    return reasons.SAME_IN_EACH_CALL if bool(first.any()) and torch.equal(first, second) else None


def another_each_time(first: torch.Tensor, second: torch.Tensor) -> Reason | None:
    """Prove that two calls with one input gave different outputs, both of one shape."""
    return reasons.ANOTHER_EACH_TIME if bool(((first - second).abs() > 1e-4).any()) else None


def not_finite_back(output: torch.Tensor) -> Reason | None:
    """Prove that the gradient alone is not finite; `output` may have any shape, or be its sum."""
    return reasons.NOT_FINITE_BACK if bool(output.isfinite().all()) else None


def dropped_at_rate_0(first: torch.Tensor, second: torch.Tensor) -> Reason | None:
    """Prove that two calls in train mode, both of one shape and with a dropout of 0, differ."""
    return reasons.DROPPED_AT_RATE_0 if another_each_time(first, second) is not None else None


def survivors_not_scaled(mean: torch.Tensor, rate: float, room: float) -> Reason | None:
    """Prove that what survives a dropout of `rate` stays as it was.

    `mean`, a number that has no shape: how large on average what was 1 is in train mode.
    """
    return reasons.SURVIVORS_NOT_SCALED if abs(mean.item() - (1 - rate)) <= room else None


def growth_of_survivors(before: torch.Tensor, after: torch.Tensor, rate: float) -> Reason | None:
    """Prove by what factor a dropout of `rate` makes grow what survives it.

    `before` and `after` have one shape: numbers that survived, without and with dropout.
    """
    factor = float((after / before).median())
    if not abs(factor - 1 / (1 - rate)) > 1e-3:
        return None
    factors = (
        (reasons.SURVIVORS_NOT_SCALED, 1.0),
        (reasons.DROPPED_TWICE, (1 - rate) ** -2),
        (reasons.GROWN_BY_THE_OTHER_SHARE, 1 / rate),
    )
    return next((reason for reason, wrong in factors if abs(factor - wrong) < 1e-3), None)


def along_a_fixed_axis(weights: torch.Tensor, turned: torch.Tensor) -> Reason | None:
    """Prove that exchanging two axes, and `dim`, changes more than the order of the weights.

    `turned`: what came of the exchanged numbers, with its axes exchanged back, of the same shape.
    """
    is_same = torch.allclose(weights, turned, atol=1e-5, equal_nan=True)
    return None if is_same else reasons.ALONG_A_FIXED_AXIS


def norm_over_tokens(after: torch.Tensor, added: torch.Tensor) -> Reason | None:
    """Prove that a norm takes several tokens together, where growth of a single one is seen.

    `added`: what a branch adds, of any shape; `after`: the same once all tokens have grown alike.
    """
    return reasons.NORM_OVER_TOKENS if torch.allclose(after, added, atol=1e-4) else None


def all_survive(dropped: torch.Tensor) -> Reason | None:
    """Prove that none of these numbers, of any shape and none of them 0 before, is dropped."""
    return reasons.ALL_SURVIVE if bool(dropped.all()) else None


def share_is_kept(dropped: torch.Tensor, rate: float, room: float) -> Reason | None:
    """Prove that the share that survives, of weights of any shape, is the one to be dropped."""
    if (survivors := all_survive(dropped)) is not None:
        return survivors
    share = float((dropped != 0).double().mean())
    return reasons.SHARE_IS_KEPT if abs(share - rate) <= room else None


def biases_dropped(weights: torch.Tensor, bias: torch.Tensor) -> Reason | None:
    """Prove that the finite numbers of a float mask, none of them 0, hide, or have no effect.

    `weights` and `bias` are (N, L); all scores are 0, so that the mask alone decides.
    """
    allowed = bias.isfinite()
    if not bool(weights[allowed].any()):
        return reasons.BIASES_DROPPED
    alike = allowed / allowed.sum(-1, keepdim=True)
    return reasons.BIASES_DROPPED if bool(((weights - alike).abs() < 1e-5).all()) else None


def sines_alone(table: torch.Tensor) -> Reason | None:
    """Prove that both columns of each frequency are sines, 0 at first; `table` is (T, dim)."""
    if table.dim() != 2 or table.shape[1] % 2:
        return None
    halves = table[:, 0::2], table[:, 1::2], *table.chunk(2, dim=1)
    pairs = zip(halves[::2], halves[1::2], strict=True)
    is_alike = any(bool(((one - other).abs() < 1e-4).all()) for one, other in pairs)
    return reasons.SINES_ALONE if is_alike and not bool(table[0].any()) else None


def applied_twice(outputs: torch.Tensor) -> Reason | None:
    """Prove that parts are dropped, and then the whole; `outputs`, (N, …), are N draws of one."""
    alive = outputs != 0
    if bool(alive.all()):
        return None  # the whole is not dropped
    high = outputs.masked_fill(~alive, -torch.inf).amax(0)
    low = outputs.masked_fill(~alive, torch.inf).amin(0)
    return reasons.APPLIED_TWICE if bool((high - low > 1e-3).any()) else None


def in_one_row(stretch: Callable[..., torch.Tensor]) -> Reason | None:
    """Prove that `stretch(positions, old, new, num_prefix)` takes a grid for one long row.

    What grows from patch to patch grows evenly then: in a grid, it makes a jump at each new row.
    """
    ramp = torch.arange(15.0, dtype=torch.float64).unsqueeze(1)  # (N, 1) of 3 rows by 5
    steps = stretch(ramp, (3, 5), (4, 7), 0).detach().flatten().diff()[7:20]
    return reasons.IN_ONE_ROW if float(steps.max() - steps.min()) < 1e-3 else None


def prefix_moved(stretch: Callable[..., torch.Tensor]) -> Reason | None:
    """Say what `stretch(positions, old, new, num_prefix)` does to a prefix that comes back wrong.

    Numbers only go from a row to those that it is mixed with.
    """
    ones = torch.zeros(16, 1, dtype=torch.float64)  # (1 + N, 1) of 3 rows by 5
    ones[0] = 1.0
    of_prefix = stretch(ones, (3, 5), (4, 7), 1).detach().flatten() != 0
    of_patches = stretch(1 - ones, (3, 5), (4, 7), 1).detach().flatten() != 0
    if bool(of_prefix[-1]) and int(of_prefix.sum()) == 1:
        return reasons.PREFIX_LAST
    if bool(of_prefix.all()):
        return None  # it is spread over all rows, as by a mean, and not stretched
    if bool(of_prefix[1:].any() | of_patches[0]):
        return reasons.PREFIX_AMONG_PATCHES
    return reasons.PREFIX_SCALED if bool(of_prefix[0]) else None


def features_mixed(stretch: Callable[..., torch.Tensor]) -> Reason | None:
    """Prove that `stretch(positions, old, new, num_prefix)` brings one feature into others."""
    table = torch.zeros(15, 3, dtype=torch.float64)  # (N, D) of 3 rows by 5
    table[:, 0] = torch.arange(1.0, 16.0)
    others = stretch(table, (3, 5), (4, 7), 0).detach()[:, 1:]
    return reasons.FEATURES_MIXED if bool((others.abs() > 1e-6).any()) else None


def steps_reading(ask: Callable[[list[int]], torch.Tensor], length: int) -> Reason | None:
    """Say which steps give other outputs than `prefill` gives to a whole text of this length.

    `ask(widths)` are the outputs, (B, T, D), of the text in chunks.
    """
    whole = ask([length])
    is_wrong = ((ask([1] * length) - whole).abs() > 1e-4).flatten(2).any(2).any(0)  # T
    if not bool(is_wrong.any()):
        return reasons.SEVERAL_AT_A_TIME
    first = int(is_wrong.nonzero()[0])
    return (None, reasons.STEP_IS_ANOTHER)[first] if first < 2 else reasons.LATER_STEPS


def beside_the_attention(
    attention: tuple[torch.Tensor, torch.Tensor], logits: tuple[torch.Tensor, torch.Tensor]
) -> Reason | None:
    """Prove that a model learns beside its attention where tokens stand.

    `attention` are outputs, (B, D), in a text and with their window alone; `logits`, (B, V), are
    those of a token, and the same once nothing but what it must not see has changed.
    """
    is_same = [torch.allclose(*pair, atol=1e-5) for pair in (attention, logits)]
    return reasons.POSITIONS_ADDED if all(is_same) else None


def cache_in_the_state(added: Iterable[torch.Tensor], numbers: int) -> Reason | None:
    """Prove that what a call keeps is in the state_dict, by what is new there after it.

    `numbers`: how many there are in what has to be kept, at least.
    """
    return reasons.CACHE_IN_THE_STATE if sum(one.numel() for one in added) >= numbers else None


def around_branches(calm: torch.Tensor, x: torch.Tensor, grown: torch.Tensor) -> Reason | None:
    """Say what lies on the way around two branches that add zeros, where it is not nothing.

    `calm` is what comes of the tokens `x`, (B, T, D), and `grown` what comes of 3 x + 5.
    """
    if not bool(calm.any() | grown.any()):
        return reasons.NOTHING_AROUND_BRANCHES
    is_alike = torch.allclose(calm, grown, atol=1e-4)
    is_norm = is_alike and not torch.allclose(x, calm, atol=1e-4)
    return reasons.NORM_AROUND_BRANCHES if is_norm else None


def not_affine(ask: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> Reason | None:
    """Prove that `ask` is no linear map and a bias: then f(2x) + f(0) would be 2 f(x).

    `x` has any shape. Samples may be mixed: that is another mistake.
    """
    gap = ask(2 * x) + ask(torch.zeros_like(x)) - 2 * ask(x)
    return reasons.NOT_AFFINE if bool((gap.detach().abs() > 1e-3).any()) else None


def window_reading(seen: torch.Tensor, window: int) -> Reason | None:
    """Name the way in which tokens see others than a window that looks back lets them see.

    `seen` is (T, T) bool, True where output i depends on token j; T is larger than the window.
    """
    past = torch.ones_like(seen).tril()
    half = past.triu(-(window // 2))
    if torch.equal(seen, half | half.T) and window > 1:
        return reasons.WINDOW_CENTRED if window > 2 else reasons.LATER_TOKENS_SEEN
    if bool((seen & ~past).any()):
        return reasons.LATER_TOKENS_SEEN
    if torch.equal(seen, past):
        return reasons.WINDOW_WITHOUT_EFFECT
    if torch.equal(seen, half) and window > 3:  # of shorter ones the half is one token less
        return reasons.WINDOW_HALF_AS_LONG
    off = (past.triu(1 - width) for width in (window - 1, window + 1))
    return reasons.WINDOW_OFF_BY_ONE if any(torch.equal(seen, band) for band in off) else None


def hidden_scores_take_part(sums: torch.Tensor, wanted: torch.Tensor) -> Reason | None:
    """Prove that next to nothing is left of rows of weights, (..., S), beside a large hidden score.

    Beside ordinary ones the rows have added up.
    """
    wrong = (sums - wanted).abs() > 1e-3
    is_gone = bool(wrong.any()) and bool((sums[wrong].abs() < 1e-6).all())
    return reasons.HIDDEN_SCORES_TAKE_PART if is_gone else None


def state_outside(first: torch.Tensor, again: torch.Tensor) -> Reason | None:
    """Prove that a module with a loaded state depends on something else.

    Its output is not as it should be, and in two calls, `first` and `again`, it is the same.
    """
    return another_each_time(first, again) or reasons.STATE_OUTSIDE


def nan_of_the_mask(weights: torch.Tensor) -> Reason | None:
    """Prove that a mask brings NaN into `weights`, (..., L), although it hides nothing.

    The scores are of ordinary size.
    """
    return reasons.NAN_OF_THE_MASK if bool(weights.isnan().any()) else None


def masks_of_other_heads(
    seen: torch.Tensor, masks: torch.Tensor, others: torch.Tensor
) -> Reason | None:
    """Prove that what is seen, (B, T, S) bool, is what the masks of some heads alone allow.

    `masks` are (B, H, T, S), True where a head may look, and `others` the places where that can be
    told: all heads together look wherever one of them may.
    """
    heads = range(masks.shape[1])
    if bool(((seen == masks.any(dim=1)) | ~others).all()):
        return None
    for count in range(1, len(heads)):
        for some in combinations(heads, count):
            union = masks[:, list(some)].any(dim=1)
            if bool(((seen == union) | ~others).all()):
                return reasons.MASKS_OF_OTHER_HEADS
    return None


def masks_of_other_samples(before: torch.Tensor, after: torch.Tensor) -> Reason | None:
    """Prove that samples are masked by the masks of others, from outputs (B, T, D) of B samples.

    Between the two only the mask of the first sample was changed.
    """
    is_other = bool(((after - before)[1:].abs() > 1e-4).any())
    return reasons.OF_OTHER_SAMPLES if is_other else None


def rows_add_up(first: torch.Tensor, second: torch.Tensor) -> Reason | None:
    """Say why dropout does not change how much is gathered, from two calls in train mode.

    `first` and `second` have one shape and come from the same tokens, which are not alike.
    """
    is_random = another_each_time(first, second) is not None
    return reasons.ROWS_ADD_UP if is_random else reasons.NOTHING_DROPPED


def nobody_is_seen(output: torch.Tensor, after: torch.Tensor) -> Reason | None:
    """Say what is wrong with the output of what may attend to nothing.

    `after` is its output, of the same shape, after everybody else was changed.
    """
    if bool(((after - output).abs() > 1e-4).any()):
        return reasons.NOBODY_SEES_SOMEBODY
    return None if bool(output.any()) else reasons.ZEROS_TOO_LATE


def dropped_elsewhere(directions: int, heads: int, calm: torch.Tensor) -> Reason | None:
    """Prove that not only weights are dropped, from the directions in which dropout moves outputs.

    All tokens are alike, so that dropped weights move an output along each head's own vector only:
    unless outputs (T, D) without dropout differ all the same, and a head's values with them.
    """
    are_alike = torch.allclose(calm, calm[:1].expand_as(calm), atol=1e-5)
    return reasons.DROPPED_ELSEWHERE if directions > heads and are_alike else None


def beside_the_weights(wild: Sequence[torch.Tensor], calm: torch.Tensor) -> Reason | None:
    """Prove that not weights are dropped, from each head's outputs (N, D) for N samples alike.

    Dropped weights move it along one vector only: unless outputs (T, D) of tokens that are alike
    differ without dropout, as where features are mixed with tokens.
    """
    if not torch.allclose(calm, calm[:1].expand_as(calm), atol=1e-5):
        return None
    spreads = [(each - each.mean(0)).double() for each in wild]
    ranks = [torch.linalg.matrix_rank(spread, rtol=1e-4) for spread in spreads]
    return reasons.DROPPED_ELSEWHERE if any(rank > 1 for rank in ranks) else None


def filled_with_a_number(
    outputs: torch.Tensor, wanted: torch.Tensor, hidden: torch.Tensor
) -> Reason | None:
    """Prove that all that is hidden shares the weight where the mask does not hold.

    `outputs` are (N, D), `wanted` what is right, and `hidden` (N, K, D) the outputs of attending to
    one of K hidden tokens alone. What attention gathers from K tokens in equal parts is their mean,
    as the maps of values and outputs are affine.
    """
    wrong = (outputs - wanted).detach().abs().amax(-1) > 1e-3  # N
    shared = (outputs - hidden.mean(1)).detach().abs().amax(-1) < 1e-6  # N
    # With several heads not all of a sample's go wrong at once. Two samples are two draws.
    return reasons.FILLED_WITH_A_NUMBER if int((wrong & shared).sum()) >= 2 else None


def seen_from_afar(near: torch.Tensor, changed: torch.Tensor) -> Reason | None:
    """Say what hides only what scores nearly alike, of a mask that does not hold for high scores.

    Both are outputs (N, D), before and after a change of what is hidden, for ordinary scores.
    """
    is_hidden = bool(((near - changed).detach().abs() < 1e-6).all())
    return reasons.SEEN_FROM_AFAR if is_hidden else None


def lost_to_a_number(gap: torch.Tensor, calm_gap: torch.Tensor) -> Reason | None:
    """Prove that weight is lost where all that may be attended to scores low, whatever is hidden.

    `gap` (N, D) is how far tokens are from what is right that see only themselves. What is hidden
    from each is a copy of it: whoever hides after the softmax is right here, as no hidden score is
    larger. `calm_gap` is the same for ordinary scores, where all must be right.
    """
    wrong = gap.detach().abs().amax(-1) > 1e-3  # N
    calm = bool((calm_gap.detach().abs() < 1e-4).all())
    return reasons.LOST_TO_A_NUMBER if calm and int(wrong.sum()) >= 2 else None


def seen_by_token(ask: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Return (T, T) bool: whether output i of `ask` depends on token j; x is (B, T, D)."""
    before = ask(x).detach()
    columns: list[torch.Tensor] = []
    step = torch.linspace(-1.0, 1.5, x.shape[-1], dtype=x.dtype) ** 2  # D; a norm sees it
    for place in range(x.shape[1]):
        changed = x.clone()
        changed[:, place] += step
        columns.append((ask(changed).detach() - before).abs().amax(-1).amax(0) > 1e-4)  # T
    return torch.stack(columns, dim=1)


def look_ahead(ask: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> Reason | None:
    """Name the way in which the tokens of `ask` see others than a causal mask lets them see.

    `ask` maps tokens, (B, T, D), to outputs of B samples of T tokens. `x` are tokens whose scores
    are small, so that no weight is near zero.
    """
    if another_each_time(ask(x), ask(x)) is not None:
        return reasons.ANOTHER_EACH_TIME  # then outputs change with every call, and with no token
    return causal_reading(seen_by_token(ask, x))


def causal_reading(seen: torch.Tensor) -> Reason | None:
    """Name the way in which tokens see what a causal mask hides, or do not see what it allows.

    `seen` is (T, T) bool, True where output i depends on token j. That everybody sees everybody
    does not tell of the mask alone: whoever normalises along another axis sees everybody, too.
    """
    ones = torch.ones_like(seen)
    allowed, own = ones.tril(), torch.eye(len(seen), dtype=torch.bool)
    later, missing = seen & ~allowed, allowed & ~seen
    if torch.equal(seen, ones.tril(-1)):
        return reasons.OWN_TOKEN_HIDDEN
    if torch.equal(seen | own, ones.triu()):
        return reasons.OTHER_TRIANGLE
    if bool(later.any()):
        is_next = not bool((later & ones.triu(2)).any() | missing.any())
        return reasons.NEXT_TOKEN_SEEN if is_next else reasons.LATER_TOKENS_SEEN
    return reasons.EARLIER_TOKENS_HIDDEN if bool(missing.any()) else None


def reading_of(
    seen: torch.Tensor, allowed: torch.Tensor, others: torch.Tensor, is_ignored: bool
) -> Reason | None:
    """Name the one other way of reading a mask that explains who is seen.

    All are (B, T, S) bool: what is seen, what the mask allows, and the places where that can be
    told. None if no reading fits, or several, or if nobody sees anybody. `is_ignored`: the same
    comes out without the mask.
    That everybody is seen proves less: whoever normalises along another axis sees everybody too.
    """
    if not bool((seen & others).any()):
        return None
    if is_ignored:
        return reasons.WITHOUT_EFFECT if bool((seen | ~others).all()) else reasons.NOT_READ
    turned = allowed.transpose(1, 2) if allowed.shape[1] == allowed.shape[2] else allowed
    readings = (
        (reasons.TRANSPOSED, turned),
        (reasons.INVERTED, ~allowed),
        (reasons.OF_THE_FIRST_SAMPLE, allowed[:1].expand_as(allowed)),
    )

    def fits(reading: torch.Tensor) -> bool:
        is_another = bool(((reading != allowed) & others).any())
        return is_another and bool(((seen == reading) | ~others).all())

    fitting = [reason for reason, reading in readings if fits(reading)]
    return fitting[0] if len(fitting) == 1 else None


def schedule_reading(
    observed: torch.Tensor, wanted: torch.Tensor, peak: float, warmup: int
) -> Reason | None:
    """Name what is wrong with a ramp of several steps, or else with the cosine behind it.

    `observed` and `wanted` are the learning rates of all steps, (steps,), of which the first
    `warmup` are the ramp.
    """
    ramp, down, way = observed[:warmup] / peak, observed[warmup:] / peak, wanted[warmup:] / peak
    step = torch.arange(warmup, dtype=ramp.dtype)
    least = (down[-1] - way[-1]) / (1 - way[-1])  # where a cosine would end that began at 1

    def is_(part: torch.Tensor, reading: torch.Tensor) -> bool:
        return len(part) > 2 and bool((part - reading).abs().amax() < 1e-5)

    if is_(ramp, step / warmup):
        return reasons.RAMP_FROM_0
    if is_(ramp[:-1], (step[:-1] + 2) / warmup):
        return reasons.RAMP_AHEAD
    if is_(ramp[1:], step[1:] / warmup):
        return reasons.RAMP_BEHIND
    if is_(ramp, (step + 1) / (warmup + 1)):
        return reasons.RAMP_TOO_FLAT
    if is_(down[:-1], way[1:]):
        return reasons.COSINE_AHEAD
    is_share = 1e-3 < least < 0.99
    return reasons.ENDS_ABOVE_0 if is_share and is_(down, least + (1 - least) * way) else None


def cut_off_and_drawn(drawn: torch.Tensor, top_k: int | None, top_p: float = 1.0) -> Reason | None:
    """Name the knob that is passed over, from how often each token is drawn: (V,).

    The tokens 0, 2 and 4 are left by both knobs, and 5 by `top_k` if it is 4.
    """
    if bool(drawn[[1, 3]].any()):
        return reasons.TOP_P_PASSED_OVER if top_k is None else reasons.TOP_K_PASSED_OVER
    if not bool(drawn[5] > 0):
        return None
    return reasons.TOP_K_PASSED_OVER if top_k == 3 else reasons.TOP_P_PASSED_OVER
