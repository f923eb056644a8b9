import torch
from torch import einsum


def scaled_dot_product_attention(query, key, value, mask=None):
    q = query / query.shape[-1] ** 0.5
    scores = einsum("...sd,...ld->...sl", q, key)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        if mask.is_floating_point():
            mask = mask.to(scores.dtype)
            allowed = mask != -torch.inf
            scores = scores + torch.where(allowed, mask, torch.zeros_like(mask))
        else:
            allowed = mask
        lowest = torch.finfo(scores.dtype).min
        weights = torch.where(allowed, scores, lowest).softmax(-1)
        weights = torch.where(allowed, weights, 0.0)
    return einsum("...sl,...lv->...sv", weights, value), weights
