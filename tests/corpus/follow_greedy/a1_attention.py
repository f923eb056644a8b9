import math

import torch


def normalise_by_sum(scores):
    return scores / torch.sum(scores)


def softmax_naive(x):
    return torch.exp(x) / torch.exp(x).sum(dim=0)


def stable_softmax(x, dim=-1):
    m, _ = torch.max(x, dim=dim, keepdim=True)
    e = torch.exp(x - m)
    return e / torch.sum(e, dim=dim, keepdim=True)


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1))
    if mask is None:
        weights = stable_softmax(scores)
        return torch.matmul(weights, value), weights
    if mask.dtype == torch.bool:
        blocked = ~mask
    else:
        mask = mask.to(query.dtype)
        blocked = mask == float("-inf")
        scores = scores + mask
    nothing_left = blocked.all(dim=-1, keepdim=True)
    scores = scores.masked_fill(blocked, float("-inf")).masked_fill(nothing_left, 0.0)
    weights = stable_softmax(scores).masked_fill(blocked, 0.0)
    return torch.matmul(weights, value), weights
