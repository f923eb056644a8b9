"""Assignment 1: attention from scratch.

Read a sentence and stop at one word. To understand it you look back and forth at the others, at
some of them closely and at most of them hardly at all. Attention is that look, written as
arithmetic: every token asks a question (its query), every token offers a label (its key) and
something to say (its value). The better a label answers a question, the more of that value is
taken over.

Torch's own attention is not allowed, here and in all that follows: neither
`F.scaled_dot_product_attention` nor `nn.MultiheadAttention`. You are the one who writes it. Compute
with torch's other operations, so that gradients reach what is handed in, unless a text says that
they are not asked for.

Shape letters, the same in every assignment:

    B   batch
    S   query tokens
    L   key and value tokens (S and L may differ)
    Dh  width of queries and keys
    Dv  width of values
    T   tokens, where queries and keys are the same ones
    D   width of a token
    …   any leading axes: none, (B,), (B, H), …
"""

import torch
from torch import nn


def dot_product_loop(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the dot product of two vectors, added up number by number.

    All of attention rests on one question: how alike are two vectors? The oldest answer multiplies
    them number by number and adds up the products,

        a · b = Σ_i a_i b_i

    It is large where both point the same way, 0 where they are at right angles, negative where
    they point apart. The length of the vectors counts too: a vector twice as long scores twice as
    much.

    Shapes
        a, b     (D,)
        returns  (): a tensor with a single number, dtype as a's

    Example: "Your" and "journey" of the sentence "Your journey starts with one step", as vectors
    of three numbers. The sentence is the running example of Raschka, "Build a Large Language Model
    (From Scratch)", chapter 3, and it stays with us for two assignments.

        >>> your, journey = torch.tensor([0.43, 0.15, 0.89]), torch.tensor([0.55, 0.87, 0.66])
        >>> dot_product_loop(your, journey)
        tensor(0.9544)

    To write here: everything, with a `for` loop over the numbers, and for once without torch's
    own products and sums. The numbers are floating-point ones: start from a plain 0.0, and the
    total takes their dtype.
    """
    # BEGIN SOLUTION
    total = 0.0
    for left, right in zip(a, b, strict=True):
        total = total + left * right
    return torch.as_tensor(total, dtype=a.dtype)
    # END SOLUTION


def attention_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Return the dot product of each query with each key.

    Six words with six others make 36 dot products, two pages of text a million, and a loop in
    Python takes its time over each. A product of matrices is exactly that: all dot products of the
    rows of one with the columns of the other, and it runs where the machine is fast.

        scores = Q Kᵀ        scores_ij = query_i · key_j

    Each row of the result belongs to a query and each column to a key. Keep that apart from the
    start: nothing in the numbers will remind you when all axes have the same length.

    Shapes
        query    (…, S, Dh)
        key      (…, L, Dh)
        returns  (…, S, L), dtype and device as the query's

    Only the last two axes of the keys change places. Every sample of a batch, and every head,
    keeps to itself. Nothing is divided or normalised here: that is the next exercises' work.

    Example: one query and three keys. The first key points the same way, the second at right
    angles to it, the third the opposite way.

        >>> query = torch.tensor([[2.0, 0.0]])
        >>> key = torch.tensor([[3.0, 0.0], [0.0, 3.0], [-1.0, 1.0]])
        >>> attention_scores(query, key)
        tensor([[ 6.,  0., -2.]])

    To write here: everything, without a loop. `query` and `key` are not modified.
    """
    # BEGIN SOLUTION
    return query @ key.transpose(-2, -1)  # … S L
    # END SOLUTION


def normalise_by_sum(scores: torch.Tensor) -> torch.Tensor:
    """Divide scores by their sum, and return shares that add up to 1.

    Attention begins with scores: one number for each token, the larger the more it matters. To
    mix tokens we need shares of a whole, and the first idea that comes to mind is a good one:

        share_i = score_i / Σ_j score_j

    Shapes
        scores   (T,)
        returns  (T,), dtype as the scores'

    Example: the scores of the word "journey" with the six words of "Your journey starts with one
    step".

        >>> normalise_by_sum(torch.tensor([0.9544, 1.4950, 1.4754, 0.8434, 0.7070, 1.0865]))
        tensor([0.1455, 0.2278, 0.2249, 0.1285, 0.1077, 0.1656])

    And here is why nobody stops at this idea. A score may be negative, and then so is the share;
    a token would be mixed in *less than not at all*:

        >>> normalise_by_sum(torch.tensor([3.0, 1.0, -2.0]))
        tensor([ 1.5000,  0.5000, -1.0000])

    A sum of 0 is worse still. (It is not graded: there is no good answer.)

    To write here: everything. `scores` is not modified.
    """
    # BEGIN SOLUTION
    return scores / scores.sum()
    # END SOLUTION


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
    # BEGIN SOLUTION
    powers = torch.exp(x)
    return powers / powers.sum()
    # END SOLUTION


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
        dim      the axis along which the entries sum to 1
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
    # BEGIN SOLUTION
    largest = x.amax(dim=dim, keepdim=True)
    shifted_powers = torch.exp(x - largest)
    return shifted_powers / shifted_powers.sum(dim=dim, keepdim=True)
    # END SOLUTION


def context_vector(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return the mixture of the values, each taken as often as its weight says.

    Scores have become weights; what are they for? To pour the tokens together. A token whose
    weight is 0.24 gives 0.24 of itself, and the sum of all these parts is the *context vector*: as
    long as a single token, and with something of every token in it.

        z = Σ_j w_j v_j

    Shapes
        weights  (T,)
        values   (T, D)
        returns  (D,), dtype as the values'

    The weights are used as they are, whatever they add up to.

    Example: a quarter of the first value and three quarters of the second.

        >>> context_vector(torch.tensor([0.25, 0.75]), torch.tensor([[8.0, 0.0], [0.0, 4.0]]))
        tensor([2., 3.])

    To write here: everything. `weights` and `values` are not modified.
    """
    # BEGIN SOLUTION
    return weights @ values  # D
    # END SOLUTION


def simple_self_attention(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Let every token look at every token, and return the context vectors and the weights.

    *Self*-attention: queries, keys and values are one and the same thing, the tokens themselves.
    Nothing is learned yet, there is not a single parameter, and still everything is there that
    attention is made of:

        weights = softmax(X Xᵀ)        context = weights X

    1. Scores: each token with each token, without any scale.
    2. Softmax along each row, so that every token hands out a total weight of 1.
    3. Mix: each row of weights gives one context vector.

    One thing is missing, and you can prove it: the order of the words. Shuffle the tokens, and the
    context vectors are the same ones, shuffled likewise. ("Dog bites man" and "man bites dog" are
    one to it.) A later assignment adds positions for that reason.

    Shapes
        x        (T, D) or (B, T, D)
        returns  context, of the shape of x, and weights (T, T) or (B, T, T); dtype as x's

    Example: two tokens are alike, and the third one is twice as long. A longer vector makes larger
    dot products, so all three, the short ones too, attend most to the third.

        >>> context, weights = simple_self_attention(torch.tensor([[1.0], [1.0], [2.0]]))
        >>> weights
        tensor([[0.2119, 0.2119, 0.5761],
                [0.2119, 0.2119, 0.5761],
                [0.1065, 0.1065, 0.7870]])
        >>> context
        tensor([[1.5761],
                [1.5761],
                [1.7870]])

    To write here: everything. Scores in the thousands give finite weights (`torch.softmax` sees to
    that, and so does your stable one). `x` is not modified.
    """
    # BEGIN SOLUTION
    weights = torch.softmax(x @ x.transpose(-2, -1), dim=-1)  # … T T
    return weights @ x, weights
    # END SOLUTION


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
    2. Scale. A dot product adds up Dh terms. If they are independent and their mean is 0, its
       spread grows like √Dh, and large scores push the softmax to where its gradient vanishes.
       Divide by √Dh, where Dh is the width of the *queries and keys*, whatever width the values
       have.
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
                mask of another float dtype is first cast to the query's.

    A query that may attend to no key at all gets zeros, in its output and in its weights, and
    gradients stay finite. (The softmax of a row of -inf is NaN, so treat such rows apart.)

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
    # BEGIN SOLUTION
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … S L
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype == torch.bool:
        forbidden = ~mask
    else:
        bias = mask.to(scores.dtype)
        forbidden = bias == -torch.inf
        scores = scores + bias
    scores = scores.masked_fill(forbidden, -torch.inf)
    # A row of -inf has no softmax (0 / 0, and NaN gradients): give it any other row, then zeros.
    empty = forbidden.all(dim=-1, keepdim=True)  # … S 1
    weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)
    weights = weights.masked_fill(forbidden, 0.0)
    return weights @ value, weights
    # END SOLUTION


class SelfAttentionV1(nn.Module):
    """Self-attention with three matrices that can be learned.

    Until now a token's question, label and content were one and the same vector. That is a poor
    conversation: long vectors tend to win, whoever asks, and token i scores with token j exactly
    what j scores with i. So each token gets three different vectors, made from it by three matrices
    (Vaswani et al., 2017, section 3.2.2, for one head):

        Q = X W_q      K = X W_k      V = X W_v
        context = softmax(Q Kᵀ / √d_out) V

    Training finds matrices for which the attention is useful. Here they start at random.

    Arguments
        d_in   width of a token that comes in
        d_out  width of queries, keys, values and of the result

    Names that the grader looks for: `W_query`, `W_key`, `W_value`, each an nn.Parameter of shape
    (d_in, d_out), so that `x @ W_query` is written exactly as in the equations.

    Example:

        >>> attention = SelfAttentionV1(d_in=3, d_out=2)
        >>> attention(torch.randn(6, 3)).shape
        torch.Size([6, 2])
        >>> [name for name, _ in attention.named_parameters()]
        ['W_query', 'W_key', 'W_value']
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        """Create the three matrices.

        To write here: the parameters, with random values (`torch.rand`). A plain tensor would not
        be trained, nor saved, nor moved to another device: `nn.Parameter` is what does it.
        """
        super().__init__()
        # BEGIN SOLUTION
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the context vector of each token.

        Shapes
            x        (T, d_in) or (B, T, d_in)
            returns  (T, d_out) or (B, T, d_out), dtype and device as x's

        To write here: everything, or a call of your own `scaled_dot_product_attention`. Mind that
        `.T` is for matrices: a batch has three axes. `x` is not modified.
        """
        # BEGIN SOLUTION
        query, key, value = x @ self.W_query, x @ self.W_key, x @ self.W_value  # … T d_out
        scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … T T
        return torch.softmax(scores, dim=-1) @ value
        # END SOLUTION


class SelfAttentionV2(nn.Module):
    """The same attention, its three matrices in nn.Linear layers.

    nn.Linear(d_in, d_out) is a matrix with better manners: it starts from numbers of a sensible
    size, and has a bias if you want one. One thing about it surprises everybody once. Its weight
    is stored the other way round, as (d_out, d_in), and what it computes is

        linear(x) = x Wᵀ + b

    Arguments
        d_in, d_out  as before
        qkv_bias     whether the three layers have a bias

    Names that the grader looks for: `W_query`, `W_key`, `W_value`, each an nn.Linear.

    Example:

        >>> attention = SelfAttentionV2(d_in=3, d_out=2)
        >>> attention.W_query.weight.shape
        torch.Size([2, 3])
        >>> attention(torch.randn(4, 6, 3)).shape
        torch.Size([4, 6, 2])
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        """Create the three layers.

        To write here: the layers.
        """
        super().__init__()
        # BEGIN SOLUTION
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the context vector of each token.

        Shapes
            x        (T, d_in) or (B, T, d_in)
            returns  (T, d_out) or (B, T, d_out), dtype and device as x's

        To write here: everything. `x` is not modified.
        """
        # BEGIN SOLUTION
        query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # … T d_out
        scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … T T
        output: torch.Tensor = torch.softmax(scores, dim=-1) @ value
        return output
        # END SOLUTION


def copy_v2_to_v1(v2: SelfAttentionV2, v1: SelfAttentionV1) -> None:
    """Make a SelfAttentionV1 compute what a SelfAttentionV2 computes.

    The two classes are two spellings of one function, and this is the proof: with the same
    numbers in them they give the same context vectors. Copying weights from one layout into
    another is routine work: whoever loads a published checkpoint does it.

    `v1` is changed in place, `v2` stays as it is, and afterwards they share no memory: training
    one does not move the other. The parameters of `v1` go on being trainable parameters of the
    same names. A `v2` with biases can't be copied, since `v1` has no place for them: raise a
    ValueError.

    Example:

        >>> v1, v2 = SelfAttentionV1(3, 2), SelfAttentionV2(3, 2)
        >>> x = torch.randn(6, 3)
        >>> torch.allclose(v1(x), v2(x))
        False
        >>> copy_v2_to_v1(v2, v1)
        >>> torch.allclose(v1(x), v2(x), atol=1e-6)
        True

    To write here: everything. torch refuses to change a parameter in place while it records
    gradients: `with torch.no_grad():`.
    """
    # BEGIN SOLUTION
    names = ("W_query", "W_key", "W_value")
    if any(getattr(v2, name).bias is not None for name in names):
        raise ValueError("SelfAttentionV1 has no place for the biases of SelfAttentionV2")
    with torch.no_grad():
        for name in names:
            getattr(v1, name).copy_(getattr(v2, name).weight.T)  # d_in d_out
    # END SOLUTION
