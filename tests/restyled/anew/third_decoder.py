# ruff: noqa: E501
"""Decoders and caches, third set."""

from __future__ import annotations

from tests.restyled.by_hand import Program

SUBLAYERS = Program(
    "sublayers, as in the annotated Transformer",
    "a5.decoder",
    """
import math
import torch
from a3_multi_head import CrossAttention, PackedMultiHeadAttention
from torch import nn


def sinusoidal_positions(T, dim):
    if dim % 2:
        raise ValueError(f"odd {dim}")
    pe = torch.zeros(T, dim)
    position = torch.arange(0, T).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, dim, 2) * -(math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


class Feed(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.fc2(self.dropout(nn.functional.gelu(self.fc1(x)))))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        self.self_attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.cross_attention = CrossAttention(emb_size, emb_size, emb_size, num_heads)
        self.mlp = Feed(emb_size, expansion * emb_size, dropout)
        self.norm1 = nn.LayerNorm(emb_size)
        self.norm2 = nn.LayerNorm(emb_size)
        self.norm3 = nn.LayerNorm(emb_size)

    def sublayer(self, x, norm, layer):
        return x + layer(norm(x))

    def forward(self, x, memory, memory_mask=None):
        T = x.size(1)
        tgt_mask = torch.triu(torch.ones(T, T, device=x.device), diagonal=1) == 0
        m = memory
        x = self.sublayer(x, self.norm1, lambda x: self.self_attention(x, tgt_mask))
        x = self.sublayer(x, self.norm2, lambda x: self.cross_attention(x, m, memory_mask))
        return self.sublayer(x, self.norm3, self.mlp)


class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.blocks = nn.ModuleList([DecoderBlock(emb_size, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens, memory, memory_mask=None):
        x = self.embedding(tokens)
        x = x + sinusoidal_positions(tokens.size(1), x.size(-1)).to(x.device, x.dtype)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        return self.output(self.norm(x))
""",
    (
        ("decoder.memory_normalised", "m = memory\n", "m = self.norm2(memory)\n"),
        (
            "decoder.residual_of_norm_throughout",
            "return x + layer(norm(x))",
            "x = norm(x)\n        return x + layer(x)",
        ),
        (
            "decoder.embedding_times_root",
            "x = self.embedding(tokens)\n",
            "x = self.embedding(tokens) * math.sqrt(self.norm.weight.numel())\n",
        ),
        (
            "decoder.memory_mask_not_passed",
            "x = block(x, memory, memory_mask)",
            "x = block(x, memory)",
        ),
    ),
)

OWN_ATTENTION = Program(
    "one attention class of its own for both",
    "a5.decoder",
    """
import torch
from torch import nn


def sinusoidal_positions(T, dim):
    if dim % 2:
        raise ValueError(f"odd {dim}")
    p = torch.arange(T, dtype=torch.float64)[:, None]
    w = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    return torch.stack(((p * w).sin(), (p * w).cos()), 2).flatten(1).float()


class Attend(nn.Module):
    def __init__(self, d, h, p=0.0):
        super().__init__()
        self.h = h
        self.to_q = nn.Linear(d, d)
        self.to_kv = nn.Linear(d, 2 * d)
        self.to_out = nn.Linear(d, d)
        self.drop = nn.Dropout(p)

    def forward(self, x, context, allowed):
        q = self.to_q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in self.to_kv(context).chunk(2, -1))
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        if allowed is not None:
            blind = ~allowed.any(-1, keepdim=True)
            dots = dots.masked_fill(~(allowed | blind), -torch.inf)
            attn = dots.softmax(-1).masked_fill(~allowed, 0.0)
        else:
            attn = dots.softmax(-1)
        return self.to_out(torch.einsum("bhij,bhjd->bihd", self.drop(attn), v).flatten(2))


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, expansion=4, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} {num_heads}")
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(emb_size) for _ in range(3))
        self.self_attention = Attend(emb_size, num_heads, dropout)
        self.cross_attention = Attend(emb_size, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(emb_size, expansion * emb_size),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(expansion * emb_size, emb_size),
            nn.Dropout(dropout),
        )

    def forward(self, x, memory, memory_mask=None):
        past = torch.ones(x.size(1), x.size(1), dtype=torch.bool, device=x.device).tril()
        n = self.norm1(x)
        x = x + self.self_attention(n, n, past)
        keep = None if memory_mask is None else memory_mask[:, None, None]
        x = x + self.cross_attention(self.norm2(x), memory, keep)
        return x + self.mlp(self.norm3(x))


class Decoder(nn.Module):
    def __init__(self, depth, emb_size, num_heads, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.blocks = nn.ModuleList(DecoderBlock(emb_size, num_heads) for _ in range(depth))
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens, memory, memory_mask=None):
        x = self.embedding(tokens)
        x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        return self.output(self.norm(x))
""",
    (
        (
            "decoder.not_causal",
            "x = x + self.self_attention(n, n, past)",
            "x = x + self.self_attention(n, n, None)",
        ),
        (
            "decoder.raw_queries",
            "self.cross_attention(self.norm2(x), memory, keep)",
            "self.cross_attention(x, memory, keep)",
        ),
        (
            "decoder.memory_mask_inverted",
            "else memory_mask[:, None, None]",
            "else ~memory_mask[:, None, None]",
        ),
        ("packed.unscaled cross.unscaled", " * q.shape[-1] ** -0.5", ""),
    ),
)

A_LIST_OF_PASTS = Program(
    "a list of what is past",
    "a5.cache",
    """
import math
import torch
from torch import nn


class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} and {num_heads}")
        self.W_query = nn.Linear(emb_size, emb_size)
        self.W_key = nn.Linear(emb_size, emb_size)
        self.W_value = nn.Linear(emb_size, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)
        self.h = num_heads
        self.past = []

    def prefill(self, x):
        self.past = []
        return self.step(x)

    def step(self, x):
        b, t, d = x.shape
        q, k, v = (w(x).reshape(b, t, self.h, d // self.h) for w in (self.W_query, self.W_key, self.W_value))
        ks = torch.cat([p[0] for p in self.past] + [k], dim=1)
        vs = torch.cat([p[1] for p in self.past] + [v], dim=1)
        self.past.append((k.detach(), v.detach()))
        total = ks.shape[1]
        scores = torch.einsum("bihd,bjhd->bhij", q, ks) / math.sqrt(d // self.h)
        i = torch.arange(total - t, total, device=x.device)[:, None]
        j = torch.arange(total, device=x.device)
        scores = scores.masked_fill(j > i, -torch.inf)
        out = torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), vs)
        return self.out_proj(out.flatten(2))


def sliding_window_attention(query, key, value, window):
    T = query.shape[-2]
    ones = torch.ones(T, T, dtype=torch.bool, device=query.device)
    band = ones.tril() & ones.triu(1 - window)
    s = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~band, -torch.inf)
    return s.softmax(-1) @ value
""",
    (
        (
            "cache.mask_from_the_top_left",
            "torch.arange(total - t, total, device=x.device)[:, None]",
            "torch.arange(t, device=x.device)[:, None]",
        ),
        (
            "cache.not_forgotten",
            "        self.past = []\n        return self.step(x)",
            "        return self.step(x)",
        ),
        ("window.one_too_many", "ones.triu(1 - window)", "ones.triu(-window)"),
        ("cache.scale_by_width", "math.sqrt(d // self.h)", "math.sqrt(d)"),
    ),
)

PACKED_CACHE = Program(
    "one map, and a stacked cache",
    "a5.cache",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCacheAttention(nn.Module):
    def __init__(self, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{emb_size} % {num_heads}")
        self.n_head = num_heads
        self.c_attn = nn.Linear(emb_size, 3 * emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)
        self.cache = None

    def attend(self, x, past):
        B, T, C = x.size()
        q, kv = self.c_attn(x).split([C, 2 * C], dim=2)
        q = q.view(B, T, self.n_head, -1).transpose(1, 2)
        kv = kv.view(B, T, 2, self.n_head, -1).permute(2, 0, 3, 1, 4)
        if past is not None:
            kv = torch.cat([past, kv], dim=3)
        self.cache = kv.detach()
        k, v = kv
        att = q @ k.transpose(-2, -1) * k.size(-1) ** -0.5
        L = k.size(2)
        seen = torch.ones(L, L, dtype=torch.bool, device=x.device).tril()[L - T :]
        att = att.masked_fill(~seen, -torch.inf)
        y = F.softmax(att, dim=-1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(B, T, C))

    def prefill(self, x):
        return self.attend(x, None)

    def step(self, x):
        return self.attend(x, self.cache)


def sliding_window_attention(query, key, value, window):
    outputs = []
    for t in range(query.size(-2)):
        start = max(0, t - window + 1)
        k, v = key[..., start : t + 1, :], value[..., start : t + 1, :]
        w = torch.softmax((query[..., t : t + 1, :] * k).sum(-1) * key.size(-1) ** -0.5, -1)
        outputs.append((w[..., None] * v).sum(-2))
    return torch.stack(outputs, -2)
""",
    (
        ("cache.new_before_old", "torch.cat([past, kv], dim=3)", "torch.cat([kv, past], dim=3)"),
        ("cache.not_causal", "        att = att.masked_fill(~seen, -torch.inf)\n", ""),
        ("window.unscaled", ".sum(-1) * key.size(-1) ** -0.5, -1)", ".sum(-1), -1)"),
        ("cache.not_extended", "self.attend(x, self.cache)", "self.attend(x, None)"),
    ),
)

THIRD_DECODER = (SUBLAYERS, OWN_ATTENTION, A_LIST_OF_PASTS, PACKED_CACHE)
