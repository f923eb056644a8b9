"""Answers to a1.sdpa in which nobody understood anything."""

# %% blank: uniform attention in a1.sdpa
# may earn: gradients
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1)
    weights = torch.full_like(scores, 1 / key.shape[-2])
    return weights @ value, weights
