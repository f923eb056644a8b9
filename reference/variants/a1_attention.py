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
        earns=("shapes", "outputs", "numerics", "gradients", "state"),  # it loops over samples
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
    Variant(
        id="modules.einsum",
        target="SelfAttentionV1",
        edits=(
            (
                "query, key, value = x @ self.W_query, x @ self.W_key, x @ self.W_value",
                "matrices = torch.stack([self.W_query, self.W_key, self.W_value])\n"
                '        query, key, value = torch.einsum("...ti,rid->r...td", x, matrices)',
            ),
            (
                "query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5",
                'torch.einsum("...id,...jd->...ij", query, key) / query.shape[-1] ** 0.5',
            ),
        ),
    ),
    Variant(
        id="modules.calls_sdpa",
        target="SelfAttentionV1",
        edits=(
            (
                "scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … T T\n"
                "        return torch.softmax(scores, dim=-1) @ value",
                "output, _ = scaled_dot_product_attention(query, key, value)\n"
                "        return output",
            ),
        ),
    ),
    Variant(
        # Matrices of another shape than the hand-out asks for, and a copy that fits them.
        id="modules.stored_the_other_way",
        target="copy_v2_to_v1",
        source="""
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_out, d_in))
        self.W_key = nn.Parameter(torch.randn(d_out, d_in))
        self.W_value = nn.Parameter(torch.randn(d_out, d_in))

    def forward(self, x):
        query, key, value = x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return scores.softmax(-1) @ value


def copy_v2_to_v1(v2, v1):
    for name in ("W_query", "W_key", "W_value"):
        if getattr(v2, name).bias is not None:
            raise ValueError("biases")
        getattr(v1, name).data.copy_(getattr(v2, name).weight.data)
""",
        earns=("outputs", "conversion", "state", "numerics", "gradients"),
    ),
    Variant(
        id="modules.packed_matrix",
        target="copy_v2_to_v1",
        source="""
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_qkv = nn.Parameter(torch.randn(d_in, 3 * d_out))

    def forward(self, x):
        query, key, value = (x @ self.W_qkv).chunk(3, dim=-1)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return scores.softmax(-1) @ value


def copy_v2_to_v1(v2, v1):
    layers = v2.W_query, v2.W_key, v2.W_value
    if layers[0].bias is not None:
        raise ValueError("biases")
    v1.W_qkv.data = torch.cat([layer.weight.data.T for layer in layers], dim=1)
""",
        earns=("outputs", "conversion", "state", "numerics", "gradients"),
    ),
    Variant(
        id="modules.functional_linear",
        target="SelfAttentionV2",
        edits=(
            (
                "query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # … T d_out",
                "layers = self.W_query, self.W_key, self.W_value\n"
                "        query, key, value = (\n"
                "            torch.nn.functional.linear(x, m.weight, m.bias) for m in layers\n"
                "        )",
            ),
        ),
    ),
    Variant(
        id="modules.always_a_batch",
        target="SelfAttentionV2",
        edits=(
            (
                "query, key, value = self.W_query(x), self.W_key(x), self.W_value(x)  # … T d_out",
                "if x.dim() == 2:\n            return self(x.unsqueeze(0)).squeeze(0)\n"
                "        layers = self.W_query, self.W_key, self.W_value\n"
                "        query, key, value = (layer(x) for layer in layers)",
            ),
            (
                "query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5",
                "torch.bmm(query / query.shape[-1] ** 0.5, key.transpose(1, 2))",
            ),
        ),
    ),
    Variant(
        id="modules.new_parameters",
        target="copy_v2_to_v1",
        edits=(
            (
                "getattr(v1, name).copy_(getattr(v2, name).weight.T)",
                "setattr(v1, name, nn.Parameter(getattr(v2, name).weight.T.clone()))",
            ),
        ),
    ),
    Variant(
        id="modules.by_state_dict",
        target="copy_v2_to_v1",
        source="""
def copy_v2_to_v1(v2, v1):
    state = v2.state_dict()
    if len(state) != 3:
        raise ValueError(f"{len(state)} tensors do not fit into 3 matrices")
    v1.load_state_dict({name.split(".")[0]: tensor.T for name, tensor in state.items()})
""",
    ),
    Variant(
        id="modules.by_data",
        target="copy_v2_to_v1",
        source="""
def copy_v2_to_v1(v2, v1):
    if v2.W_query.bias is not None:
        raise ValueError("a bias has no place in V1")
    v1.W_query.data = v2.W_query.weight.detach().t().contiguous()
    v1.W_key.data[:] = v2.W_key.weight.data.t()
    v1.W_value.data = torch.einsum("oi->io", v2.W_value.weight.data).clone()
""",
    ),
)
