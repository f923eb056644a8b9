"""Other right ways to write a1.scores."""

# %% scores.loop_over_places
# In the way of notebook 002, which walks over one of the two vectors.
def dot_product_loop(a, b):
    res = 0.
    for idx, element in enumerate(a):
        res += element * b[idx]
    return res


# %% scores.loop_backwards_while
def dot_product_loop(a, b):
    i = a.shape[0]
    total = a.new_zeros(())
    while i:
        i -= 1
        total = total + torch.mul(a[i], b[i])
    return total


# %% scores.einsum
def attention_scores(query, key):
    return torch.einsum("...id,...jd->...ij", query, key)


# %% scores.steps_of_a_pipe
# `reduce` goes over two functions, and over no numbers.
from functools import partial, reduce


def attention_scores(query, key):
    steps = (partial(torch.transpose, dim0=-2, dim1=-1), partial(torch.matmul, query))
    return reduce(lambda tensor, step: step(tensor), steps, key)


# %% scores.einops
from einops import einsum


def attention_scores(query, key):
    return einsum(query, key, "... query width, ... key width -> ... query key")


# %% scores.broadcast_and_sum
def attention_scores(query, key):
    pairs = query.unsqueeze(-2) * key.unsqueeze(-3)
    return pairs.sum(dim=-1)


# %% scores.linear
# earns: shapes, outputs, numerics, gradients, state
# it loops over samples
def attention_scores(query, key):
    if key.dim() == 2:
        return torch.nn.functional.linear(query, key)
    samples = zip(query.flatten(0, -3), key.flatten(0, -3))
    scores = torch.stack([torch.nn.functional.linear(q, k) for q, k in samples])
    return scores.unflatten(0, query.shape[:-2])
