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


def pack_qkv(w_query, w_key, w_value):
    return torch.cat((w_query, w_key, w_value))


def unpack_qkv(w):
    return w.chunk(3)


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    with torch.no_grad():
        mine.c_attn.weight.copy_(mha.in_proj_weight.T)
        mine.c_attn.bias.copy_(mha.in_proj_bias)
        mine.c_proj.weight.copy_(mha.out_proj.weight.T)
        mine.c_proj.bias.copy_(mha.out_proj.bias)
    return mine


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} is no multiple of {num_heads}")
        self.heads = num_heads
        self.c_q, self.c_k, self.c_v = (Conv1D(d_out, d_in) for _ in range(3))
        if not qkv_bias:
            for layer in (self.c_q, self.c_k, self.c_v):
                del layer.bias
                layer.bias = 0.0
        self.c_proj = Conv1D(d_out, d_out)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in (self.c_q(x), self.c_k(x), self.c_v(x))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = self.drop(scores.masked_fill(later, -torch.inf).softmax(-1))
        return self.c_proj((weights @ v).transpose(1, 2).flatten(2))


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


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads, self.longest = num_heads, context_length
        self.W_query = nn.Linear(d_in, num_heads * d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, num_heads * d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, num_heads * d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        t = x.shape[1]
        if t > self.longest:
            raise ValueError(f"{t} tokens do not fit a context_length of {self.longest}")
        q, k, v = (
            y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for y in (self.W_query(x), self.W_key(x), self.W_value(x))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        weights = self.dropout(scores.masked_fill(later, -torch.inf).softmax(-1))
        return (weights @ v).transpose(1, 2).flatten(2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is no multiple of {num_heads}")
        if num_heads % num_kv_heads:
            raise ValueError(f"{num_heads} is no multiple of {num_kv_heads}")
        self.heads, self.groups, self.width = num_heads, num_kv_heads, emb_size // num_heads
        self.qkv_proj = nn.Linear(emb_size, (num_heads + 2 * num_kv_heads) * self.width)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def project(self, x):
        share = self.heads // self.groups
        by_group = self.qkv_proj(x).unflatten(-1, (self.groups, share + 2, self.width))
        by_group = by_group.permute(0, 2, 3, 1, 4)  # B G share+2 T Dh
        q, k, v = by_group.split((share, 1, 1), dim=2)
        return q.flatten(1, 2), k.flatten(1, 2), v.flatten(1, 2)

    def forward(self, x, mask=None):
        q, k, v = self.project(x)
        share = self.heads // self.groups
        k, v = k.repeat_interleave(share, 1), v.repeat_interleave(share, 1)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask[:, None] if mask.dim() == 3 else mask
            weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
            weights = weights.masked_fill(~mask, 0.0)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2))
