"""Reasons that a failing check can prove: what its own numbers show of the mistake.

Each is asked only once a check has failed, of the student's own module, and holds in whatever way
the module stores its weights. A reason that the numbers do not prove is none.
"""

from typing import NamedTuple

import torch


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
TRANSPOSED = Reason(
    id="mask.transposed", text="the mask is read the other way round, as key by query"
)
INVERTED = Reason(
    id="mask.inverted", text="the mask hides what it allows, and allows what it should hide"
)
WITHOUT_EFFECT = Reason(
    id="mask.without_effect", text="the mask has no effect: everybody sees everybody"
)
SAME_IN_EACH_CALL = Reason(
    id="mode.same_in_each_call",
    text="something is dropped, and the same in each call: each call draws anew",
)
DRAWN_IN_EVAL = Reason(
    id="mode.drawn_in_eval",
    text="two calls in eval mode differ: something is dropped there, as in train mode",
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
DROPPED_ELSEWHERE = Reason(
    id="mode.dropped_elsewhere",
    text="something else than weights is dropped: where all tokens are alike, a dropped weight "
    "only changes how much of a head is gathered, and here single numbers change",
)
OF_THE_FIRST_SAMPLE = Reason(
    id="mask.of_the_first_sample", text="every sample gets the mask of the first one"
)


def same_in_each_call(first: torch.Tensor, second: torch.Tensor) -> Reason | None:
    """Prove that two calls dropped the same; both are bool of one shape, True where dropped."""
    return SAME_IN_EACH_CALL if bool(first.any()) and torch.equal(first, second) else None


def another_each_time(first: torch.Tensor, second: torch.Tensor) -> Reason | None:
    """Prove that two calls with one input gave different outputs, both of one shape."""
    return ANOTHER_EACH_TIME if bool(((first - second).abs() > 1e-4).any()) else None


def dropped_elsewhere(directions: int, heads: int) -> Reason | None:
    """Prove that not only weights are dropped, from the directions in which dropout moves outputs.

    All tokens are alike, so that dropped weights move an output along each head's own vector only.
    """
    return DROPPED_ELSEWHERE if directions > heads else None


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
    return FILLED_WITH_A_NUMBER if int((wrong & shared).sum()) >= 2 else None


def lost_to_a_number(gap: torch.Tensor, calm_gap: torch.Tensor) -> Reason | None:
    """Prove that weight is lost where all that may be attended to scores low, whatever is hidden.

    `gap` (N, D) is how far tokens are from what is right that see only themselves. What is hidden
    from each is a copy of it: whoever hides after the softmax is right here, as no hidden score is
    larger. `calm_gap` is the same for ordinary scores, where all must be right.
    """
    wrong = gap.detach().abs().amax(-1) > 1e-3  # N
    calm = bool((calm_gap.detach().abs() < 1e-4).all())
    return LOST_TO_A_NUMBER if calm and int(wrong.sum()) >= 2 else None


def reading_of(
    seen: torch.Tensor, allowed: torch.Tensor, others: torch.Tensor, is_ignored: bool
) -> Reason | None:
    """Name the one other way of reading a mask that explains who is seen.

    All are (B, T, T) bool: what is seen, what the mask allows, and the places where that can be
    told. None if no reading fits, or several. `is_ignored`: the same comes out without the mask.
    That everybody is seen proves less: whoever normalises along another axis sees everybody too.
    """
    if is_ignored:
        return WITHOUT_EFFECT
    readings = (
        (TRANSPOSED, allowed.transpose(1, 2)),
        (INVERTED, ~allowed),
        (OF_THE_FIRST_SAMPLE, allowed[:1].expand_as(allowed)),
    )
    fitting = [
        reason
        for reason, reading in readings
        if bool(((seen == reading) | ~others).all()) and bool(((reading != allowed) & others).any())
    ]
    return fitting[0] if len(fitting) == 1 else None
