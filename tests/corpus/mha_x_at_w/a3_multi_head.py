import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"d_out={d_out} does not divide into num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Parameter(torch.randn(d_in, d_out) / d_in ** 0.5)
        self.W_key = nn.Parameter(torch.randn(d_in, d_out) / d_in ** 0.5)
        self.W_value = nn.Parameter(torch.randn(d_in, d_out) / d_in ** 0.5)
        self.W_out = nn.Parameter(torch.randn(d_out, d_out) / d_out ** 0.5)
        self.b_out = nn.Parameter(torch.zeros(d_out))
        for name in ("b_query", "b_key", "b_value"):
            self.register_parameter(name, nn.Parameter(torch.zeros(d_out)) if qkv_bias else None)
        self.dropout = nn.Dropout(dropout)

    def project(self, x, w, b):
        y = x @ w
        return y if b is None else y + b

    def forward(self, x):
        b, t, _ = x.shape
        q = self.project(x, self.W_query, self.b_query)
        k = self.project(x, self.W_key, self.b_key)
        v = self.project(x, self.W_value, self.b_value)
        q, k, v = (y.view(b, t, self.num_heads, self.head_dim).transpose(1, 2) for y in (q, k, v))

        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        weights = self.dropout(torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1))
        return (weights @ v).transpose(1, 2).reshape(b, t, -1) @ self.W_out + self.b_out
