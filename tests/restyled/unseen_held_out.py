# ruff: noqa: E501
"""Programs by other hands that nothing was tuned on: naming is measured on these."""

from __future__ import annotations

from tests.restyled.by_hand import Program
from tests.restyled.unseen_held_out_blocks import ALL_IN_ONE, FUNCTIONAL_CROSS

A_CLASS_WITHIN = Program(
    "a class within, Korean identifiers",
    "a2.causal_attention",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class 점수(nn.Module):
    def __init__(self, 폭):
        super().__init__()
        self.배율 = 폭 ** 0.5

    def forward(self, 질의, 열쇠):
        return torch.bmm(질의, 열쇠.permute(0, 2, 1)).div(self.배율)


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.점수 = 점수(d_out)
        self.질의맵 = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.열쇠맵 = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.값맵 = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.비율 = dropout
        미래 = torch.full((context_length, context_length), float("-inf")).triu(1)
        self.register_buffer("mask", 미래)

    def forward(self, x):
        길이, 최대 = x.shape[1], self.mask.shape[0]
        if 길이 > 최대:
            raise ValueError(f"{길이} > {최대}")
        질의, 열쇠, 값 = self.질의맵(x), self.열쇠맵(x), self.값맵(x)
        점수 = self.점수(질의, 열쇠) + self.mask[:길이, :길이]
        가중치 = F.softmax(점수, dim=2)
        가중치 = F.dropout(가중치, p=self.비율, training=self.training)
        return torch.bmm(가중치, 값)
""",
    (
        ("causal.unscaled", ".div(self.배율)", ""),
        ("causal.sees_the_next_token", ".triu(1)", ".triu(2)"),
        ("causal.diagonal_masked", ".triu(1)", ".triu(0)"),
        ("causal.upper_triangle", ".triu(1)", ".tril(-1)"),
        ("causal.masked_fill_dropped", " + self.mask[:길이, :길이]", ""),
        ("causal.softmax_over_queries", "dim=2", "dim=1"),
        ("causal.dropout_in_eval", ", training=self.training", ""),
        ("causal.dropout_unused", "가중치 = F.dropout(가중치", "_ = F.dropout(가중치"),
        ("causal.one_map_for_queries_and_keys", "self.열쇠맵(x)", "self.질의맵(x)"),
        ("causal.no_gradient_to_keys", "self.점수(질의, 열쇠)", "self.점수(질의, 열쇠.detach())"),
        ("causal.weak_fill", 'float("-inf")', "-10.0"),
        (
            "causal.softmax_before_scaling",
            "F.softmax(점수, dim=2)",
            "F.softmax(점수 * self.점수.배율, dim=2) / self.점수.배율",
        ),
        ("causal.scale_by_d_in", "점수(d_out)", "점수(d_in)"),
        (
            "causal.dropout_on_the_output",
            "        return torch.bmm(가중치, 값)",
            "        return F.dropout(torch.bmm(F.softmax(점수, dim=2), 값), p=self.비율, training=self.training)",
        ),
        ("|scale_without_root", "폭 ** 0.5", "폭"),
        ("|values_from_keys", "torch.bmm(가중치, 값)", "torch.bmm(가중치, 열쇠)"),
        (
            "|softmax_without_maximum",
            "F.softmax(점수, dim=2)",
            "점수.exp() / 점수.exp().sum(2, keepdim=True)",
        ),
    ),
)

ONE_TENSOR = Program(
    "one tensor of weights, einsum",
    "a3.mha",
    """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"d_out={d_out} num_heads={num_heads}")
        dh = d_out // num_heads
        self.w = nn.Parameter(torch.randn(3, num_heads, d_in, dh) * d_in**-0.5)
        self.b = nn.Parameter(torch.zeros(3, num_heads, dh)) if qkv_bias else None
        self.proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        t = x.shape[1]
        qkv = torch.einsum("bti,rhid->rbhtd", x, self.w)
        if self.b is not None:
            qkv = qkv + self.b[:, None, :, None, :]
        q, k, v = qkv
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) / k.shape[-1] ** 0.5
        later = torch.arange(t, device=x.device)[None, :] > torch.arange(t, device=x.device)[:, None]
        logits = torch.where(later, torch.full_like(logits, -torch.inf), logits)
        probs = self.dropout(torch.softmax(logits, dim=3))
        y = torch.einsum("bhqk,bhkd->bqhd", probs, v)
        return self.proj(y.reshape(*x.shape[:2], -1))
""",
    (
        ("mha.unscaled", " / k.shape[-1] ** 0.5", ""),
        ("mha.scale_by_width", "k.shape[-1] ** 0.5", "(k.shape[-1] * k.shape[1]) ** 0.5"),
        ("mha.softmax_over_heads", "dim=3", "dim=1"),
        ("mha.merged_without_transpose", "->bqhd", "->bhqd"),
        ("mha.values_from_keys", "probs, v)", "probs, k)"),
        (
            "mha.no_output_projection",
            "self.proj(y.reshape(*x.shape[:2], -1))",
            "y.reshape(*x.shape[:2], -1)",
        ),
        ("mha.not_causal", "logits = torch.where", "_ = torch.where"),
        (
            "mha.sees_the_next_token",
            "> torch.arange(t, device=x.device)[:, None]",
            "> 1 + torch.arange(t, device=x.device)[:, None]",
        ),
        (
            "mha.dropout_unused",
            "self.dropout(torch.softmax(logits, dim=3))",
            "torch.softmax(logits, dim=3)",
        ),
        (
            "mha.dropout_on_the_output",
            'probs = self.dropout(torch.softmax(logits, dim=3))\n        y = torch.einsum("bhqk,bhkd->bqhd", probs, v)',
            'probs = torch.softmax(logits, dim=3)\n        y = self.dropout(torch.einsum("bhqk,bhkd->bqhd", probs, v))',
        ),
        ("|scale_without_root", "k.shape[-1] ** 0.5", "k.shape[-1]"),
        ("|diagonal_masked", "> torch.arange(t", ">= torch.arange(t"),
        ("|no_gradient_to_keys", "q, k) /", "q, k.detach()) /"),
        ("|softmax_over_queries", "dim=3", "dim=2"),
    ),
)

KEYS_AND_VALUES_TOGETHER = Program(
    "keys and values together",
    "a3.packed",
    """
import torch
from torch import nn


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{emb_size} % {num_heads}")
        self.heads = num_heads
        self.q = nn.Linear(emb_size, emb_size)
        self.kv = nn.Linear(emb_size, emb_size * 2)
        self.o = nn.Linear(emb_size, emb_size)
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, N, C = x.shape
        d = C // self.heads
        q = self.q(x).view(B, N, self.heads, d).transpose(1, 2)
        k, v = self.kv(x).view(B, N, 2, self.heads, d).permute(2, 0, 3, 1, 4).unbind(0)
        w = torch.matmul(q, k.transpose(-1, -2)).mul(d**-0.5)
        if mask is not None:
            seen = mask if mask.dim() != 3 else mask.unsqueeze(1)
            seen = seen.expand_as(w)
            w = w.masked_fill(~seen, torch.finfo(w.dtype).min)
            w = torch.softmax(w, dim=-1) * seen
        else:
            w = torch.softmax(w, dim=-1)
        w = self.attn_drop(w)
        return self.o(torch.matmul(w, v).transpose(1, 2).reshape(B, N, C))


def pack_qkv(w_query, w_key, w_value):
    return torch.vstack([w_query, w_key, w_value]) if w_query.dim() > 1 else torch.hstack([w_query, w_key, w_value])


def unpack_qkv(w):
    n = w.shape[0] // 3
    return w[:n], w[n : 2 * n], w[2 * n :]


def from_torch_mha(mha):
    new = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    n = mha.embed_dim
    with torch.no_grad():
        new.q.weight.copy_(mha.in_proj_weight[:n])
        new.q.bias.copy_(mha.in_proj_bias[:n])
        new.kv.weight.copy_(mha.in_proj_weight[n:])
        new.kv.bias.copy_(mha.in_proj_bias[n:])
        new.o.weight.copy_(mha.out_proj.weight)
        new.o.bias.copy_(mha.out_proj.bias)
    return new
""",
    (
        ("packed.unscaled", ".mul(d**-0.5)", ""),
        ("packed.scale_by_width", "d**-0.5", "C**-0.5"),
        ("packed.values_from_keys", "torch.matmul(w, v)", "torch.matmul(w, k)"),
        (
            "packed.no_output_projection",
            "self.o(torch.matmul(w, v).transpose(1, 2).reshape(B, N, C))",
            "torch.matmul(w, v).transpose(1, 2).reshape(B, N, C)",
        ),
        ("packed.merged_without_transpose", "v).transpose(1, 2).reshape", "v).reshape"),
        ("packed.residual_inside", "return self.o(", "return x + self.o("),
        (
            "packed.mask_inverted",
            "masked_fill(~seen, torch.finfo(w.dtype).min)",
            "masked_fill(seen, torch.finfo(w.dtype).min)",
        ),
        (
            "packed.masked_after_softmax",
            "w = w.masked_fill(~seen, torch.finfo(w.dtype).min)",
            "pass",
        ),
        ("packed.mask_transposed", "seen = seen.expand_as(w)", "seen = seen.expand_as(w).mT"),
        ("packed.dropout_unused", "w = self.attn_drop(w)", "pass"),
        ("packed.dropout_of_one_tenth", "nn.Dropout(dropout)", "nn.Dropout(0.1)"),
        ("packed.no_gradient_to_keys", "k.transpose(-1, -2)", "k.detach().transpose(-1, -2)"),
        ("packed.one_sample_s_mask", "mask.unsqueeze(1)", "mask[:1].unsqueeze(1)"),
        (
            "packed.samples_taken_for_heads",
            "mask if mask.dim() != 3 else mask.unsqueeze(1)",
            "mask",
        ),
        (
            "packed.biases_not_copied",
            "        new.q.bias.copy_(mha.in_proj_bias[:n])\n        new.kv.weight.copy_(mha.in_proj_weight[n:])\n        new.kv.bias.copy_(mha.in_proj_bias[n:])\n",
            "        new.kv.weight.copy_(mha.in_proj_weight[n:])\n",
        ),
        (
            "packed.pack_key_first",
            "torch.vstack([w_query, w_key, w_value]) if w_query.dim() > 1 else torch.hstack([w_query, w_key, w_value])",
            "torch.cat([w_key, w_query, w_value])",
        ),
        (
            "packed.unpack_every_third",
            "w[:n], w[n : 2 * n], w[2 * n :]",
            "w[0::3], w[1::3], w[2::3]",
        ),
        ("|scale_without_root", "d**-0.5", "d**-1.0"),
    ),
)

HELD_OUT = (A_CLASS_WITHIN, ONE_TENSOR, KEYS_AND_VALUES_TOGETHER, ALL_IN_ONE, FUNCTIONAL_CROSS)
