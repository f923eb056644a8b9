"""Other right ways to write a1.simple."""

# %% simple.context_by_a_loop
# The loop of notebook 002.
def context_vector(weights, values):
    context_vec = torch.zeros(values.shape[1], dtype=values.dtype)
    for i, value in enumerate(values):
        context_vec += weights[i] * value
    return context_vec


# %% simple.context_by_broadcast
def context_vector(weights, values):
    return (weights[:, None] * values).sum(dim=0)


# %% simple.context_einops
from einops import einsum


def context_vector(weights, values):
    return einsum(weights, values, "token, token width -> width")


# %% simple.einsum
def simple_self_attention(x):
    scores = torch.einsum("...id,...jd->...ij", x, x)
    weights = torch.nn.functional.softmax(scores, dim=-1)
    return torch.einsum("...ij,...jd->...id", weights, x), weights


# %% simple.word_by_word
def simple_self_attention(x):
    if x.dim() == 3:
        contexts, weights = zip(*(simple_self_attention(sample) for sample in x))
        return torch.stack(contexts), torch.stack(weights)
    rows = [torch.softmax((x * query).sum(-1), dim=0) for query in x]
    return torch.stack([context_vector(row, x) for row in rows]), torch.stack(rows)


# %% simple.of_earlier_exercises
def simple_self_attention(x):
    weights = stable_softmax(attention_scores(x, x), dim=-1)
    return torch.matmul(weights, x), weights
