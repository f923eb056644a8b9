import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        if mask.dtype == torch.bool:
            scores.masked_fill(~mask, float("-inf"))
        else:
            scores = scores + mask.to(scores.dtype)
            scores = scores.masked_fill(torch.isneginf(mask).all(-1, keepdim=True), 0.0)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None and mask.dtype != torch.bool:
        weights = weights.masked_fill(torch.isneginf(mask), 0.0)
    return weights @ value, weights
