# ruff: noqa: E501
"""Programs by other hands that naming was tuned on: what is measured on them proves little."""

from __future__ import annotations

from tests.restyled.by_hand import Program

BARE_PARAMETERS = Program(
    "bare parameters",
    "a2.causal_attention",
    """
import math
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.wq = nn.Parameter(torch.randn(d_in, d_out) / math.sqrt(d_in))
        self.wk = nn.Parameter(torch.randn(d_in, d_out) / math.sqrt(d_in))
        self.wv = nn.Parameter(torch.randn(d_in, d_out) / math.sqrt(d_in))
        self.bq = nn.Parameter(torch.zeros(d_out)) if qkv_bias else 0.0
        self.bk = nn.Parameter(torch.zeros(d_out)) if qkv_bias else 0.0
        self.bv = nn.Parameter(torch.zeros(d_out)) if qkv_bias else 0.0
        self.rate = dropout
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

    def forward(self, x):
        T = x.size(1)
        if T > self.mask.size(0):
            raise ValueError(f"{T} tokens, at most {self.mask.size(0)}")
        q, k, v = x @ self.wq + self.bq, x @ self.wk + self.bk, x @ self.wv + self.bv
        att = torch.einsum("btd,bsd->bts", q, k) / math.sqrt(k.size(-1))
        hidden = self.mask[:T, :T] == 0
        att = att.masked_fill(hidden, float("-inf"))
        att = att - att.amax(-1, keepdim=True)
        p = att.exp() / att.exp().sum(-1, keepdim=True)
        if self.training and self.rate:
            p = p * (torch.rand_like(p) >= self.rate) / (1 - self.rate)
        return torch.einsum("bts,bsd->btd", p, v)
""",
    (
        ("causal.unscaled", " / math.sqrt(k.size(-1))", ""),
        ("causal.scale_by_d_in", "math.sqrt(k.size(-1))", "math.sqrt(x.size(-1))"),
        ("causal.upper_triangle", "torch.tril(torch.ones", "torch.triu(torch.ones"),
        (
            "causal.diagonal_masked",
            "torch.ones(context_length, context_length))",
            "torch.ones(context_length, context_length), -1)",
        ),
        (
            "causal.sees_the_next_token",
            "torch.ones(context_length, context_length))",
            "torch.ones(context_length, context_length), 1)",
        ),
        ("causal.masked_fill_dropped", "att = att.masked_fill", "att.masked_fill"),
        ("causal.weak_fill", 'float("-inf")', "-10.0"),
        ("causal.dropout_in_eval", "if self.training and self.rate:", "if self.rate:"),
        ("causal.dropout_unused", "if self.training and self.rate:", "if False:"),
        ("causal.survivors_not_scaled", " / (1 - self.rate)", ""),
        ("causal.one_map_for_queries_and_keys", "x @ self.wk", "x @ self.wq"),
        ("causal.no_gradient_to_keys", "q, k)", "q, k.detach())"),
        ("causal.softmax_over_queries", "sum(-1, keepdim=True)", "sum(1, keepdim=True)"),
    ),
)

A_MAP_FOR_EACH_HEAD = Program(
    "a map for each head",
    "a3.mha",
    """
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_out}")
        dh = d_out // num_heads
        self.queries = nn.ModuleList(nn.Linear(d_in, dh, bias=qkv_bias) for _ in range(num_heads))
        self.keys = nn.ModuleList(nn.Linear(d_in, dh, bias=qkv_bias) for _ in range(num_heads))
        self.values = nn.ModuleList(nn.Linear(d_in, dh, bias=qkv_bias) for _ in range(num_heads))
        self.out_proj = nn.Linear(d_out, d_out)
        self.drop = nn.Dropout(dropout)
        self.dh = dh

    def forward(self, x):
        n = x.shape[1]
        past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()
        results = []
        for to_q, to_k, to_v in zip(self.queries, self.keys, self.values):
            q, k, v = to_q(x), to_k(x), to_v(x)
            s = torch.bmm(q, k.mT) * self.dh**-0.5
            s = s.masked_fill(~past, float("-inf"))
            w = self.drop(s.softmax(-1))
            results.append(torch.bmm(w, v))
        return self.out_proj(torch.cat(results, -1))
""",
    (
        ("mha.unscaled", " * self.dh**-0.5", ""),
        ("mha.scale_by_width", "self.dh**-0.5", "self.out_proj.in_features**-0.5"),
        (
            "mha.softmax_before_scaling",
            "s.softmax(-1)",
            "(s / self.dh**-0.5).softmax(-1) * self.dh**-0.5",
        ),
        ("mha.not_causal", "s = s.masked_fill", "_ = s.masked_fill"),
        ("mha.sees_the_next_token", ".tril()", ".tril(1)"),
        ("mha.values_from_keys", "torch.bmm(w, v)", "torch.bmm(w, k)"),
        (
            "mha.no_output_projection",
            "self.out_proj(torch.cat(results, -1))",
            "torch.cat(results, -1)",
        ),
        ("mha.dropout_unused", "self.drop(s.softmax(-1))", "s.softmax(-1)"),
        (
            "mha.dropout_on_the_output",
            "torch.bmm(w, v))",
            "self.drop(torch.bmm(s.softmax(-1), v)))",
        ),
        ("mha.einsum_transposed", "torch.bmm(q, k.mT)", "torch.bmm(k, q.mT)"),
        (
            "mha.heads_averaged",
            "torch.cat(results, -1)",
            "(sum(results) / len(results)).repeat(1, 1, len(results))",
        ),
    ),
)

OWN_NAMES = Program(
    "three maps under names of its own",
    "a3.packed",
    """
import torch
from torch import nn
from torch.nn import functional as F


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} features, {num_heads} heads")
        self.h = num_heads
        self.to_q = nn.Linear(emb_size, emb_size)
        self.to_k = nn.Linear(emb_size, emb_size)
        self.to_v = nn.Linear(emb_size, emb_size)
        self.to_out = nn.Linear(emb_size, emb_size)
        self.p = dropout

    def heads(self, t):
        b, n, d = t.shape
        return t.reshape(b, n, self.h, d // self.h).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        q, k, v = self.heads(self.to_q(x)), self.heads(self.to_k(x)), self.heads(self.to_v(x))
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            dots = dots.masked_fill(mask.logical_not(), float("-inf"))
            nothing = mask.logical_not().all(-1, keepdim=True)
            dots = torch.where(nothing, torch.zeros_like(dots), dots)
        attn = F.softmax(dots, dim=-1)
        if mask is not None:
            attn = torch.where(nothing, torch.zeros_like(attn), attn)
        attn = F.dropout(attn, self.p, self.training)
        out = torch.einsum("bhij,bhjd->bihd", attn, v)
        return self.to_out(out.flatten(2))


def pack_qkv(w_query, w_key, w_value):
    return torch.cat((w_query, w_key, w_value))


def unpack_qkv(w):
    return tuple(w.tensor_split(3))


def from_torch_mha(mha):
    mine = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    with torch.no_grad():
        weights = mha.in_proj_weight.chunk(3)
        biases = mha.in_proj_bias.chunk(3)
        for layer, weight, bias in zip((mine.to_q, mine.to_k, mine.to_v), weights, biases):
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)
        mine.to_out.load_state_dict(mha.out_proj.state_dict())
    return mine
""",
    (
        ("packed.unscaled", " * q.shape[-1] ** -0.5", ""),
        ("packed.scale_by_width", "q.shape[-1] ** -0.5", "x.shape[-1] ** -0.5"),
        ("packed.softmax_over_heads", "F.softmax(dots, dim=-1)", "F.softmax(dots, dim=1)"),
        ("packed.softmax_over_queries", "F.softmax(dots, dim=-1)", "F.softmax(dots, dim=-2)"),
        ("packed.scores_transposed", "bhid,bhjd->bhij", "bhid,bhjd->bhji"),
        (
            "packed.split_by_view",
            "self.h, d // self.h).permute(0, 2, 1, 3)",
            "1, d).reshape(b, self.h, n, d // self.h)",
        ),
        ("packed.values_from_keys", "attn, v)", "attn, k)"),
        ("packed.no_output_projection", "self.to_out(out.flatten(2))", "out.flatten(2)"),
        (
            "packed.residual_inside",
            "return self.to_out(out.flatten(2))",
            "return x + self.to_out(out.flatten(2))",
        ),
        (
            "packed.mask_inverted",
            "dots = dots.masked_fill(mask.logical_not(),",
            "mask = mask.logical_not()\n            dots = dots.masked_fill(mask.logical_not(),",
        ),
        ("packed.masked_fill_dropped", "dots = dots.masked_fill(", "dots.masked_fill("),
        (
            "packed.mask_transposed",
            "dots.masked_fill(mask.logical_not()",
            "dots.masked_fill(mask.mT.logical_not()",
        ),
        ("packed.dropout_in_eval", "self.p, self.training", "self.p"),
        ("packed.dropout_unused", "attn = F.dropout(attn, self.p, self.training)", "pass"),
        (
            "packed.dropout_on_the_output",
            'attn = F.dropout(attn, self.p, self.training)\n        out = torch.einsum("bhij,bhjd->bihd", attn, v)',
            'out = F.dropout(torch.einsum("bhij,bhjd->bihd", attn, v), self.p, self.training)',
        ),
        ("packed.no_gradient_to_keys", "q, k)", "q, k.detach())"),
        (
            "packed.projection_not_copied",
            "mine.to_out.load_state_dict(mha.out_proj.state_dict())",
            "pass",
        ),
    ),
)

TUNED = (BARE_PARAMETERS, A_MAP_FOR_EACH_HEAD, OWN_NAMES)
