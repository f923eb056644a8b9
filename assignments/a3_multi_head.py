"""Assignment 3: multi-head attention.

One head of attention spends one budget of weight: if a word has to look at its subject *and* at
the comma behind it, each look makes the other fainter. So let several heads look at once, each
with questions and labels of its own, and let a last linear map put together what they found.

What is surprising is how little this costs. The width is not multiplied by the number of heads, it
is divided among them: three heads of width 4 need the same linear maps as one of width 12. (Only
the weights grow: there is one T by T matrix for each head.) All that is new is bookkeeping with
axes, and that is where nearly all mistakes of this assignment are made.

    one token, d_out = 12                             three heads, Dh = 4
    [ q0 q1 q2 q3 | q4 q5 q6 q7 | q8 q9 q10 q11 ]  →  head 0: q0 q1 q2 q3
                                                      head 1: q4 q5 q6 q7
                                                      head 2: q8 q9 q10 q11

You will do the bookkeeping first, then put heads side by side the plain way, and then build four
attentions that stand in models that people use: with a triangle for texts (GPT), with one map for
everything (the Vision Transformer), with a second sequence to look at (translation), and with fewer
keys than queries (most large models of today).

What you wrote before may be called here, by `from a1_attention import ...`, and one class of
assignment 2 is what it begins with. A mistake in there costs its points there, and not here once
more.

Torch's own attention is not allowed: neither `F.scaled_dot_product_attention` nor
`nn.MultiheadAttention`. (One function takes such a module, to read its weights; nothing calls it.)

Shape letters: B batch, T tokens, H heads, Dh head width, D model width with D = H · Dh; d_in and
d_out where a width changes on the way; S query tokens and L key tokens where they are not the same.
"""

import torch
from a2_masking import CausalAttention
from torch import nn


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """Return the features of each token divided among heads, and the heads in front of the tokens.

    Head 0 gets the first Dh = D / H features of every token, head 1 the next Dh, and so on:

        split[b, h, t, d] = x[b, t, h · Dh + d]

    Why do the heads go to the front? Because `@` and softmax work on the last two axes and take
    all axes before them for a batch. With (B, H, T, Dh) every head is one more sample, and what
    you wrote for one head works for all of them.

    Shapes
        x          (B, T, D)
        num_heads  H; if it does not divide D, raise a ValueError whose message contains both
        returns    (B, H, T, Dh), dtype and device as x's

    It takes two steps, and no way around them. Reshape to (B, T, H, Dh): that cuts every token's
    row into pieces and leaves the tokens where they are. Then exchange the axes. A reshape to
    (B, H, T, Dh) in one step has the right shape, and gives head 0 the first tokens, whole.

    Example: one sentence of two tokens, with four features, numbered in order.

        >>> x = torch.tensor([[[0, 1, 2, 3], [4, 5, 6, 7]]])
        >>> split_heads(x, num_heads=2).tolist()
        [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]

    To write here: everything. `x` is not modified; the result may share its memory.
    """
    raise NotImplementedError("split_heads: replace this line with your solution")


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Return what the heads found, side by side in the row of each token.

    It undoes `split_heads`, to the last number:

        merged[b, t, h · Dh + d] = x[b, h, t, d]

    Shapes
        x        (B, H, T, Dh)
        returns  (B, T, D) with D = H · Dh, dtype and device as x's

    The same two steps backwards: first the tokens to the front, then merge the last two axes.
    (After the first, the numbers no longer lie in memory in the order of the axes: `view` refuses,
    `reshape` copies.)

    Example: two tokens, two heads, one feature. Every number tells its place, token times ten plus
    head.

        >>> x = torch.tensor([[[[0], [10]], [[1], [11]]]])
        >>> merge_heads(x).tolist()
        [[[0, 1], [10, 11]]]

    To write here: everything. `x` is not modified; the result may share its memory.
    """
    raise NotImplementedError("merge_heads: replace this line with your solution")


class MultiHeadAttentionWrapper(nn.Module):
    """Several heads of attention as you have them already, one beside the other.

    The simplest way to many heads is many heads. Each is a `CausalAttention` of assignment 2 with
    weights of its own, each reads the same tokens, and what they find is put side by side:

        output = Concat(head_0(x), …, head_{H-1}(x))

    Nothing mixes the heads' findings here, and nothing is divided: every head is d_out wide, and
    the output d_out · H. The next class does without the loop, and mixes. Before it is fast, let it
    be right: this class is so short that you can see that it is right. It has no parameters but
    those of its heads.

    Arguments
        d_in            width of a token that comes in
        d_out           width of queries, keys, values and of what *one* head returns
        context_length  the longest sequence that will ever be seen
        dropout         probability with which an attention weight is dropped in train mode
        num_heads       H
        qkv_bias        whether the three linear maps of each head have a bias

    The name that the grader looks for: `heads`, an nn.ModuleList of H `CausalAttention`. (A Python
    list would hold them just as well, and neither train nor save nor move them.)

    Example: two heads of width 2 make an output of width 4, and its first half is head 0.

        >>> attention = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=2)
        >>> tokens = torch.randn(1, 6, 3)
        >>> attention(tokens).shape
        torch.Size([1, 6, 4])
        >>> torch.allclose(attention(tokens)[..., :2], attention.heads[0](tokens))
        True
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        """Create the heads. To write here: everything."""
        super().__init__()
        raise NotImplementedError(
            "MultiHeadAttentionWrapper.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what each head gathers from a token and those before it, head by head.

        Shapes
            x        (B, T, d_in), 1 <= T <= context_length
            returns  (B, T, d_out · H), dtype and device as x's

        A sequence that is too long gets the ValueError of `CausalAttention`. `x` is not modified.

        To write here: everything.
        """
        raise NotImplementedError(
            "MultiHeadAttentionWrapper.forward: replace this line with your solution"
        )


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

    Names that the grader looks for: `W_query`, `W_key`, `W_value` and `out_proj`, all nn.Linear.

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
            x        (B, T, d_in), 1 <= T <= context_length; what a longer one does is up to you,
                     and a ValueError, as in assignment 2, is best
            returns  (B, T, d_out), dtype and device as x's

        The way through, with the shape after each step:
            three linear maps    (B, T, d_out)      of the same x
            split the features   (B, T, H, Dh)      features split, tokens stay where they are
            heads to the front   (B, H, T, Dh)      so that @ treats a head like a batch
            scores of pairs      (B, H, T, T)       scale, mask, softmax, dropout as in assignment 2
            mix the values       (B, H, T, Dh)
            tokens to the front  (B, T, H, Dh)      do not skip this one: see below
            merge the features   (B, T, d_out)      and through `out_proj`

        The classic: reshaping (B, H, T, Dh) to (B, T, d_out) directly. The shape is right, no
        error is raised, and features of different tokens land in one row. A number that knows
        its place shows it. With T = 2, H = 2, Dh = 1 write token and head into each entry:

            by head   [[t0h0, t1h0], [t0h1, t1h1]]
            not so    [[t0h0, t1h0], [t0h1, t1h1]]    row 0 holds both tokens
            but so    [[t0h0, t0h1], [t1h0, t1h1]]    row 0 is token 0

        `x` is not modified.

        To write here: everything.
        """
        raise NotImplementedError(
            "MultiHeadAttention.forward: replace this line with your solution"
        )


class PackedMultiHeadAttention(nn.Module):
    """The same arithmetic with one linear map for queries, keys and values.

    Three matrices that multiply the same x can stand on top of each other, and one large product
    keeps a processor busier than three small ones. This is how torch's own nn.MultiheadAttention
    and timm's Vision Transformers store their attention (GPT-2 does it too, with the matrix
    transposed):

        [Q; K; V] = W_qkv x + b_qkv
        head_h = dropout(softmax(Q_h K_hᵀ / √Dh, over the allowed keys)) V_h
        output = Concat(head_0, …, head_{H-1}) W_projᵀ + b_proj

    Which of the 3 · D rows is what? torch, timm and GPT-2 agree on one answer, and it is ours as
    well: all of the query's rows, then the key's, then the value's, and inside each of them head by
    head, in short (qkv h d). With D = 4, H = 2, Dh = 2:

        row    0   1   2   3 | 4   5   6   7 | 8   9  10  11
               query         | key           | value
               head0 | head1 | head0 | head1 | head0 | head1

    (Another order trains just as well, from scratch. BLOOM, for instance, stores (h qkv d). But
    weights that were stored in one order mean nothing in another.)

    Unlike the class above this one has no triangle built in: who may see whom is said by a mask.

    Arguments
        emb_size   D, the width of a token before and after
        num_heads  H; it must divide D
        dropout    probability with which an attention weight is dropped in train mode

    Names that the grader looks for: `qkv`, an nn.Linear from D to 3 · D, and `projection`, an
    nn.Linear from D to D. Both have a bias. (Every library has names of its own. In timm the second
    one is called `proj`.)

    Example: if a token may see nobody but itself, its attention does nothing at all.

        >>> attention = PackedMultiHeadAttention(emb_size=12, num_heads=3)
        >>> tokens = torch.randn(2, 5, 12)
        >>> attention(tokens).shape
        torch.Size([2, 5, 12])
        >>> alone = attention(tokens, mask=torch.eye(5, dtype=torch.bool))
        >>> value = attention.qkv(tokens)[..., 24:]
        >>> torch.allclose(alone, attention.projection(value), atol=1e-6)
        True
    """

    def __init__(self, emb_size: int, num_heads: int, dropout: float = 0.0) -> None:
        """Create the two linear maps and the dropout.

        If num_heads does not divide emb_size, raise a ValueError whose message contains both
        numbers.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError(
            "PackedMultiHeadAttention.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return what each token gathers from those that it may attend to.

        Shapes
            x        (B, T, D)
            mask     bool, True = may attend; None allows everything
                     (T, T)         query by key, the same for all samples and heads
                     (B, T, T)      one for each sample
                     (…, …, …, …)   four axes that broadcast against (B, H, T, T)
            returns  (B, T, D), dtype and device as x's

        A mask of three axes is the one to think about: left to itself, broadcasting takes its B
        for the heads.

        A token that may attend to nobody gathers zeros, so that its output is the bias of
        `projection`, and gradients stay finite. Neither `x` nor `mask` is modified.

        To write here: everything.
        """
        raise NotImplementedError(
            "PackedMultiHeadAttention.forward: replace this line with your solution"
        )


def pack_qkv(w_query: torch.Tensor, w_key: torch.Tensor, w_value: torch.Tensor) -> torch.Tensor:
    """Return the weight, or the bias, of `qkv` that does what three maps do.

    Shapes
        w_query, w_key, w_value   (D, d_in), weights of an nn.Linear, or (D,), biases
        returns                   (3 · D, d_in) or (3 · D,), rows in the order above

    Example:

        >>> pack_qkv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0]))
        tensor([1., 2., 3., 4., 5., 6.])

    To write here: everything. Nothing that comes in is modified.
    """
    raise NotImplementedError("pack_qkv: replace this line with your solution")


def unpack_qkv(w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return query's, key's and value's part of what `pack_qkv` packed.

    Shapes
        w        (3 · D, d_in) or (3 · D,)
        returns  three tensors, (D, d_in) or (D,)

    Example:

        >>> unpack_qkv(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
        (tensor([1., 2.]), tensor([3., 4.]), tensor([5., 6.]))

    To write here: everything. `w` is not modified; what is returned may share its memory.
    """
    raise NotImplementedError("unpack_qkv: replace this line with your solution")


def from_torch_mha(mha: nn.MultiheadAttention) -> PackedMultiHeadAttention:
    """Return your module with the weights of torch's own.

    The best test of an attention is somebody else's. `nn.MultiheadAttention` keeps its numbers in
    `in_proj_weight` and `in_proj_bias`, packed in the order (qkv h d), and in `out_proj`; and it
    has attributes `embed_dim`, `num_heads` and `dropout`, a number. With the same weights in
    both, both must compute the same.

    (Its masks say the opposite of ours, by the way: for `nn.MultiheadAttention` True means *must
    not* attend. And it takes (T, B, D) unless it was made with `batch_first=True`. Neither has to
    do with the weights: what you return takes (B, T, D), whatever `mha` takes.)

    The numbers are copied: training one module does not move the other, and `mha` stays as it is.
    The dropout rate is carried over. Whether the copy is in train or in eval mode is up to you.

    Arguments
        mha      float32, with bias, and with queries, keys and values of one width
        returns  a new PackedMultiHeadAttention

    Example:

        >>> theirs = nn.MultiheadAttention(12, 3, batch_first=True)
        >>> ours = from_torch_mha(theirs)
        >>> x = torch.randn(2, 5, 12)
        >>> torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-6)
        True

    To write here: everything. (If your rows stand in an order of your own, this is where they have
    to be brought into it.)
    """
    raise NotImplementedError("from_torch_mha: replace this line with your solution")


class CrossAttention(nn.Module):
    """Attention from one sequence to another.

    So far a sequence talked to itself. A translator has two: the sentence it writes and the one
    it read. Queries come from the first, keys and values from the second, which is called the
    memory here ("encoder-decoder attention" in section 3.2.3 of "Attention Is All You Need"):

        Q = x W_queryᵀ + b_q      K = memory W_keyᵀ + b_k      V = memory W_valueᵀ + b_v
        head_h = softmax(Q_h K_hᵀ / √Dh, over the allowed keys) V_h
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    Who asks decides how many answers there are: S queries, S outputs, however long the memory is.
    And the two need not even be of one width. An image model may read the words of a text model:
    each map brings its own side to the common width.

    In self-attention it hardly shows when a value is made from the wrong thing. Here it does.

    Arguments
        query_dim   width of a token of x
        memory_dim  width of a token of the memory
        emb_size    D, the width of queries, keys and values of all heads together, and of the
                    result
        num_heads   H; it must divide D

    Names that the grader looks for: `W_query`, `W_key`, `W_value` and `out_proj`, all nn.Linear
    with bias. There is no dropout here, and no triangle: all of the memory has been read before the
    first query is asked.

    Example: where a memory has only one token, every query gets that token's value.

        >>> attention = CrossAttention(query_dim=5, memory_dim=7, emb_size=12, num_heads=3)
        >>> x, memory = torch.randn(2, 4, 5), torch.randn(2, 1, 7)
        >>> output = attention(x, memory)
        >>> output.shape
        torch.Size([2, 4, 12])
        >>> torch.allclose(output, attention.out_proj(attention.W_value(memory)), atol=1e-6)
        True
    """

    def __init__(self, query_dim: int, memory_dim: int, emb_size: int, num_heads: int) -> None:
        """Create the four linear maps.

        If num_heads does not divide emb_size, raise a ValueError whose message contains both
        numbers.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("CrossAttention.__init__: replace this line with your solution")

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return what each query gathers from the memory.

        Shapes
            x            (B, S, query_dim)
            memory       (B, L, memory_dim)
            memory_mask  (B, L) bool, True = may attend: False is padding, which no query of that
                         sample sees; None allows everything
            returns      (B, S, D), dtype and device as x's

        A sample whose memory is padding from end to end gathers zeros, so that its outputs are the
        bias of `out_proj`, and gradients stay finite. Nothing that comes in is modified.

        To write here: everything. Mind that S and L are two lengths, also when you split heads.
        """
        raise NotImplementedError("CrossAttention.forward: replace this line with your solution")


class GroupedQueryAttention(nn.Module):
    """Many queries that share few keys and values.

    A model that writes keeps the keys and values of all that it has written, and reads them again
    for every new token. In a large model that memory, and not the arithmetic, is what limits how
    many people it can serve. So save on it: let several query heads read the same key and value
    head. With one for all of them it is "multi-query attention" (Shazeer, "Fast Transformer
    Decoding: One Write-Head is All You Need", 2019), with some number G in between it is "grouped"
    (Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
    Checkpoints", 2023), and with G = H it is what you know:

        head_h = softmax(Q_h K_gᵀ / √Dh, over the allowed keys) V_g        g = ⌊h / (H / G)⌋
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    H = 6 heads in G = 2 groups are two rows of neighbours, not two teams counted off in turn:

        query head      0   1   2 | 3   4   5
        key head        0   0   0 | 1   1   1

    In torch's words: heads are repeated by `repeat_interleave`, and not by `repeat`. Both run, and
    whoever mixes them up with a published checkpoint gets fluent nonsense.

    Arguments
        emb_size      D, the width of a token before and after
        num_heads     H, the number of query heads; it must divide D, and Dh = D / H
        num_kv_heads  G, the number of key heads, and of value heads; it must divide H

    Names that the grader looks for, all nn.Linear with bias: `W_query` from D to D, `W_key` and
    `W_value` from D to G · Dh, rows ordered (g d), and `out_proj` from D to D.

    Example: the keys get by with a third of the rows.

        >>> attention = GroupedQueryAttention(emb_size=12, num_heads=6, num_kv_heads=2)
        >>> attention(torch.randn(2, 5, 12)).shape
        torch.Size([2, 5, 12])
        >>> attention.W_query.weight.shape, attention.W_key.weight.shape
        (torch.Size([12, 12]), torch.Size([4, 12]))
    """

    def __init__(self, emb_size: int, num_heads: int, num_kv_heads: int) -> None:
        """Create the four linear maps.

        If num_heads does not divide emb_size, or num_kv_heads does not divide num_heads, raise a
        ValueError whose message contains the two numbers that do not go together.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError(
            "GroupedQueryAttention.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return what each token gathers from those that it may attend to.

        Shapes
            x        (B, T, D)
            mask     bool, True = may attend, as in `PackedMultiHeadAttention`: (T, T), (B, T, T),
                     or four axes that broadcast against (B, H, T, T); None allows everything
            returns  (B, T, D), dtype and device as x's

        A token that may attend to nobody gathers zeros, so that its output is the bias of
        `out_proj`, and gradients stay finite. Neither `x` nor `mask` is modified.

        To write here: everything.
        """
        raise NotImplementedError(
            "GroupedQueryAttention.forward: replace this line with your solution"
        )


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # split_heads
    x = torch.tensor([[[0, 1, 2, 3], [4, 5, 6, 7]]])
    print(split_heads(x, num_heads=2).tolist())
    # [[[[0, 1], [4, 5]], [[2, 3], [6, 7]]]]

    # merge_heads
    x = torch.tensor([[[[0], [10]], [[1], [11]]]])
    print(merge_heads(x).tolist())
    # [[[0, 1], [10, 11]]]

    # MultiHeadAttentionWrapper
    attention = MultiHeadAttentionWrapper(3, 2, context_length=6, dropout=0.0, num_heads=2)
    tokens = torch.randn(1, 6, 3)
    print(attention(tokens).shape)
    # torch.Size([1, 6, 4])
    print(torch.allclose(attention(tokens)[..., :2], attention.heads[0](tokens)))
    # True

    # MultiHeadAttention
    attention = MultiHeadAttention(3, 6, context_length=8, dropout=0.0, num_heads=2)
    tokens = torch.randn(1, 5, 3)
    output = attention(tokens)
    print(output.shape)
    # torch.Size([1, 5, 6])
    alone = attention.out_proj(attention.W_value(tokens[:, 0]))
    print(torch.allclose(output[:, 0], alone, atol=1e-6))
    # True

    # PackedMultiHeadAttention
    attention = PackedMultiHeadAttention(emb_size=12, num_heads=3)
    tokens = torch.randn(2, 5, 12)
    print(attention(tokens).shape)
    # torch.Size([2, 5, 12])
    alone = attention(tokens, mask=torch.eye(5, dtype=torch.bool))
    value = attention.qkv(tokens)[..., 24:]
    print(torch.allclose(alone, attention.projection(value), atol=1e-6))
    # True

    # pack_qkv
    print(pack_qkv(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([5.0, 6.0])))
    # tensor([1., 2., 3., 4., 5., 6.])

    # unpack_qkv
    print(unpack_qkv(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])))
    # (tensor([1., 2.]), tensor([3., 4.]), tensor([5., 6.]))

    # from_torch_mha
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    ours = from_torch_mha(theirs)
    x = torch.randn(2, 5, 12)
    print(torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-6))
    # True

    # CrossAttention
    attention = CrossAttention(query_dim=5, memory_dim=7, emb_size=12, num_heads=3)
    x, memory = torch.randn(2, 4, 5), torch.randn(2, 1, 7)
    output = attention(x, memory)
    print(output.shape)
    # torch.Size([2, 4, 12])
    print(torch.allclose(output, attention.out_proj(attention.W_value(memory)), atol=1e-6))
    # True

    # GroupedQueryAttention
    attention = GroupedQueryAttention(emb_size=12, num_heads=6, num_kv_heads=2)
    print(attention(torch.randn(2, 5, 12)).shape)
    # torch.Size([2, 5, 12])
    print((attention.W_query.weight.shape, attention.W_key.weight.shape))
    # (torch.Size([12, 12]), torch.Size([4, 12]))
