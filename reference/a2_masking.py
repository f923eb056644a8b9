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

What you wrote in assignment 1 may be called here:

    from a1_attention import scaled_dot_product_attention

A mistake in there costs its points there, and not here once more.

Shape letters: B batch, T tokens; d_in and d_out are the widths before and after.
"""

import torch
from torch import nn


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

    Names that the grader, and published checkpoints, look for: `W_query`, `W_key`, `W_value`
    (nn.Linear) and a buffer called `mask`. A buffer belongs to the module like a parameter does
    and moves with `.to(...)`, but it is not trained. What is in it is up to you.

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
        # BEGIN SOLUTION
        self.dropout = nn.Dropout(dropout)
        may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("mask", may_attend)
        # END SOLUTION

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
        # BEGIN SOLUTION
        tokens, longest = x.shape[1], self.mask.shape[0]
        if tokens > longest:
            raise ValueError(f"{tokens} tokens do not fit a context_length of {longest}")
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # B T d_out
        scores = query @ key.transpose(1, 2) * query.shape[-1] ** -0.5  # B T T
        scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        output: torch.Tensor = weights @ value  # B T d_out
        return output
        # END SOLUTION
