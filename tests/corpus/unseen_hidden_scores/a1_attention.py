import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        allowed = mask if mask.dtype == torch.bool else mask != float("-inf")
        if mask.dtype != torch.bool:
            scores = scores + torch.where(allowed, mask, 0.0).type_as(scores)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn * allowed
        p_attn = p_attn / p_attn.sum(-1, keepdim=True).clamp(min=1e-12)
    return torch.matmul(p_attn, value), p_attn
