import torch
from torch import nn


@torch.compile
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return weights @ value, weights
    if mask.dtype != torch.bool:
        bias = mask.to(scores.dtype)
        mask = bias > -torch.inf
        scores = scores + bias.masked_fill(~mask, 0.0)
    mask = mask.expand(scores.shape)
    empty = ~mask.any(-1, keepdim=True)
    weights = scores.masked_fill(~mask & ~empty, -torch.inf).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


class SelfAttention_v1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        scores = queries @ keys.transpose(-2, -1)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values


class SelfAttention_v2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = queries @ keys.transpose(-2, -1)
        return torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1) @ values


def copy_v2_to_v1(v2, v1):
    if v2.W_query.bias is not None:
        raise ValueError("v1 has no biases")
    with torch.no_grad():
        for name in ("W_query", "W_key", "W_value"):
            getattr(v1, name).copy_(getattr(v2, name).weight.T)
