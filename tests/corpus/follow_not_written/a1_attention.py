"""Assignment 1: attention from scratch.

Read a sentence and stop at one word. To understand it you look back and forth at the others, at
some of them closely and at most of them hardly at all. Attention is that look, written as
arithmetic: every token asks a question (its query), every token offers a label (its key) and
something to say (its value). The better a label answers a question, the more of that value is
taken over.

Shape letters, the same in every assignment:

    B   batch
    S   query tokens
    L   key and value tokens (S and L may differ)
    Dh  width of queries and keys
    Dv  width of values
    T   tokens, where queries and keys are the same ones
    …   any leading axes: none, (B,), (B, H), …
"""

import torch


def normalise_by_sum(scores: torch.Tensor) -> torch.Tensor:
    """Divide scores by their sum, and return shares that add up to 1.

    Attention begins with scores: one number for each token, the larger the more it matters. To
    mix tokens we need shares of a whole, and the first idea that comes to mind is a good one:

        share_i = score_i / Σ_j score_j

    Shapes
        scores   (T,)
        returns  (T,), dtype as the scores'

    Example: the scores of the word "journey" with the six words of "Your journey starts with one
    step", the running example of Raschka, "Build a Large Language Model (From Scratch)", chapter 3.

        >>> normalise_by_sum(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])

    And here is why nobody stops at this idea. A score may be negative, and then so is the share;
    a token would be mixed in *less than not at all*:

        >>> normalise_by_sum(torch.tensor([3.0, 1.0, -2.0]))
        tensor([ 1.5000,  0.5000, -1.0000])

    A sum of 0 is worse still. (It is not graded: there is no good answer.)

    To write here: everything. `scores` is not modified.
    """
    raise NotImplementedError("normalise_by_sum: replace this line with your solution")


def softmax_naive(x: torch.Tensor) -> torch.Tensor:
    """Return exp(x) divided by its sum: the softmax, exactly as the formula says.

        softmax(x)_i = exp(x_i) / Σ_j exp(x_j)

    The exponential makes every number positive before they are normalised, so each share lies
    between 0 and 1. It keeps the order, and it is generous to the winner: a score that is larger
    by 1 gets e ≈ 2.718 times the share, whatever the two scores are.

    Shapes
        x        (T,)
        returns  (T,), dtype as x's

    Example: the same six scores.

        >>> softmax_naive(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])

    It is called naive because exp grows so fast: in float32 exp(89) is already infinity, and
    infinity / infinity is NaN. This function may do that, and is not graded on such scores.

        >>> softmax_naive(torch.tensor([100.0, 0.0]))
        tensor([nan, 0.])

    To write here: everything, from `exp` and `sum`. `x` is not modified.
    """
    raise NotImplementedError("softmax_naive: replace this line with your solution")


def stable_softmax(x: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return the softmax along one axis, for numbers of any size.

    The way out is a line of algebra. Adding the same constant to all scores multiplies numerator
    and denominator by the same factor, so nothing changes:

        exp(x_i - m) / Σ_j exp(x_j - m)  =  exp(x_i) / Σ_j exp(x_j)        for every m

    Choose m as the largest score *of that row*. Then the largest exponent is 0: no exp exceeds 1,
    the sum is at least 1, and nothing overflows. Scores far below the maximum become 0, which is
    what they are to all the digits that a float has. (Goodfellow, Bengio and Courville, "Deep
    Learning", section 4.1, tell the story.)

    Shapes
        x        any shape with at least one axis
        dim      the axis whose entries shall add up to 1
        returns  the shape, dtype and device of x

    An entry of -inf gets the share 0; that is how masks will work. (A row of nothing but -inf is
    not graded here. It has no softmax, and `scaled_dot_product_attention` deals with it.) The
    gradient is that of the softmax: finite, also for scores in the thousands.

    Example: scores on which the naive version gives NaN.

        >>> stable_softmax(torch.tensor([1000.0, 1001.0, 1002.0]))
        tensor([0.0900, 0.2447, 0.6652])
        >>> stable_softmax(torch.tensor([[0.0, 9.0], [0.0, -torch.inf]]), dim=0)
        tensor([[0.5000, 1.0000],
                [0.5000, 0.0000]])

    To write here: everything, from `exp`, `sum` and a maximum: that is the point of it. From the
    next exercise on torch.softmax is yours. `x` is not modified.
    """
    raise NotImplementedError("stable_softmax: replace this line with your solution")


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attend from every query to every key, and return the mixed values and the weights.

    This is equation 1 of "Attention Is All You Need" (Vaswani et al., 2017), with a mask M:

        Attention(Q, K, V) = softmax(Q Kᵀ / √Dh + M) V

    Reading it from the inside out:

    1. Scores. The dot product of each query with each key: how well does this label answer that
       question? One number for each pair, so (…, S, L).
    2. Scale. A dot product of Dh independent terms has a spread that grows like √Dh, and large
       scores push the softmax to where its gradient vanishes. Divide by √Dh, the width of the
       *queries and keys*, whatever width the values have.
    3. Mask. Decided before the softmax, so that what remains still adds up to 1.
    4. Softmax over the *keys*: every query spends a total weight of 1 on the L keys.
    5. Mix. Each output is the weighted average of the values.

    Shapes
        query   (…, S, Dh)
        key     (…, L, Dh)
        value   (…, L, Dv)
        mask    broadcasts against (…, S, L), axes of size 1 included; None allows everything
        returns output (…, S, Dv) and weights (…, S, L), dtype and device as the query's

    The mask comes in two kinds:
        bool    True means *may attend*, as in torch.nn.functional. (torch.nn.MultiheadAttention
                uses the opposite meaning. Mixing the two up is a classic.)
        float   added to the scaled scores. Only -inf forbids, every finite number is a bias. A
                mask of another float dtype is cast to the query's.

    A query that may attend to no key at all gets zeros, in its output and in its weights, and
    gradients stay finite. (The softmax of a row of -inf is NaN: that row needs a thought.)

    The arguments are never modified. Half precision stays half precision: -1e9 does not fit into
    float16, -inf does.

    Example: the one query points along the first axis, and so does the first key. The scores are
    2 and 0, divided by √4 they are 1 and 0, and the softmax of that is 0.7311 and 0.2689.

        >>> query = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
        >>> key = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
        >>> value = torch.tensor([[10.0], [20.0]])
        >>> output, weights = scaled_dot_product_attention(query, key, value)
        >>> weights
        tensor([[0.7311, 0.2689]])
        >>> output
        tensor([[12.6894]])
        >>> scaled_dot_product_attention(query, key, value, torch.tensor([[False, True]]))
        (tensor([[20.]]), tensor([[0., 1.]]))

    To write here: everything. The functions of torch that help are `@`, `transpose`,
    `masked_fill` and `softmax`; torch's own attention functions are not allowed.
    """
    raise NotImplementedError("scaled_dot_product_attention: replace this line with your solution")


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # normalise_by_sum
    print(normalise_by_sum(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])))
    # tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])
    print(normalise_by_sum(torch.tensor([3.0, 1.0, -2.0])))
    # tensor([ 1.5000,  0.5000, -1.0000])

    # softmax_naive
    print(softmax_naive(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865])))
    # tensor([0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581])
    print(softmax_naive(torch.tensor([100.0, 0.0])))
    # tensor([nan, 0.])

    # stable_softmax
    print(stable_softmax(torch.tensor([1000.0, 1001.0, 1002.0])))
    # tensor([0.0900, 0.2447, 0.6652])
    print(stable_softmax(torch.tensor([[0.0, 9.0], [0.0, -torch.inf]]), dim=0))
    # tensor([[0.5000, 1.0000],
    #         [0.5000, 0.0000]])

    # scaled_dot_product_attention
    query = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
    value = torch.tensor([[10.0], [20.0]])
    output, weights = scaled_dot_product_attention(query, key, value)
    print(weights)
    # tensor([[0.7311, 0.2689]])
    print(output)
    # tensor([[12.6894]])
    print(scaled_dot_product_attention(query, key, value, torch.tensor([[False, True]])))
    # (tensor([[20.]]), tensor([[0., 1.]]))
