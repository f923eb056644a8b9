import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"d_out={d_out} does not divide into num_heads={num_heads}")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.queries = nn.ModuleList(nn.Linear(d_in, self.head_dim, bias=qkv_bias) for _ in range(num_heads))
        self.keys = nn.ModuleList(nn.Linear(d_in, self.head_dim, bias=qkv_bias) for _ in range(num_heads))
        self.values = nn.ModuleList(nn.Linear(d_in, self.head_dim, bias=qkv_bias) for _ in range(num_heads))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, t, _ = x.shape
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        found = []
        for query, key, value in zip(self.queries, self.keys, self.values):
            scores = query(x) @ key(x).transpose(1, 2) / self.head_dim ** 0.5
            weights = torch.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
            found.append(self.dropout(weights) @ value(x))
        return self.out_proj(torch.cat(found, dim=-1))
