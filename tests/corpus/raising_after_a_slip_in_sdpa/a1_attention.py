import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        if mask.dtype == torch.bool:
            blocked = ~mask
        else:
            mask = mask.to(query.dtype)
            blocked = torch.isneginf(mask)
            scores = scores + mask
        scores = scores.mask_fill(blocked, float("-inf"))
        # rows without any key: avoid softmax of only -inf
        scores = scores.masked_fill(blocked.all(-1, keepdim=True), 0.0)
        weights = torch.softmax(scores, dim=-1).masked_fill(blocked, 0.0)
    else:
        weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
