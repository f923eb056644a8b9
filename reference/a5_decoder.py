"""Assignment 5: the decoder, and attention that is fast enough to use.

An encoder reads. A decoder writes: one token, then the next, each with a look at all that it wrote
before and, where there is something to translate or describe, at what the encoder read. Two
questions follow it through this assignment.

*Where is a token?* Attention sees a set, not a sequence: shuffle keys and values together and no
output changes. So the position has to be written into the numbers, by adding a pattern to each
token (2017) or by turning queries and keys (2021). You write both.

*What is computed twice?* A decoder that writes token 1000 needs the keys and values of the 999
before it, and they have not changed: keep them, in a cache. And nobody needs the whole matrix of
weights at once: a softmax can be computed in passing, block by block, in memory that does not grow
with the square of the length. That is the idea of FlashAttention, in ten lines.

Shape letters: B batch, H heads, Dh head width, D model width, T tokens; where queries and keys are
not the same tokens, S of the former and L of the latter. … stands for any leading axes.
"""

import torch


def sinusoidal_positions(T: int, dim: int) -> torch.Tensor:
    """Return a vector for each position, made of sines and cosines.

    Section 3.5 of "Attention Is All You Need" (Vaswani et al., 2017), for positions p = 0, …, T - 1
    and pairs of columns i = 0, …, dim/2 - 1:

        table[p, 2i]     = sin(p / 10000^(2i / dim))
        table[p, 2i + 1] = cos(p / 10000^(2i / dim))

    Think of a clock with dim/2 hands. The first turns by one radian a token, each next one more
    slowly, and in a wide table the last one needs some 60000 tokens for a turn. Fast hands tell
    neighbours apart, slow hands tell the beginning from the end, and a step of k tokens turns each
    hand by the same angle wherever it starts: that is how attention can learn to look "three tokens
    back".

    Two places to slip: the exponent runs over 2i, so it goes from 0 to *nearly* 1, and sine and
    cosine alternate, column by column. (Code that puts all sines first exists and works as well;
    it is another table.)

    Shapes
        T        number of positions, at least 1
        dim      width of the table, even, or else a ValueError whose message contains it
        returns  (T, dim), in torch's default dtype

    Example: position 0 is 0, 1, 0, 1, …, whatever the width.

        >>> sinusoidal_positions(3, 4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.0100,  0.9999],
                [ 0.9093, -0.4161,  0.0200,  0.9998]])

    To write here: everything.
    """
    # BEGIN SOLUTION
    if dim % 2 != 0:
        raise ValueError(f"a width of {dim} cannot be divided into pairs of sine and cosine")
    position = torch.arange(T, dtype=torch.float64)
    pair = torch.arange(0, dim, 2, dtype=torch.float64)
    angle = position[:, None] / 10000.0 ** (pair / dim)  # T dim/2
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)  # T dim/2 2
    return table.flatten(1).to(torch.get_default_dtype())  # T dim
    # END SOLUTION


def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float = 10000.0) -> torch.Tensor:
    """Return queries or keys, turned by angles that say where each token is.

    "RoFormer: Enhanced Transformer with Rotary Position Embedding" (Su et al., 2021), section 3.2.
    Nothing is added to the token. Instead neighbouring features are taken as points in a plane,
    (x_0, x_1), (x_2, x_3), …, and the i-th of these Dh/2 points is turned by

        angle_i = position · base^(-2i / Dh)
        (a, b)  →  (a · cos - b · sin,  a · sin + b · cos)

    Why it works: when a query at position m and a key at position n are both turned, their dot
    product only feels the difference of the angles, and that depends on m - n alone. So a score
    knows how far apart two tokens are, and not where the text began. It is applied to queries and
    keys after they were split into heads, and never to values: those are what is said, and not
    where.

    Two conventions are in use, and published weights fit only one of them. Here, as in the paper,
    a pair is two *neighbours*, (2i, 2i + 1). Others pair feature i with feature i + Dh/2. Mix the
    pairs of one with the frequencies of the other, and a score no longer depends on m - n.

    Shapes
        x          (B, H, T, Dh), Dh even
        positions  (T,), integers of any value: a decoder that continues a text does not start at 0
        returns    (B, H, T, Dh), dtype and device as x's

    Compute the angles in float32 or better, whatever the dtype of x: bfloat16 cannot count beyond
    256. `x` and `positions` are not modified.

    Example: one token, one head, two points. At position 1 the first is turned by 1 radian, the
    second by a hundredth of that.

        >>> x = torch.tensor([1.0, 0.0, 1.0, 0.0]).reshape(1, 1, 1, 4)
        >>> apply_rope(x, torch.tensor([1])).flatten()
        tensor([0.5403, 0.8415, 0.9999, 0.0100])
        >>> apply_rope(x, torch.tensor([0])).flatten()
        tensor([1., 0., 1., 0.])

    To write here: everything.
    """
    # BEGIN SOLUTION
    half = torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device)
    frequency = base ** (-half / x.shape[-1])  # Dh/2
    angle = positions.to(torch.float64)[:, None] * frequency  # T Dh/2
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]  # B H T Dh/2
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)  # B H T Dh
    # END SOLUTION
