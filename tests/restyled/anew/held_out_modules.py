# ruff: noqa: E501
"""Attention modules that nothing was tuned on, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

LISTS_OF_MATRICES = Program(
    "lists of matrices",
    "a3.mha",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"cannot split {d_out} into {num_heads}")
        self.H, self.Dh = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p = dropout
        self.register_buffer("mask", torch.full((context_length, context_length), -torch.inf).triu(1))

    def forward(self, x):
        T = x.shape[-2]
        Q, K, V = (m(x).split(self.Dh, -1) for m in (self.W_query, self.W_key, self.W_value))
        heads = []
        for q, k, v in zip(Q, K, V):
            a = torch.softmax(q @ k.mT / self.Dh**0.5 + self.mask[:T, :T], dim=-1)
            a = F.dropout(a, self.p, training=self.training)
            heads.append(a @ v)
        return self.out_proj(torch.cat(heads, dim=-1))
""",
    (
        ("mha.einsum_transposed", "q @ k.mT", "k @ q.mT"),
        (
            "mha.dropout_on_the_output",
            "            a = F.dropout(a, self.p, training=self.training)\n            heads.append(a @ v)",
            "            heads.append(a @ F.dropout(v, self.p, training=self.training))",
        ),
        ("|finite_fill", "-torch.inf", "-1e4"),
        (
            "mha.split_by_view mha.all_split_by_view",
            "m(x).split(self.Dh, -1)",
            "m(x).reshape(x.shape[0], self.H, T, self.Dh).unbind(1)",
        ),
        ("mha.scale_by_d_in", "self.Dh**0.5", "x.shape[-1]**0.5"),
        ("mha.sees_the_next_token", "triu(1)", "triu(2)"),
        ("mha.dropout_in_eval", "training=self.training", "training=True"),
    ),
)

READS_A_MEMORY = Program(
    "a helper class for each map",
    "a3.cross",
    """
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, d, h, dh):
        super().__init__()
        self.w = nn.Parameter(torch.randn(d, h, dh) * d**-0.5)
        self.b = nn.Parameter(torch.zeros(h, dh))

    def forward(self, x):
        return torch.einsum("btd,dhe->bhte", x, self.w) + self.b[:, None]


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} % {num_heads} != 0")
        dh = emb_size // num_heads
        self.q = Heads(query_dim, num_heads, dh)
        self.k = Heads(memory_dim, num_heads, dh)
        self.v = Heads(memory_dim, num_heads, dh)
        self.o = nn.Linear(emb_size, emb_size)

    def forward(self, x, memory, memory_mask=None):
        q, k, v = self.q(x), self.k(memory), self.v(memory)
        logits = torch.einsum("bhse,bhle->bhsl", q, k) * k.shape[-1] ** -0.5
        if memory_mask is not None:
            see = memory_mask[:, None, None]
            blind = ~see.any(-1, keepdim=True)
            logits = logits.masked_fill(~see & ~blind, -torch.inf)
            w = logits.softmax(-1).masked_fill(~see, 0)
        else:
            w = logits.softmax(-1)
        return self.o(torch.einsum("bhsl,bhle->bshe", w, v).flatten(2))
""",
    (
        ("cross.unscaled", " * k.shape[-1] ** -0.5", ""),
        (
            "cross.keys_and_values_exchanged",
            "self.k(memory), self.v(memory)",
            "self.v(memory), self.k(memory)",
        ),
        (
            "|finite_fill",
            "logits.masked_fill(~see & ~blind, -torch.inf)",
            "logits.masked_fill(~see & ~blind, -1e4)",
        ),
        (
            "cross.mask_of_the_first_sample",
            "memory_mask[:, None, None]",
            "memory_mask[:1, None, None]",
        ),
        (
            "cross.softmax_over_queries_without_a_mask",
            "w = logits.softmax(-1)\n        return",
            "w = logits.softmax(-2)\n        return",
        ),
        (
            "cross.merged_without_transpose",
            '"bhsl,bhle->bshe", w, v).flatten(2)',
            '"bhsl,bhle->bhse", w, v).reshape(x.shape[0], x.shape[1], -1)',
        ),
    ),
)

AS_IN_TIMM = Program(
    "as in timm",
    "a3.packed",
    """
import torch
import torch.nn as nn


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"dim {emb_size} should be divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.scale = (emb_size // num_heads) ** -0.5
        self.qkv = nn.Linear(emb_size, emb_size * 3)
        self.attn_drop = nn.Dropout(dropout)
        self.proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q = q * self.scale
        attn = q @ k.transpose(-2, -1)
        if mask is not None:
            mask = mask if mask.dim() != 3 else mask[:, None]
            lonely = (~mask).all(-1, True)
            attn = attn.masked_fill(~mask, float("-inf")).masked_fill(lonely, 0.0)
            attn = attn.softmax(dim=-1).masked_fill(lonely, 0.0)
        else:
            attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


def pack_qkv(w_query, w_key, w_value):
    return torch.concat([w_query, w_key, w_value])


def unpack_qkv(w):
    return w.split(len(w) // 3)


def from_torch_mha(mha):
    layer = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    layer.qkv.load_state_dict({"weight": mha.in_proj_weight, "bias": mha.in_proj_bias})
    layer.proj.load_state_dict(mha.out_proj.state_dict())
    return layer
""",
    (
        (
            "packed.another_order",
            "reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)",
            "reshape(B, N, self.num_heads, C // self.num_heads, 3).permute(4, 0, 1, 2, 3).transpose(2, 3)",
        ),
        (
            "|head_major",
            "reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)",
            "reshape(B, N, self.num_heads, 3, C // self.num_heads).permute(3, 0, 2, 1, 4)",
        ),
        ("packed.unscaled", "        q = q * self.scale\n", ""),
        (
            "|finite_fill",
            'attn.masked_fill(~mask, float("-inf")).masked_fill(lonely, 0.0)',
            "attn.masked_fill(~mask, -1e4)",
        ),
        ("packed.dropout_unused", "        attn = self.attn_drop(attn)\n", ""),
        (
            "packed.dropout_on_the_output",
            "attn = self.attn_drop(attn)\n        x = (attn @ v)",
            "x = (attn @ self.attn_drop(v))",
        ),
    ),
)

HELD_OUT_MODULES = (LISTS_OF_MATRICES, READS_A_MEMORY, AS_IN_TIMM)
