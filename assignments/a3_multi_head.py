"""Assignment 3: multi-head attention.

One head of attention spends one budget of weight: if a word has to look at its subject *and* at
the comma behind it, each look makes the other fainter. So let several heads look at once, each
with questions and labels of its own, and let a last linear map put together what they found.

What is surprising is that this costs nothing. The width is not multiplied by the number of heads,
it is divided among them: three heads of width 4 need the same linear maps as one of width 12. All
that is new is bookkeeping with axes, and that is where nearly all mistakes of this assignment are
made.

              one token, d_out = 12                     three heads, Dh = 4

    [ q0 q1 q2 q3 | q4 q5 q6 q7 | q8 q9 q10 q11 ]  →  head 0: q0 q1 q2 q3
                                                      head 1: q4 q5 q6 q7
                                                      head 2: q8 q9 q10 q11

What you wrote in assignment 1 may be called here, by `from a1_attention import ...`. A mistake in
there costs its points there, and not here once more.

Shape letters: B batch, T tokens, H heads, Dh head width; d_in and d_out are the widths before and
after, and d_out = H · Dh.
"""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Several causal heads side by side, and a linear map that mixes their findings.

    This is section 3.2.2 of "Attention Is All You Need" (Vaswani et al., 2017), with the triangle
    of assignment 2 as its mask:

        head_h = dropout(softmax(Q_h K_hᵀ / √Dh, over the allowed keys)) V_h
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    Q_h, K_h and V_h are the slices of width Dh = d_out / H that belong to head h: head 0 has the
    first Dh features, head 1 the next Dh, and so on. Each head attends on its own, with a softmax
    of its own, and scales by √Dh: its *own* width and not that of the whole model.

    Arguments
        d_in            width of a token that comes in
        d_out           width of queries, keys and values of all heads together, and of the result
        context_length  the longest sequence that will ever be seen
        dropout         probability with which an attention weight is dropped in train mode
        num_heads       H; it must divide d_out
        qkv_bias        whether the three linear maps have a bias (the last one always has)

    Names that the grader, and published checkpoints, look for: `W_query`, `W_key`, `W_value` and
    `out_proj`, all nn.Linear.

    Example: whatever the weights are, the first token can only look at itself, in every head.

        >>> attention = MultiHeadAttention(3, 6, context_length=8, dropout=0.0, num_heads=2)
        >>> tokens = torch.randn(1, 5, 3)
        >>> output = attention(tokens)
        >>> output.shape
        torch.Size([1, 5, 6])
        >>> alone = attention.out_proj(attention.W_value(tokens[:, 0]))
        >>> torch.allclose(output[:, 0], alone, atol=1e-6)
        True
    """

    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        """Create the four linear maps, the dropout and the causal mask.

        If num_heads does not divide d_out, raise a ValueError whose message contains both
        numbers. (An `assert` would say it too, until somebody runs `python -O`.)

        To write here: that check, the dropout, the mask as a buffer as in assignment 2, and
        whatever `forward` needs to know.
        """
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        raise NotImplementedError(
            "MultiHeadAttention.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what each token gathers from itself and from the tokens before it.

        Shapes
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out), dtype and device as x's

        The way through, with the shape after each step:
            project             (B, T, d_out)       three times
            split the features  (B, T, H, Dh)       features split, tokens stay where they are
            heads to the front  (B, H, T, Dh)       so that @ treats a head like a batch
            scores              (B, H, T, T)        scale, mask, softmax, dropout as in assignment 2
            mix the values      (B, H, T, Dh)
            tokens to the front (B, T, H, Dh)       do not skip this one: see below
            merge the features  (B, T, d_out)       and through `out_proj`

        The classic: reshaping (B, H, T, Dh) to (B, T, d_out) directly. The shape is right, no
        error is raised, and features of different tokens land in one row. A number that knows
        its place shows it. With T = 2, H = 2, Dh = 1 write token and head into each entry:

            by head   [[t0h0, t1h0], [t0h1, t1h1]]
            wrong     [[t0h0, t1h0], [t0h1, t1h1]]    row 0 holds both tokens
            right     [[t0h0, t0h1], [t1h0, t1h1]]    row 0 is token 0

        `x` is not modified.

        To write here: everything.
        """
        raise NotImplementedError(
            "MultiHeadAttention.forward: replace this line with your solution"
        )


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # MultiHeadAttention
    attention = MultiHeadAttention(3, 6, context_length=8, dropout=0.0, num_heads=2)
    tokens = torch.randn(1, 5, 3)
    output = attention(tokens)
    print(output.shape)
    # torch.Size([1, 5, 6])
    alone = attention.out_proj(attention.W_value(tokens[:, 0]))
    print(torch.allclose(output[:, 0], alone, atol=1e-6))
    # True
