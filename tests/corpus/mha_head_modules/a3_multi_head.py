import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_in, width, dropout, bias):
        super().__init__()
        self.to_q = nn.Linear(d_in, width, bias=bias)
        self.to_k = nn.Linear(d_in, width, bias=bias)
        self.to_v = nn.Linear(d_in, width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.to_q(x), self.to_k(x), self.to_v(x)
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(later, float("-inf"))
        return self.dropout(torch.softmax(scores, dim=-1)) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"{d_out} features for {num_heads} heads")
        width = d_out // num_heads
        self.heads = nn.ModuleList(Head(d_in, width, dropout, qkv_bias) for _ in range(num_heads))
        self.mix = nn.Linear(d_out, d_out)

    def forward(self, x):
        return self.mix(torch.cat([head(x) for head in self.heads], dim=-1))
