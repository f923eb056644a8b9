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

The decoder is built of the attentions you wrote in assignment 3. A mistake in one of them costs its
points there, and not here once more.

Torch's own attention and its Transformer layers are not allowed: neither
`F.scaled_dot_product_attention` nor `nn.MultiheadAttention`, and no `nn.TransformerDecoderLayer`.
"""

from collections.abc import Sequence

import torch
from a3_multi_head import CrossAttention, PackedMultiHeadAttention
from torch import nn


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


class FeedForward(nn.Module):
    """The MLP of assignment 4, complete: each token by itself, wide, bent, and narrow again."""

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D) → (…, D)."""
        wide = self.dropout(self.activation(self.fc1(x)))  # … expansion·D
        result: torch.Tensor = self.dropout(self.fc2(wide))  # … D
        return result


class DecoderBlock(nn.Module):
    """One layer of a decoder: look back at the own text, look over to the memory, think.

    The right half of figure 1 in "Attention Is All You Need", with the norms in front as in the
    encoder of assignment 4 (Xiong et al., "On Layer Normalization in the Transformer
    Architecture", 2020, tell why):

        x = x + self_attention(norm1(x))             causal: no token sees a later one
        x = x + cross_attention(norm2(x), memory)    queries from x, keys and values from memory
        x = x + mlp(norm3(x))

    What the two halves of the model see is worth a minute. The encoder, which made the memory, saw
    all of its input at once. The decoder sees all of the memory too, whatever token it is at; what
    it may not see is the rest of its *own* text, the very thing it is to write.

    Arguments
        emb_size   D, the width of x and of the memory
        num_heads  H of both attentions; it must divide D
        expansion  the mlp is expansion · D wide inside
        dropout    probability of the dropouts on the weights of self-attention and in the mlp;
                   more on a branch is up to you

    Names that the grader looks for: `norm1`, `self_attention`, `norm2`, `cross_attention`, `norm3`,
    `mlp`. The attentions are your own from assignment 3, imported above (a class that you write in
    this file is as welcome). The mlp stands above, complete.

    Example: what the first token becomes does not depend on the second; it does on the memory.

        >>> block = DecoderBlock(6, num_heads=2)
        >>> x, memory = torch.randn(1, 2, 6), torch.randn(1, 4, 6)
        >>> output = block(x, memory)
        >>> output.shape
        torch.Size([1, 2, 6])
        >>> torch.allclose(block(x[:, :1], memory), output[:, :1], atol=1e-6)
        True
        >>> torch.allclose(block(x, memory + 1.0), output, atol=1e-6)
        False
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """Create three norms, two attentions and the mlp. To write here: everything."""
        super().__init__()
        # BEGIN SOLUTION
        self.norm1 = nn.LayerNorm(emb_size)
        self.self_attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.cross_attention = CrossAttention(emb_size, emb_size, emb_size, num_heads)
        self.norm3 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)
        # END SOLUTION

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the tokens after one layer.

        Shapes
            x            (B, T, D), the text so far
            memory       (B, L, D), what the encoder made of its input. It is used as it comes: the
                         norms of this block are for x
            memory_mask  (B, L) bool, True = may attend: False is padding of the encoder's input
            returns      (B, T, D), dtype as x's

        The mask of the memory has nothing to do with the triangle: each is for one of the two
        attentions. The arguments are not modified.

        To write here: everything.
        """
        # BEGIN SOLUTION
        tokens = x.shape[1]
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).tril()
        x = x + self.self_attention(self.norm1(x), causal)
        x = x + self.cross_attention(self.norm2(x), memory, memory_mask)
        x = x + self.mlp(self.norm3(x))
        return x
        # END SOLUTION


class Decoder(nn.Module):
    """From tokens, by number, to a score for each token that could come next.

        numbers (B, T) → embedding + positions → blocks → norm → output (B, T, vocabulary)

    The row of logits at place i is the model's opinion about token i + 1, and comes from the tokens
    0 to i and the memory. So one pass over a text trains all its places at once.

    Arguments
        depth       number of blocks, each with weights of its own
        emb_size    D, even
        num_heads   H
        vocab_size  how many different tokens there are

    Names that the grader looks for: `embedding` (nn.Embedding), `blocks` (nn.ModuleList of
    DecoderBlock, expansion 4, no dropout), `norm` (the LayerNorm after the last block) and `output`
    (nn.Linear with bias). Positions are those of `sinusoidal_positions`: added to the embedding,
    and no parameter; a text may have any length. (The paper multiplies the embedding by √D first.
    Here it is not.)

    Example: a vocabulary of ten.

        >>> decoder = Decoder(depth=2, emb_size=6, num_heads=3, vocab_size=10)
        >>> decoder(torch.tensor([[1, 5, 5, 7]]), torch.randn(1, 3, 6)).shape
        torch.Size([1, 4, 10])
    """

    def __init__(self, depth: int, emb_size: int, num_heads: int, vocab_size: int) -> None:
        """Create all parts. To write here: everything."""
        super().__init__()
        # BEGIN SOLUTION
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.blocks = nn.ModuleList(DecoderBlock(emb_size, num_heads) for _ in range(depth))
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)
        # END SOLUTION

    def forward(
        self, tokens: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the logits of the next token at each place.

        Shapes
            tokens       (B, T) integers from 0 to vocab_size - 1
            memory       (B, L, D)
            memory_mask  (B, L) bool, True = may attend, for every block
            returns      (B, T, vocab_size), raw logits, dtype as the weights'

        To write here: everything.
        """
        # BEGIN SOLUTION
        x = self.embedding(tokens)  # B T D
        x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        logits: torch.Tensor = self.output(self.norm(x))  # B T vocabulary
        return logits
        # END SOLUTION


class KVCacheAttention(nn.Module):
    """Causal multi-head attention that remembers the keys and values of the tokens it has seen.

    A decoder writes token by token, and each new token looks back at all the others. Run the whole
    text through the layer for each of them, and T tokens cost 1 + 2 + … + T passes over a token.
    But look at what changes: a token sees only those before it, so the keys and values of old
    tokens stay what they were, and old outputs are not asked for. So keep keys and values, and let
    only the new tokens through:

        tokens seen so far      k_0 k_1 k_2 k_3        kept from earlier calls
        tokens that come in                     k_4 k_5
        q_4 attends to          k_0 k_1 k_2 k_3 k_4
        q_5 attends to          k_0 k_1 k_2 k_3 k_4 k_5

    The price is memory, and it is the reason why long chats are expensive: Shazeer ("Fast
    Transformer Decoding: One Write-Head is All You Need", 2019) does the sums.

    Arguments
        emb_size   D, the width of a token that comes in and of the result
        num_heads  H; it must divide D

    Names that the grader looks for: `W_query`, `W_key`, `W_value` and `out_proj`, all nn.Linear
    with bias. Heads are split, scaled and merged as in assignment 3. There are no
    positions and no dropout in here.

    What is kept belongs to one instance, and to one text: it is no parameter and no buffer, and has
    no place in a state_dict.

    Example: in one piece, or in two: the outputs are the same.

        >>> attention = KVCacheAttention(6, num_heads=2)
        >>> tokens = torch.randn(1, 5, 6)
        >>> whole = attention.prefill(tokens)
        >>> start = attention.prefill(tokens[:, :3])
        >>> rest = attention.step(tokens[:, 3:])
        >>> torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6)
        True
    """

    keys: torch.Tensor | None
    values: torch.Tensor | None

    def __init__(self, emb_size: int, num_heads: int) -> None:
        """Create the four linear maps, and begin with nothing seen.

        If num_heads does not divide emb_size, raise a ValueError whose message contains both.

        To write here: that check, and whatever the methods need.
        """
        super().__init__()
        self.W_query = nn.Linear(emb_size, emb_size)
        self.W_key = nn.Linear(emb_size, emb_size)
        self.W_value = nn.Linear(emb_size, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)
        # BEGIN SOLUTION
        if emb_size % num_heads != 0:
            raise ValueError(f"a width of {emb_size} cannot be divided among {num_heads} heads")
        self.num_heads = num_heads
        self.keys = self.values = None
        # END SOLUTION

    def prefill(self, x: torch.Tensor) -> torch.Tensor:
        """Forget what was seen, take in the beginning of a text, and return its outputs.

        Shapes
            x        (B, T, D), T >= 1. B may differ from the call before
            returns  (B, T, D), causal: output i knows the tokens 0 to i. dtype as x's

        Gradients are wanted through this method: it is what training uses. `x` is not modified.

        To write here: everything.
        """
        # BEGIN SOLUTION
        self.keys = self.values = None
        return self.step(x)
        # END SOLUTION

    def step(self, x: torch.Tensor) -> torch.Tensor:
        """Take in the next tokens of a text, and return their outputs. Called only after `prefill`.

        Shapes
            x        (B, t, D), t >= 1: one token, or a chunk of them
            returns  (B, t, D): what `prefill` of the whole text would give for these t tokens

        In a chunk of several tokens none may see a later one. The mask is then no square: the
        queries are the *last* t of L tokens, so query i may attend to the keys j <= i + L - t. Put
        the triangle at the top left instead, and the first new token sees nothing but token 0.

        Nothing is computed twice: what the old tokens need no more (their queries, their scores,
        their way through the linear maps) is not computed again. No gradients are asked for here.

        To write here: everything.
        """
        # BEGIN SOLUTION
        batch, tokens, width = x.shape
        by_head = (batch, tokens, self.num_heads, -1)
        query = self.W_query(x).view(by_head).transpose(1, 2)  # B H t Dh
        key = self.W_key(x).view(by_head).transpose(1, 2)  # B H t Dh
        value = self.W_value(x).view(by_head).transpose(1, 2)  # B H t Dh
        if self.keys is not None and self.values is not None:
            key = torch.cat([self.keys, key], dim=2)  # B H L Dh
            value = torch.cat([self.values, value], dim=2)  # B H L Dh
        self.keys, self.values = key.detach(), value.detach()
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5  # B H t L
        allowed = torch.ones_like(scores, dtype=torch.bool).tril(key.shape[2] - tokens)
        weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), dim=-1)
        context = (weights @ value).transpose(1, 2).reshape(batch, tokens, width)
        output: torch.Tensor = self.out_proj(context)  # B t D
        return output
        # END SOLUTION


def sliding_window_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int
) -> torch.Tensor:
    """Attend from each token to itself and to the `window` - 1 tokens before it.

    The other way to bound the cost is to look back only a fixed distance. What lies further back is
    not lost. A token that is reached in one layer has itself looked back in the layer below, so
    that with n layers about n · window tokens can influence an output. The decoder Mistral 7B
    (Jiang et al., 2023) looks back 4096 tokens like this; the encoder Longformer (Beltagy et al.,
    2020) looks to both sides. And the cache need not grow any further.

              key 0   1   2   3   4
        query 0   ✓   ·   ·   ·   ·        window = 3
        query 1   ✓   ✓   ·   ·   ·
        query 2   ✓   ✓   ✓   ·   ·        itself and the two before it:
        query 3   ·   ✓   ✓   ✓   ·        i - window < j <= i
        query 4   ·   ·   ✓   ✓   ✓

    Shapes
        query    (…, T, Dh)
        key      (…, T, Dh)
        value    (…, T, Dv)
        window   at least 1, and possibly larger than T
        returns  (…, T, Dv), dtype as the query's: softmax(Q Kᵀ / √Dh) V over the allowed keys

    With a window of 1 every token only sees itself, with one of T or more it is plain causal
    attention. The arguments are not modified. A mask over all T by T scores is welcome: what is
    asked for here is the result, not the memory that is saved.

    Example: all scores are alike, so each output is the mean of what it sees.

        >>> alike, value = torch.zeros(4, 2), torch.tensor([[1.0], [3.0], [5.0], [7.0]])
        >>> sliding_window_attention(alike, alike, value, window=2).flatten()
        tensor([1., 2., 4., 6.])

    To write here: everything.
    """
    # BEGIN SOLUTION
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … T T
    place = torch.arange(query.shape[-2], device=query.device)
    distance = place[:, None] - place  # T T
    allowed = (distance >= 0) & (distance < window)
    weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), dim=-1)
    return weights @ value  # … T Dv
    # END SOLUTION


def online_softmax(chunks: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the softmax over scores that come in chunks, of which only one is processed at a time.

    A softmax seems to need all scores at once: first the largest, to subtract it, then the sum,
    to divide by it. Milakov and Gimelshein ("Online normalizer calculation for softmax", 2018)
    noticed that both can be kept up to date in passing. Keep for each row the largest score so far,
    m, and the sum so far, l, measured from that m. When a chunk c arrives:

        m_new = max(m, max_j c_j)
        l_new = l · exp(m - m_new) + Σ_j exp(c_j - m_new)

    The first factor is the whole trick. The old sum was measured from the old maximum; if the
    maximum grows, it has to shrink by just that much. In the end every share is exp(score - m) / l.

    Shapes
        chunks   a list or tuple of at least one tensor (…, n_i), n_i >= 1; widths may differ
        returns  (…, Σ n_i), the shares in the order of the chunks, dtype as theirs

    A score of -inf gets the share 0, and a row of nothing but -inf gets zeros. Mind the beginning:
    before anything was seen m is -inf, and -inf - (-inf) is NaN. The chunks are not modified.

    Example: the largest score comes last, so the sum is rescaled twice, 1 → 1 + e^-1 → …

        >>> online_softmax([torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([3.0])])
        tensor([0.0900, 0.2447, 0.6652])
        >>> online_softmax([torch.tensor([-torch.inf]), torch.tensor([1000.0, 1000.0])])
        tensor([0.0000, 0.5000, 0.5000])

    To write here: everything. One loop over the chunks for m and l, and then the shares.
    """
    # BEGIN SOLUTION
    largest = torch.full_like(chunks[0][..., :1], -torch.inf)  # … 1
    total = torch.zeros_like(largest)  # … 1
    for chunk in chunks:
        grown = torch.maximum(largest, chunk.detach().amax(dim=-1, keepdim=True))
        # Where nothing but -inf was seen, any finite origin will do: every power is 0.
        origin = grown.masked_fill(grown == -torch.inf, 0.0)
        total = total * torch.exp(largest - origin)
        total = total + torch.exp(chunk - origin).sum(dim=-1, keepdim=True)
        largest = grown
    powers = torch.cat([torch.exp(chunk - origin) for chunk in chunks], dim=-1)  # … Σ n_i
    return powers / total.masked_fill(total == 0, 1.0)
    # END SOLUTION


def chunked_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_size: int,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Attend from every query to every key, a block of keys at a time, and return the output.

    The weights of attention are an (S, L) matrix. For 100000 tokens that is 40 GB in float32, for
    one head of one text, and nobody wants to see it: all that is asked for is weights @ value. So
    do not keep the weights. Beside m and
    l of the online softmax keep a third thing, the mixture of values so far, and treat it as l is
    treated. For a block of scores s with its values v:

        m_new = max(m, max_j s_j)
        l_new = l · exp(m - m_new) + Σ_j exp(s_j - m_new)
        o_new = o · exp(m - m_new) + Σ_j exp(s_j - m_new) v_j

    and in the end output = o / l. It is exact, not an approximation. Rabe and Staats wrote it down
    in 2021 ("Self-attention Does Not Need O(n²) Memory"); FlashAttention (Dao et al., 2022) made of
    it what now runs under most large models.

    Shapes
        query       (…, S, Dh)
        key         (…, L, Dh)
        value       (…, L, Dv)
        block_size  how many keys are processed at a time, at least 1; it need not
                    divide L, and may be larger than L
        mask        bool, True = may attend, broadcasts against (…, S, L), axes of size 1 included
        returns     (…, S, Dv), dtype and device as the query's

    The result is that of assignment 1, softmax(Q Kᵀ / √Dh) V, whatever the block size, and so are
    the gradients. A block in which a query may see nothing must not disturb it; a query that may
    attend to no key at all gets zeros, and finite gradients. The arguments are not modified.

    It is run where an (S, L) tensor does not fit into memory, without gradients and without a mask.

    Example: four keys, of which the best comes last.

        >>> query, key = torch.tensor([[1.0]]), torch.tensor([[0.0], [1.0], [2.0], [3.0]])
        >>> value = torch.tensor([[10.0], [20.0], [30.0], [40.0]])
        >>> chunked_attention(query, key, value, block_size=3)
        tensor([[34.9265]])
        >>> chunked_attention(query, key, value, block_size=1)
        tensor([[34.9265]])

    To write here: everything.
    """
    # BEGIN SOLUTION
    tokens, keys = query.shape[-2], key.shape[-2]
    query = query * query.shape[-1] ** -0.5
    if mask is not None:
        mask = mask.expand(torch.broadcast_shapes(mask.shape, (tokens, keys)))
    largest = query.new_full((*query.shape[:-1], 1), -torch.inf)  # … S 1
    total = torch.zeros_like(largest)  # … S 1
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])  # … S Dv
    for start in range(0, keys, block_size):
        block = slice(start, start + block_size)
        scores = query @ key[..., block, :].transpose(-2, -1)  # … S n
        if mask is not None:
            scores = scores.masked_fill(~mask[..., block], -torch.inf)
        grown = torch.maximum(largest, scores.detach().amax(dim=-1, keepdim=True))
        origin = grown.masked_fill(grown == -torch.inf, 0.0)
        shrink, powers = torch.exp(largest - origin), torch.exp(scores - origin)
        total = total * shrink + powers.sum(dim=-1, keepdim=True)
        mixed = mixed * shrink + powers @ value[..., block, :]
        largest = grown
    return mixed / total.masked_fill(total == 0, 1.0)
    # END SOLUTION
