"""Answers in which nobody understood anything, and what they may earn all the same.

`grader validate` makes answers of zeros, ones, constants, random numbers and the input itself for
every exercise; here are those that only this course can think of.
"""

from grader.misconceptions import BlankAnswer

MAY_EARN = {
    "shapes": "zeros of the right shape have the right shape, and errors come before any answer",
    "state": "parameters, buffers and inputs left alone say nothing about values",
}
"""Criterion, or slug/criterion -> why any blank answer may earn it."""

_RIGHT_BESIDES = ("modes", "numerics", "gradients")
"""Its values are projected, dropped and differentiated as they should be; only the weights are not.
A gradient is compared with the student's own function, wrong as that may be."""

BLANK_ANSWERS = (
    BlankAnswer(
        id="blank: uniform attention in a1.sdpa",
        target="scaled_dot_product_attention",
        source="""
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1)
    weights = torch.full_like(scores, 1 / key.shape[-2])
    return weights @ value, weights
""",
        may_earn=("gradients",),
    ),
    BlankAnswer(
        id="blank: uniform attention in a2.causal_attention",
        target="CausalAttention",
        edits=(
            ("scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)", "pass"),
            ("torch.softmax(scores, dim=-1)", "torch.ones_like(scores) / tokens"),
        ),
        may_earn=_RIGHT_BESIDES,
    ),
    BlankAnswer(
        id="blank: uniform attention in a3.mha",
        target="MultiHeadAttention",
        edits=(
            ("scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)", "pass"),
            ("torch.softmax(scores, dim=-1)", "torch.ones_like(scores) / tokens"),
        ),
        may_earn=_RIGHT_BESIDES,
    ),
    BlankAnswer(
        id="blank: uniform attention in a3.gqa",
        target="GroupedQueryAttention",
        edits=(("query.shape[-1] ** -0.5", "0.0"), ("if mask is None:", "if True:")),
        may_earn=_RIGHT_BESIDES,
    ),
)
