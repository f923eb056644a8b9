import torch
from torch import nn


class Conv1D(nn.Module):
    """As in GPT-2: a linear map that keeps its weight as (in, out)."""

    def __init__(self, nf, nx):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(nx, nf).normal_(std=0.2))
        self.bias = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return x @ self.weight + self.bias


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        self.heads = num_heads
        self.c_attn = Conv1D(3 * emb_size, emb_size)
        self.c_proj = Conv1D(emb_size, emb_size)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in self.c_attn(x).split(x.shape[-1], dim=2)
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask[:, None] if mask.dim() == 3 else mask
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return self.c_proj((self.attn_dropout(weights) @ v).transpose(1, 2).flatten(2))


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        self.heads = num_heads
        self.to_q, self.to_k, self.to_v = (nn.LazyLinear(emb_size) for _ in range(3))
        self.to_out = nn.LazyLinear(emb_size)

    def forward(self, x, memory, memory_mask=None):
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in (self.to_q(x), self.to_k(memory), self.to_v(memory))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if memory_mask is None:
            weights = scores.softmax(-1)
        else:
            mask = memory_mask[:, None, None]
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return self.to_out((weights @ v).transpose(1, 2).flatten(2))
