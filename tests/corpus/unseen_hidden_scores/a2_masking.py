import torch
import math
import torch.nn as nn
from torch.nn import functional as F


def mask_then_renormalise(weights, mask):
    kept = weights * mask
    total = kept.sum(-1, keepdim=True)
    return torch.where(total > 0, kept / torch.where(total > 0, total, 1.0), 0.0)


def masked_softmax(scores, mask, dim=-1):
    e = torch.exp(scores - scores.amax(dim, keepdim=True)) * mask
    total = e.sum(dim, keepdim=True)
    return torch.where(total > 0, e / torch.where(total > 0, total, torch.ones_like(total)), 0.0)


TRI = torch.ones(512, 512, dtype=torch.bool).tril()


def causal_mask(T, offset=0, device=None):
    rows = TRI[offset:offset + T, :T + offset]
    return rows.to(device) if device is not None else rows.clone()


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.block_size = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.attn_drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)).view(1, context_length, context_length))

    def forward(self, x):
        B, T, C = x.size()
        if T > self.block_size:
            raise ValueError(f"Cannot forward sequence of length {T}, block size is only {self.block_size}")
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_drop(att)
        y = att @ v
        return v
