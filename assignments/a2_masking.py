"""Assignment 2: masking.

A model that learns to continue a text must not see the continuation. In a matrix of attention
weights, row i is what token i looks at, so "no looking ahead" is a triangle: the diagonal and
everything left of it may be used, everything right of it may not.

              key 0   1   2   3
    query 0       ✓   ·   ·   ·        ✓  may attend
    query 1       ✓   ✓   ·   ·        ·  hidden: that token lies in the future
    query 2       ✓   ✓   ✓   ·
    query 3       ✓   ✓   ✓   ✓

The pay-off is large: one pass over T tokens trains T predictions at once, because no position
can cheat.

You will build that triangle first, then find the right moment to apply it, then add two things
that every real model needs: sequences of different lengths in one batch, and dropout. At the end
it all comes together in a module.

What you wrote in assignment 1 may be called here:

    from a1_attention import scaled_dot_product_attention

A mistake in there costs its points there, and not here once more.

Torch's own attention is not allowed: neither `F.scaled_dot_product_attention` nor
`nn.MultiheadAttention`.

Shape letters, the same in every assignment:

    B            batch
    S            query tokens
    L            key tokens (S and L may differ)
    T            tokens, where queries and keys are the same ones
    d_in, d_out  widths of a token before and after
    …            any leading axes: none, (B,), (B, H), …
"""

import torch
from torch import nn


def causal_mask(T: int, offset: int = 0, device: torch.device | str | None = None) -> torch.Tensor:
    """Return which keys each of T queries may see, if none may look ahead.

    Query i may attend to key j if j is not later than i:

        mask_ij = (j <= i + offset)

    The offset is for the moment when a model writes. Then it has `offset` tokens behind it, whose
    keys and values it kept, and only the T tokens at the end are new: T queries, T + offset keys.
    The first new token may see all the old ones and itself.

    Shapes
        returns  (T, T + offset) bool, True = may attend, on `device` (None: torch's default)

    Example: the triangle at the top of this page, and the last two of five tokens.

        >>> causal_mask(4)
        tensor([[ True, False, False, False],
                [ True,  True, False, False],
                [ True,  True,  True, False],
                [ True,  True,  True,  True]])
        >>> causal_mask(2, offset=3)
        tensor([[ True,  True,  True,  True, False],
                [ True,  True,  True,  True,  True]])

    To write here: everything. `torch.ones` and its `tril` get you there, and so does comparing
    `torch.arange` with itself. T is at least 1, and the offset is never negative. The device is
    tried with torch's "meta", which knows shapes and holds no numbers.
    """
    raise NotImplementedError("causal_mask: replace this line with your solution")


def mask_then_renormalise(weights: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Hide keys in weights that add up to 1 already, and make the rest add up to 1 again.

    The first idea: take finished attention weights and cross out what may not be seen. What
    remains of a row then adds up to less than 1, so each row is divided by what it has left:

        w'_ij = w_ij m_ij / Σ_k w_ik m_ik

    Shapes
        weights  (…, S, L), each row adds up to 1
        mask     bool, True = may attend, broadcasts against (…, S, L), axes of size 1 included
        returns  (…, S, L), dtype and device as the weights'

    A triangle of ones and zeros, as `torch.tril(torch.ones(T, T))` makes it, is a mask too: 1
    stands for True. A row of which nothing remains, because no key is allowed or because all
    allowed weights are 0, becomes a row of zeros, and gradients stay finite. Any other row adds up
    to 1, however little remains of it. Nothing that comes in is modified.

    Example: the first word may only see itself, and the second one both.

        >>> weights = torch.tensor([[0.2, 0.8], [0.5, 0.5]])
        >>> mask_then_renormalise(weights, causal_mask(2))
        tensor([[1.0000, 0.0000],
                [0.5000, 0.5000]])

    To write here: everything.
    """
    raise NotImplementedError("mask_then_renormalise: replace this line with your solution")


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return the softmax over the allowed entries only.

    The better idea: hide keys *before* the softmax, and it normalises what remains by itself. A
    score of -inf does it, since exp(-inf) = 0:

        w_ij = exp(s_ij) / Σ_k exp(s_ik)   if j is allowed, otherwise 0; k is any allowed key

    On paper this equals `mask_then_renormalise(softmax(scores), mask)`: the sum over all keys
    cancels. In numbers it is one division instead of two, and safer: a hidden key with a huge
    score pushes all the others down to 0 in the first softmax, and 0 can't be normalised again.
    Here the hidden key never takes part.

    Shapes
        scores   any shape
        mask     as above: bool (or ones and zeros), broadcasts against scores
        dim      the axis along which the entries sum to 1
        returns  shape, dtype and device of scores

    Where nothing along `dim` is allowed the result is 0, and gradients stay finite. (The softmax
    of nothing but -inf is 0 / 0, and a NaN that is painted over afterwards comes back in the
    gradient.) It works in half precision: -1e9 does not fit into float16, -inf does.

    Example: the largest score is hidden, and the last row has no key left.

        >>> scores = torch.tensor([[1.0, 2.0, 9.0], [1.0, 2.0, 9.0]])
        >>> masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]]))
        tensor([[0.2689, 0.7311, 0.0000],
                [0.0000, 0.0000, 0.0000]])

    To write here: everything; `torch.softmax` and `masked_fill` help. Nothing that comes in is
    modified.
    """
    raise NotImplementedError("masked_softmax: replace this line with your solution")


def padding_mask(lengths: torch.Tensor, L: int) -> torch.Tensor:
    """Return which keys are words and which are padding, for sequences of different lengths.

    A batch is a rectangle, and sentences are not. The short ones are filled up with tokens that
    mean nothing, and nobody may attend to those:

        mask_bj = (j < length_b)

    Shapes
        lengths  (B,), integers from 0 to L
        returns  (B, 1, 1, L) bool, True = may attend, on the device of `lengths`

    The two axes of length 1 are for heads and queries: against scores of shape (B, H, S, L) the
    same keys are hidden from every head and every query. It is the *keys* that are hidden. A
    padded query may look wherever it likes, since nobody reads what it finds.

    Example: two sentences of one and three words, filled up to three. (The axes of length 1 are
    left out, for the eye.)

        >>> padding_mask(torch.tensor([1, 3]), 3)[:, 0, 0]
        tensor([[ True, False, False],
                [ True,  True,  True]])

    To write here: everything. The device is tried with torch's "meta", which knows shapes and
    holds no numbers.
    """
    raise NotImplementedError("padding_mask: replace this line with your solution")


def combine_masks(*masks: torch.Tensor | None) -> torch.Tensor | None:
    """Return the mask that allows what every given mask allows.

    A decoder hides the future *and* the padding. With bool masks, both is a logical and:

        mask = mask_1 ∧ mask_2 ∧ …

    (Masks of very negative numbers would be added up instead, and two of the lowest float16 add up
    to -inf: one more reason to keep masks bool until the very end.)

    Shapes
        masks    bool, True = may attend, that broadcast against one another; None allows everything
        returns  bool, of the common shape, on the device of the masks; None if nothing was given
                 or nothing but None

    No mask that comes in is modified. A single mask may be returned as it is.

    Example: two words and one padding token, none of which may look ahead.

        >>> combine_masks(causal_mask(3), None, padding_mask(torch.tensor([2]), 3))
        tensor([[[[ True, False, False],
                  [ True,  True, False],
                  [ True,  True, False]]]])

    To write here: everything.
    """
    raise NotImplementedError("combine_masks: replace this line with your solution")


def attention_dropout(weights: torch.Tensor, p: float, training: bool) -> torch.Tensor:
    """Drop attention weights at random in training, and nothing otherwise.

    A model that always finds its answer at the same place learns to look nowhere else. So, while
    it learns, each weight is crossed out with probability p, independently of all others, and the
    survivors grow so that on average nothing changes (Srivastava et al., 2014; here scaled in
    training, "inverted", as everybody does today):

        w'_ij = 0               with probability p
        w'_ij = w_ij / (1 - p)  otherwise

    Why 1 / (1 - p)? A share of 1 - p survives, so the mean of w'_ij is (1 - p) · w_ij / (1 - p),
    which is w_ij. Beware of p = 0.5, where 1/p is the same number: with p = 0.1 the survivors
    grow by 1.11 and not by 10.

    A row then no longer adds up to exactly 1, but only on average. That is meant to be so: do not
    normalise it again.

    Shapes
        weights   any shape, attention weights (…, S, L) as a rule
        p         probability from 0 to 1; at 1 nothing survives, and all becomes 0
        training  whether anything is dropped at all; if not, the weights come back as they are
        returns   shape, dtype and device of weights; gradients flow through the survivors

    Example: of 10,000 weights of 0.6, about 8,000 survive p = 0.2, and all of these are
    0.6 / 0.8 = 0.75.

        >>> survivors = attention_dropout(torch.full((100, 100), 0.6), p=0.2, training=True)
        >>> bool(7700 < (survivors > 0).sum() < 8300)
        True
        >>> survivors.max()
        tensor(0.7500)
        >>> attention_dropout(torch.tensor([0.6]), p=0.2, training=False)
        tensor([0.6000])

    The grader can't know which weights your draw will cross out, and never asks: it counts, over
    thousands of them. New weights are drawn in every call, so leave the seed alone.

    To write here: everything; `torch.rand` draws numbers between 0 and 1. `weights` is not
    modified.
    """
    raise NotImplementedError("attention_dropout: replace this line with your solution")


class CausalAttention(nn.Module):
    """One head of self-attention in which no token sees a later one.

    Queries, keys and values are three linear maps of the same tokens. Between them runs equation 1
    of "Attention Is All You Need" (Vaswani et al., 2017), with the triangle above as its mask:

        weights = softmax(Q Kᵀ / √d_out, over the allowed keys)
        output  = dropout(weights) V

    Arguments
        d_in            width of a token that comes in
        d_out           width of queries, keys, values and of the result
        context_length  the longest sequence that will ever be seen
        dropout         probability with which an attention weight is dropped in train mode
        qkv_bias        whether the three linear maps have a bias

    Names that the grader looks for: `W_query`, `W_key`, `W_value` (nn.Linear) and a buffer called
    `mask`. A buffer belongs to the module like a parameter does and moves with `.to(...)`, but it
    is not trained. What is in it is up to you.

    Example: whatever the weights are, the first token can only look at itself.

        >>> attention = CausalAttention(d_in=3, d_out=2, context_length=8, dropout=0.0)
        >>> tokens = torch.randn(1, 5, 3)
        >>> output = attention(tokens)
        >>> output.shape
        torch.Size([1, 5, 2])
        >>> torch.allclose(output[:, 0], attention.W_value(tokens[:, 0]))
        True
    """

    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        """Create the three linear maps, the dropout and the mask.

        To write here: the dropout, and the mask for `context_length` tokens, registered with
        `register_buffer`. Build the triangle once, here, and not in every call.
        """
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        raise NotImplementedError("CausalAttention.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what each token gathers from itself and from the tokens before it.

        Shapes
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out), dtype and device as x's

        A sequence may be shorter than `context_length`: use the top left T by T of the mask. For a
        longer one raise a ValueError whose message contains both numbers, T and context_length.
        The mask comes before the softmax, so that each row of weights still adds up to 1. The
        dropout comes after it, acts on the weights, and only in train mode. `x` is not modified.

        To write here: everything.
        """
        raise NotImplementedError("CausalAttention.forward: replace this line with your solution")


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # causal_mask
    print(causal_mask(4))
    # tensor([[ True, False, False, False],
    #         [ True,  True, False, False],
    #         [ True,  True,  True, False],
    #         [ True,  True,  True,  True]])
    print(causal_mask(2, offset=3))
    # tensor([[ True,  True,  True,  True, False],
    #         [ True,  True,  True,  True,  True]])

    # mask_then_renormalise
    weights = torch.tensor([[0.2, 0.8], [0.5, 0.5]])
    print(mask_then_renormalise(weights, causal_mask(2)))
    # tensor([[1.0000, 0.0000],
    #         [0.5000, 0.5000]])

    # masked_softmax
    scores = torch.tensor([[1.0, 2.0, 9.0], [1.0, 2.0, 9.0]])
    print(masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]])))
    # tensor([[0.2689, 0.7311, 0.0000],
    #         [0.0000, 0.0000, 0.0000]])

    # padding_mask
    print(padding_mask(torch.tensor([1, 3]), 3)[:, 0, 0])
    # tensor([[ True, False, False],
    #         [ True,  True,  True]])

    # combine_masks
    print(combine_masks(causal_mask(3), None, padding_mask(torch.tensor([2]), 3)))
    # tensor([[[[ True, False, False],
    #           [ True,  True, False],
    #           [ True,  True, False]]]])

    # attention_dropout
    survivors = attention_dropout(torch.full((100, 100), 0.6), p=0.2, training=True)
    print(bool(7700 < (survivors > 0).sum() < 8300))
    # True
    print(survivors.max())
    # tensor(0.7500)
    print(attention_dropout(torch.tensor([0.6]), p=0.2, training=False))
    # tensor([0.6000])

    # CausalAttention
    attention = CausalAttention(d_in=3, d_out=2, context_length=8, dropout=0.0)
    tokens = torch.randn(1, 5, 3)
    output = attention(tokens)
    print(output.shape)
    # torch.Size([1, 5, 2])
    print(torch.allclose(output[:, 0], attention.W_value(tokens[:, 0])))
    # True
