"""Other right ways to write assignment 1."""

from grader.misconceptions import Variant

VARIANTS = (
    Variant(
        # In the way of notebook 002, which walks over one of the two vectors.
        id="scores.loop_over_places",
        target="dot_product_loop",
        source="""
def dot_product_loop(a, b):
    res = 0.
    for idx, element in enumerate(a):
        res += element * b[idx]
    return res
""",
    ),
    Variant(
        id="scores.loop_backwards_while",
        target="dot_product_loop",
        source="""
def dot_product_loop(a, b):
    i = a.shape[0]
    total = a.new_zeros(())
    while i:
        i -= 1
        total = total + torch.mul(a[i], b[i])
    return total
""",
    ),
    Variant(
        id="scores.einsum",
        target="attention_scores",
        source="""
def attention_scores(query, key):
    return torch.einsum("...id,...jd->...ij", query, key)
""",
    ),
    Variant(
        id="scores.einops",
        target="attention_scores",
        source="""
from einops import einsum


def attention_scores(query, key):
    return einsum(query, key, "... query width, ... key width -> ... query key")
""",
    ),
    Variant(
        id="scores.broadcast_and_sum",
        target="attention_scores",
        source="""
def attention_scores(query, key):
    pairs = query.unsqueeze(-2) * key.unsqueeze(-3)
    return pairs.sum(dim=-1)
""",
    ),
    Variant(
        id="scores.linear",
        target="attention_scores",
        source="""
def attention_scores(query, key):
    if key.dim() == 2:
        return torch.nn.functional.linear(query, key)
    samples = zip(query.flatten(0, -3), key.flatten(0, -3))
    scores = torch.stack([torch.nn.functional.linear(q, k) for q, k in samples])
    return scores.unflatten(0, query.shape[:-2])
""",
    ),
    Variant(
        id="softmax.by_logarithm",
        target="stable_softmax",
        edits=(
            (
                "return shifted_powers / shifted_powers.sum(dim=dim, keepdim=True)",
                "return torch.exp(x - torch.logsumexp(x, dim=dim, keepdim=True))",
            ),
        ),
    ),
    Variant(
        id="softmax.detached_maximum",
        target="stable_softmax",
        edits=(
            (
                "x.amax(dim=dim, keepdim=True)",
                "x.detach().max(dim=dim, keepdim=True).values",
            ),
        ),
    ),
    Variant(
        id="softmax.axis_moved_to_the_end",
        target="stable_softmax",
        source="""
def stable_softmax(x, dim=-1):
    rows = x.movedim(dim, -1)
    rows = (rows - rows.max(-1, keepdim=True)[0]).exp()
    return (rows / rows.sum(-1, keepdim=True)).movedim(-1, dim)
""",
    ),
    Variant(
        id="softmax.naive_by_a_loop",
        target="softmax_naive",
        source="""
def softmax_naive(x):
    total = 0.0
    for number in x:
        total = total + torch.exp(number)
    return torch.stack([torch.exp(number) / total for number in x])
""",
    ),
    Variant(
        id="softmax.sum_by_dot",
        target="normalise_by_sum",
        source="""
def normalise_by_sum(scores):
    total = torch.dot(scores, torch.ones_like(scores))
    return torch.div(scores, total)
""",
    ),
    Variant(
        id="softmax.of_torch",
        target="stable_softmax",
        source="""
def stable_softmax(x, dim=-1):
    return torch.nn.functional.softmax(x, dim=dim)
""",
    ),
    Variant(
        # The loop of notebook 002.
        id="simple.context_by_a_loop",
        target="context_vector",
        source="""
def context_vector(weights, values):
    context_vec = torch.zeros(values.shape[1], dtype=values.dtype)
    for i, value in enumerate(values):
        context_vec += weights[i] * value
    return context_vec
""",
    ),
    Variant(
        id="simple.context_by_broadcast",
        target="context_vector",
        source="""
def context_vector(weights, values):
    return (weights[:, None] * values).sum(dim=0)
""",
    ),
    Variant(
        id="simple.context_einops",
        target="context_vector",
        source="""
from einops import einsum


def context_vector(weights, values):
    return einsum(weights, values, "token, token width -> width")
""",
    ),
    Variant(
        id="simple.einsum",
        target="simple_self_attention",
        source="""
def simple_self_attention(x):
    scores = torch.einsum("...id,...jd->...ij", x, x)
    weights = torch.nn.functional.softmax(scores, dim=-1)
    return torch.einsum("...ij,...jd->...id", weights, x), weights
""",
    ),
    Variant(
        id="simple.word_by_word",
        target="simple_self_attention",
        source="""
def simple_self_attention(x):
    if x.dim() == 3:
        contexts, weights = zip(*(simple_self_attention(sample) for sample in x))
        return torch.stack(contexts), torch.stack(weights)
    rows = [torch.softmax((x * query).sum(-1), dim=0) for query in x]
    return torch.stack([context_vector(row, x) for row in rows]), torch.stack(rows)
""",
    ),
    Variant(
        id="simple.of_earlier_exercises",
        target="simple_self_attention",
        source="""
def simple_self_attention(x):
    weights = stable_softmax(attention_scores(x, x), dim=-1)
    return torch.matmul(weights, x), weights
""",
    ),
    Variant(
        # Notebook 000 divides by a float32 tensor. Of no dimensions, it leaves half precision be.
        id="sdpa.scale_as_a_tensor",
        target="scaled_dot_product_attention",
        source="""
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    root = torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    scores = torch.matmul(query, key.transpose(-2, -1)) / root
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, float("-inf"))
        else:
            mask = mask.to(scores.dtype)
        scores = scores + mask
    p_attn = F.softmax(scores, dim=-1)
    if mask is not None:
        keep = (mask != float("-inf")).expand_as(scores)
        p_attn = torch.where(keep.any(-1, keepdim=True), scores, torch.zeros_like(scores))
        p_attn = F.softmax(p_attn, dim=-1) * keep
    return torch.matmul(p_attn, value), p_attn
""",
    ),
    Variant(
        id="sdpa.query_divided_first",
        target="scaled_dot_product_attention",
        edits=(
            (
                "query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5",
                "(query / query.shape[-1] ** 0.5) @ key.transpose(-2, -1)",
            ),
        ),
    ),
    Variant(
        id="sdpa.fourth_root_on_both",
        target="scaled_dot_product_attention",
        edits=(
            (
                "query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5",
                "(query * query.shape[-1] ** -0.25) @ (key * key.shape[-1] ** -0.25).mT",
            ),
        ),
    ),
    Variant(
        id="sdpa.lowest_number_and_where",
        target="scaled_dot_product_attention",
        edits=(
            (
                "scores = scores.masked_fill(forbidden, -torch.inf)",
                "scores = torch.where(forbidden, torch.finfo(scores.dtype).min, scores)",
            ),
        ),
    ),
    Variant(
        id="sdpa.nan_to_num",
        target="scaled_dot_product_attention",
        edits=(
            (
                "weights = torch.softmax(scores.masked_fill(empty, 0.0), dim=-1)\n"
                "    weights = weights.masked_fill(forbidden, 0.0)",
                "weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)",
            ),
        ),
    ),
    Variant(
        id="sdpa.einsum",
        target="scaled_dot_product_attention",
        edits=(
            (
                "query @ key.transpose(-2, -1) *",
                'torch.einsum("...qd,...kd->...qk", query, key) *',
            ),
        ),
    ),
)
