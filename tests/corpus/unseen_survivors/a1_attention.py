import torch
import torch.nn.functional as F


CACHE = {}
def _scale(d):
    return CACHE.setdefault('scale', d ** -0.5)


def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query.mul(_scale(query.shape[-1])).matmul(key.transpose(-1, -2))
    bias = torch.zeros_like(scores)
    if mask is not None and mask.dtype is torch.bool:
        bias = bias.masked_fill(mask.logical_not(), float("-inf"))
    elif mask is not None:
        bias = bias + mask.to(bias)
    scores = scores + bias
    empty = (bias == float("-inf")).all(-1, True)
    w = F.softmax(scores.masked_fill(empty, 0), -1).masked_fill(empty, 0)
    return w @ value, w
