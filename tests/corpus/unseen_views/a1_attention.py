import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    mask = None
    if mask is not None:
        if mask.dtype == torch.bool:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        else:
            scores = scores + mask.type_as(scores)
        dead = (scores == float("-inf")).all(dim=-1, keepdim=True)
        scores = scores.masked_fill(dead, 0.0)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(dead, 0.0)
    return torch.matmul(p_attn, value), p_attn
