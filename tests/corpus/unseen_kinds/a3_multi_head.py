import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"num_heads {num_heads} does not divide d_out {d_out}")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.h, self.dh = num_heads, d_out // num_heads
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1).bool())

    def forward(self, x):
        T = x.shape[1]
        Q, K, V = self.W_query(x), self.W_key(x), self.W_value(x)
        heads = []
        for i in range(self.h):
            s = slice(i * self.dh, (i + 1) * self.dh)
            a = Q[..., s] @ K[..., s].transpose(1, 2) / self.dh
            a = a.masked_fill(self.mask[:T, :T], -torch.inf)
            a = self.dropout(torch.softmax(a, dim=-1))
            heads.append(a @ V[..., s])
        return self.out_proj(torch.cat(heads, dim=-1))
