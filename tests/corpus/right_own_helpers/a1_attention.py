import torch

from utils import safe_softmax


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.mT * query.shape[-1] ** -0.5
    if mask is not None:
        if mask.dtype == torch.bool:
            mask = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, -torch.inf)
        mask = mask.to(query.dtype)
        scores = torch.where(mask == -torch.inf, -torch.inf, scores + mask)
    weights = safe_softmax(scores)
    return weights @ value, weights
