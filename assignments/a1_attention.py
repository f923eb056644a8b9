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
    …   any leading axes: none, (B,), (B, H), …
"""

import torch


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
