"""Reasons that a failing check can prove (`proofs`): what its own numbers show of the mistake.

Each has the name under which reports count it, and the sentence that a student reads.
"""

from typing import NamedTuple


class Reason(NamedTuple):
    """A reason: the name under which a report counts it, and its sentence."""

    id: str
    text: str


FILLED_WITH_A_NUMBER = Reason(
    id="mask.filled_with_a_number",
    text="hidden scores are filled with a number and not with -inf: where all that may be attended "
    "to scores lower still, attention goes to what is hidden, in equal parts",
)
LOST_TO_A_NUMBER = Reason(
    id="mask.filled_with_a_number",
    text="hidden scores are filled with a number and not with -inf: where all that may be attended "
    "to scores lower still, the softmax gives its weight to what is hidden, and it is lost",
)
SEEN_FROM_AFAR = Reason(
    id="mask.seen_from_afar",
    text="what is hidden is seen where scores are far apart, and not elsewhere: a number is added "
    "to hidden scores or stands in their place, and not -inf, or weights are set to zero after "
    "the softmax alone",
)
TRANSPOSED = Reason(
    id="mask.transposed", text="the mask is read the other way round, as key by query"
)
NEXT_TOKEN_SEEN = Reason(
    id="leak.next_token",
    text="a token sees the next one as well, and none behind that, as with a mask that is one "
    "diagonal too wide",
)
OWN_TOKEN_HIDDEN = Reason(
    id="leak.own_token",
    text="tokens see all that came before and not themselves, as with a mask that is one diagonal "
    "too narrow",
)
OTHER_TRIANGLE = Reason(
    id="leak.other_triangle",
    text="tokens see what comes behind them and not what came before, as with a mask that is the "
    "other triangle",
)
LATER_TOKENS_SEEN = Reason(
    id="leak.later_tokens",
    text="outputs change with tokens that come behind them: what comes later is not hidden, or the "
    "rows of several tokens are mixed",
)
EARLIER_TOKENS_HIDDEN = Reason(
    id="leak.earlier_tokens",
    text="some outputs do not change with a token that they may see: more is hidden than what "
    "comes later, or the rows of several tokens are mixed",
)
INVERTED = Reason(
    id="mask.inverted", text="the mask hides what it allows, and allows what it should hide"
)
WITHOUT_EFFECT = Reason(
    id="mask.without_effect", text="the mask has no effect: everybody sees everybody"
)
NOT_READ = Reason(
    id="mask.not_read",
    text="the same comes out without the mask, and yet not everybody sees everybody: who sees whom "
    "is settled by something else, such as a triangle that is built in",
)
OF_OTHER_SAMPLES = Reason(
    id="mask.of_other_samples",
    text="a sample's output changes with the masks of other samples, as where a mask (B, T, T) is "
    "broadcast with its samples in the place of the heads",
)
SAME_IN_EACH_CALL = Reason(
    id="mode.same_in_each_call",
    text="something is dropped, and the same in each call: each call draws anew",
)
DRAWN_IN_EVAL = Reason(
    id="mode.drawn_in_eval",
    text="two calls in eval mode differ: something is dropped there as in train mode, or drawn "
    "anew in each call",
)
ANOTHER_EACH_TIME = Reason(
    id="mode.another_each_time",
    text="two calls with one input differ where nothing is to be dropped: something is drawn anew "
    "in each, or kept from the call before",
)
NO_GRADIENT = Reason(
    id="gradient.missing",
    text="no gradient comes back: what it should reach has no effect, or is cut off by detach, "
    ".data, no_grad or a tensor made anew",
)
NOT_FINITE_BACK = Reason(
    id="gradient.not_finite",
    text="the output is finite and its gradient is not: a 0 / 0, an inf - inf or an infinite slope "
    "lies on the way, and nan_to_num, where or a factor of 0 hides it in the output only",
)
DROPPED_AT_RATE_0 = Reason(
    id="mode.dropped_at_rate_0",
    text="with a dropout of 0 two calls in train mode differ: something is dropped all the same",
)
SURVIVORS_NOT_SCALED = Reason(
    id="mode.survivors_not_scaled",
    text="what is not dropped stays as it was: it grows by 1 / (1 - dropout), or everything behind "
    "it is smaller in training than afterwards",
)
DROPPED_TWICE = Reason(
    id="mode.dropped_twice",
    text="what is not dropped grows by 1 / (1 - dropout) twice over, as where dropout works twice",
)
GROWN_BY_THE_OTHER_SHARE = Reason(
    id="mode.grown_by_the_other_share",
    text="what is not dropped grows by 1 / dropout: it is 1 / (1 - dropout) that keeps the mean",
)
SHARE_IS_KEPT = Reason(
    id="dropout.p_is_kept",
    text="The share p survives: it is the share that is dropped.",
)
NAN_AT_RATE_1 = Reason(
    id="dropout.zero_by_zero",
    text="At p = 1 this divides 0 by 0: nothing survives, and all becomes 0.",
)
BIASES_DROPPED = Reason(
    id="sdpa.finite_biases_dropped",
    text="A float mask hides only where it is -inf: its other numbers are biases, and are "
    "added to the scores.",
)
NOT_AFFINE = Reason(
    id="layers.not_affine",
    text="what should be a linear map and a bias is neither, as with an activation, a norm or a "
    "clamp on the way",
)
WITHOUT_BIAS = Reason(
    id="layers.without_bias",
    text="zeros give zeros: the linear map has no bias, or it is not added",
)
SINES_ALONE = Reason(
    id="positions.sines_alone",
    text="There are only sines: each frequency has a sine and a cosine.",
)
IN_ONE_ROW = Reason(
    id="interpolate.in_one_row",
    text="Positions are stretched as one long row: they are a grid.",
)
PREFIX_LAST = Reason(
    id="interpolate.prefix_last",
    text="The rows of the prefix come back at the end.",
)
PREFIX_AMONG_PATCHES = Reason(
    id="interpolate.class_token_too",
    text="The class token's row is interpolated with the others, as if it were a patch.",
)
PREFIX_SCALED = Reason(
    id="interpolate.prefix_normalised",
    text="The prefix is scaled along: it comes back untouched.",
)
FEATURES_MIXED = Reason(
    id="value.features_mixed",
    text="what stood in one feature comes back in others: patches and features change places by "
    "permute, and reshape only cuts the same row of numbers elsewhere",
)
SEVERAL_AT_A_TIME = Reason(
    id="steps.several_at_a_time",
    text="steps of one token give what the whole text gives, and a step of several does not: "
    "within a chunk tokens are mixed, see others than they may, or have wrong positions",
)
STEP_IS_ANOTHER = Reason(
    id="steps.first_is_another",
    text="the first step already gives its token another output than `prefill` does: `step` does "
    "not do the same to it, or what it needs of the tokens before is not kept",
)
LATER_STEPS = Reason(
    id="steps.later_ones",
    text="the first steps give what the whole text gives, and later ones do not: something that "
    "later steps need is dropped too soon, or counted wrongly",
)
POSITIONS_ADDED = Reason(
    id="model.positions_added",
    text="logits depend on where the text began, and outputs of the attention do not: places come "
    "in beside it, as by positions that are added to the embedding",
)
CACHE_IN_THE_STATE = Reason(
    id="kept.in_the_state",
    text="what a call keeps for the next one stands in the state_dict, which grows by it: it is "
    "no parameter, and no buffer that is saved",
)
NORM_AROUND_BRANCHES = Reason(
    id="norm.around_branches",
    text="what comes out is normalised where both branches add zeros: a norm lies on the way "
    "around the branches, and not only before what they read",
)
NOTHING_AROUND_BRANCHES = Reason(
    id="layers.no_residual",
    text="where branches add zeros, zeros come out: what a branch finds takes the tokens' place, "
    "and is not added to them",
)
NOTHING_LEFT = Reason(
    id="sample.top_p_may_drop_all",
    text="If the first token alone is above p, nothing is left: the most probable one "
    "always stays.",
)
WINDOW_WITHOUT_EFFECT = Reason(
    id="mask.window_without_effect",
    text="tokens see all that came before them: the window has no effect",
)
WINDOW_OFF_BY_ONE = Reason(
    id="mask.window_off_by_one",
    text="a token sees one token more, or one less, than the window holds, which is the token "
    "itself and window - 1 before it",
)
WINDOW_CENTRED = Reason(
    id="window.centred",
    text="The window lies around each token, half of it on either side: it holds the token itself "
    "and those before it.",
)
WINDOW_HALF_AS_LONG = Reason(
    id="window.half_as_long",
    text="The window reaches back half as far as it should: it holds the token itself and window - "
    "1 before it.",
)
ONE_MORE_AT_THE_BORDER = Reason(
    id="sample.top_p_one_more_at_the_border",
    text="Where the tokens before it add up to p exactly, one more is kept: they are enough.",
)
END_WITHOUT_EFFECT = Reason(
    id="generate.end_without_effect",
    text="the same text comes out without `end_token`: no text ends",
)
APPLIED_TWICE = Reason(
    id="embeddings.dropout_twice",
    text="Dropout is applied twice.",
)
TOKEN_BY_TOKEN = Reason(
    id="cached.token_by_token_from_the_start",
    text="The beginning goes in token by token: `prefill` takes all of it at once.",
)
HIDDEN_SCORES_TAKE_PART = Reason(
    id="mask.hidden_scores_take_part",
    text="beside a large hidden score nothing is left of what may be attended to: hidden scores "
    "take part in the maximum or in the sum before they are hidden",
)
ALONG_A_FIXED_AXIS = Reason(
    id="dim.fixed_axis",
    text="with both axes exchanged, and `dim` as well, the same numbers give other weights: some "
    "step goes along one and the same axis, whatever `dim` is",
)
NORM_OVER_TOKENS = Reason(
    id="norm.over_tokens",
    text="what a branch adds stays the same if all tokens grow alike, and not if each grows by "
    "itself: the norm is taken over several tokens, and not over the features of each",
)
ALL_SURVIVE = Reason(id="mode.all_survive", text="every number survives: nothing is dropped")
NOTHING_DROPPED = Reason(
    id="mode.nothing_dropped",
    text="train mode gives what eval mode gives, with a dropout above 0: nothing is dropped, or "
    "nothing that reaches the output",
)
ROWS_ADD_UP = Reason(
    id="mode.rows_add_up",
    text="something is dropped, and the weights of a row add up to 1 all the same: dropout works "
    "before the softmax, or the rows are normalised again after it",
)
SHARED_DROPS = Reason(
    id="mode.shared_drops",
    text="one draw serves neighbouring rows, or a whole head: each weight is dropped by itself",
)
NOBODY_SEES_SOMEBODY = Reason(
    id="leak.nobody_allowed",
    text="what may attend to nothing gathers something all the same: the weights of a row that is "
    "hidden altogether have to be 0",
)
ZEROS_TOO_LATE = Reason(
    id="mask.zeros_too_late",
    text="what may attend to nothing has an output of zeros: it is its weights that have to be 0, "
    "and the bias of the last map is added to what they gather",
)
MEAN_MOVES = Reason(
    id="mode.mean_moves",
    text="on average train mode gives something else than eval mode: what survives has to grow by "
    "1 / (1 - dropout), once",
)
STATE_OUTSIDE = Reason(
    id="kept.outside_the_state",
    text="two modules with the same state_dict give different outputs: they depend on something "
    "that is not in it, such as a number that each of them draws for itself",
)
CHANCE_ELSEWHERE = Reason(
    id="mode.chance_elsewhere",
    text="the generator that is given changes nothing: what is drawn comes from another one, such "
    "as one with a seed that is written down, or nothing is drawn",
)
CHANCE_BESIDE = Reason(
    id="mode.chance_beside_the_generator",
    text="a generator with the same seed gives other tokens: chance comes from another one, such "
    "as torch's own, alone or as well",
)
RISES_AGAIN = Reason(
    id="rate.rises_again",
    text="After the last step the cosine rises again: from there on the learning rate is 0.",
)
RAMP_FROM_0 = Reason(
    id="rate.first_step_is_0",
    text="The ramp begins at 0, so that the first step is for nothing: step 0 is the first, and "
    "has 1 / warmup.",
)
RAMP_TOO_FLAT = Reason(
    id="rate.ramp_divided_by_one_more",
    text="The ramp is divided by one step more than it has: its last step has the full learning "
    "rate.",
)
COSINE_AHEAD = Reason(
    id="rate.cosine_one_step_ahead",
    text="The cosine is one step ahead: the first step after the ramp still has the full learning "
    "rate.",
)
ENDS_ABOVE_0 = Reason(
    id="rate.ends_above_0", text="The cosine ends at a share of the peak, and not at 0."
)
RAMP_AHEAD = Reason(
    id="rate.ramp_begins_above",
    text="The ramp is one step ahead: the last step of the warm-up has the full length, and not "
    "the one before it.",
)
RAMP_BEHIND = Reason(
    id="rate.ramp_one_step_behind",
    text="The ramp is one step behind: its last step has the full learning rate.",
)
LOSS_OF_SOME_TEXTS = Reason(
    id="loss.of_some_texts",
    text="the loss does not depend on every text of the batch: each answer counts, whichever text "
    "it is in",
)
TOP_K_PASSED_OVER = Reason(
    id="sample.top_k_passed_over", text="tokens are drawn that `top_k` cuts off"
)
TOP_P_PASSED_OVER = Reason(
    id="sample.top_p_passed_over", text="tokens are drawn that `top_p` cuts off"
)
IMPOSSIBLE_DRAWN = Reason(
    id="sample.impossible_drawn",
    text="a token whose logit is -inf can be drawn: its probability is 0",
)
NORMALISED_AGAIN = Reason(
    id="dropout.normalised_again",
    text="Rows are normalised again: survivors grow by 1 / (1 - p), whatever the row adds up to.",
)
NAN_OF_THE_MASK = Reason(
    id="nan.of_the_mask",
    text="NaN even where the mask hides nothing, as where it is multiplied by -inf: 0 times "
    "infinity is NaN. -inf is filled in where something is hidden, by masked_fill or where",
)
MASKS_OF_OTHER_HEADS = Reason(
    id="mask.of_other_heads",
    text="of a mask for each head, not every head gets its own: one head's mask serves several",
)
DROPPED_ELSEWHERE = Reason(
    id="mode.dropped_elsewhere",
    text="something else than weights is dropped: where all tokens are alike, a dropped weight "
    "only changes how much of a head is gathered, and here single numbers change",
)
DROPPED_AT_THE_END = Reason(
    id="mode.dropped_at_the_end",
    text="numbers are dropped at the end of this branch alone, where each is there or not: "
    "attention drops weights, and the MLP numbers inside it",
)
OF_THE_FIRST_SAMPLE = Reason(
    id="mask.of_the_first_sample", text="every sample gets the mask of the first one"
)
