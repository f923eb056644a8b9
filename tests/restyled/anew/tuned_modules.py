# ruff: noqa: E501
"""Attention modules that naming was tuned on, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

AS_IN_NANO_GPT = Program(
    "as in nanoGPT",
    "a2.causal_attention",
    """
import math
import torch
import torch.nn as nn
from torch.nn import functional as F


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.attn_dropout = nn.Dropout(dropout)
        self.n_embd = d_out
        self.block_size = context_length
        bias = torch.tril(torch.ones(context_length, context_length))
        self.register_buffer("mask", bias.view(1, context_length, context_length))

    def forward(self, x):
        B, T, C = x.size()
        if T > self.block_size:
            raise ValueError(f"cannot forward {T} tokens, block size is only {self.block_size}")
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        return y
""",
    (
        (
            "causal.mask_after_softmax",
            'att = att.masked_fill(self.mask[:, :T, :T] == 0, float("-inf"))\n        att = F.softmax(att, dim=-1)',
            "att = F.softmax(att, dim=-1)\n        att = att.masked_fill(self.mask[:, :T, :T] == 0, 0.0)",
        ),
        ("|finite_fill", 'float("-inf")', "-1e4"),
        (
            "causal.dropout_on_the_values",
            "att = self.attn_dropout(att)\n        y = att @ v",
            "y = att @ self.attn_dropout(v)",
        ),
        (
            "causal.dropout_on_the_scores",
            "att = F.softmax(att, dim=-1)\n        att = self.attn_dropout(att)",
            "att = F.softmax(self.attn_dropout(att), dim=-1)",
        ),
        ("causal.scale_by_d_in", "math.sqrt(k.size(-1))", "math.sqrt(C)"),
        (
            "causal.dropout_on_the_output",
            "att = self.attn_dropout(att)\n        y = att @ v",
            "y = self.attn_dropout(att @ v)",
        ),
    ),
)

AS_AT_HUGGING_FACE = Program(
    "as at HuggingFace",
    "a3.packed",
    """
import math
import torch
from torch import nn


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"The hidden size {emb_size} is not a multiple of the heads {num_heads}.")
        self.num_attention_heads = num_heads
        self.attention_head_size = emb_size // num_heads
        self.all_head_size = emb_size
        self.query = nn.Linear(emb_size, self.all_head_size)
        self.key = nn.Linear(emb_size, self.all_head_size)
        self.value = nn.Linear(emb_size, self.all_head_size)
        self.dense = nn.Linear(self.all_head_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def transpose_for_scores(self, x):
        new_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        return x.reshape(new_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, mask=None):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        if mask is not None:
            allowed = mask[:, None] if mask.dim() == 3 else mask
            dead = ~allowed.any(-1, keepdim=True)
            attention_scores = attention_scores.masked_fill(~(allowed | dead), -torch.inf)
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        if mask is not None:
            attention_probs = attention_probs.masked_fill(~allowed, 0.0)
        attention_probs = self.dropout(attention_probs)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        context_layer = context_layer.view(context_layer.size()[:-2] + (self.all_head_size,))
        return self.dense(context_layer)


def pack_qkv(w_query, w_key, w_value):
    return torch.vstack([w_query, w_key, w_value]) if w_query.dim() == 2 else torch.hstack([w_query, w_key, w_value])


def unpack_qkv(w):
    size = w.size(0) // 3
    return w[:size], w[size : 2 * size], w[2 * size :]


def from_torch_mha(mha):
    new = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    state = {}
    for kind in ("weight", "bias"):
        parts = unpack_qkv(getattr(mha, f"in_proj_{kind}").detach().clone())
        for name, part in zip(("query", "key", "value"), parts):
            state[f"{name}.{kind}"] = part
        state[f"dense.{kind}"] = getattr(mha.out_proj, kind).detach().clone()
    new.load_state_dict(state)
    return new
""",
    (
        (
            "|finite_fill",
            "attention_scores.masked_fill(~(allowed | dead), -torch.inf)",
            "attention_scores.masked_fill(~(allowed | dead), -10000.0)",
        ),
        (
            "packed.softmax_over_heads packed.softmax_over_heads_throughout",
            "softmax(attention_scores, dim=-1)",
            "softmax(attention_scores, dim=1)",
        ),
        (
            "packed.scale_by_width",
            "math.sqrt(self.attention_head_size)",
            "math.sqrt(self.all_head_size)",
        ),
        (
            "packed.scores_transposed",
            "torch.matmul(query_layer, key_layer.transpose(-1, -2))",
            "torch.matmul(key_layer, query_layer.transpose(-1, -2))",
        ),
        (
            "packed.split_by_view packed.parts_split_by_view",
            "return x.reshape(new_shape).permute(0, 2, 1, 3)",
            "return x.reshape(x.size(0), self.num_attention_heads, x.size(1), self.attention_head_size)",
        ),
        (
            "packed.merged_without_transpose",
            "context_layer = context_layer.permute(0, 2, 1, 3).contiguous()\n        context_layer = context_layer.view(context_layer.size()[:-2] + (self.all_head_size,))",
            "context_layer = context_layer.reshape(hidden_states.shape)",
        ),
        (
            "packed.mask_inverted",
            "allowed = mask[:, None] if mask.dim() == 3 else mask",
            "allowed = ~(mask[:, None] if mask.dim() == 3 else mask)",
        ),
        (
            "packed.unpack_every_third packed.another_order",
            "return w[:size], w[size : 2 * size], w[2 * size :]",
            "return w[0::3], w[1::3], w[2::3]",
        ),
    ),
)

REPEAT_KV = Program(
    "as on a forum, with repeat_kv",
    "a3.gqa",
    """
import torch
import torch.nn as nn


def repeat_kv(x, n_rep):
    bs, n_kv, slen, head_dim = x.shape
    x = x[:, :, None, :, :].expand(bs, n_kv, n_rep, slen, head_dim)
    return x.reshape(bs, n_kv * n_rep, slen, head_dim)


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} is not divisible by {num_heads}")
        if num_heads % num_kv_heads:
            raise ValueError(f"{num_heads} is not divisible by {num_kv_heads}")
        self.n_heads, self.n_kv = num_heads, num_kv_heads
        self.head_dim = emb_size // num_heads
        self.wq = nn.Linear(emb_size, num_heads * self.head_dim)
        self.wk = nn.Linear(emb_size, num_kv_heads * self.head_dim)
        self.wv = nn.Linear(emb_size, num_kv_heads * self.head_dim)
        self.wo = nn.Linear(num_heads * self.head_dim, emb_size)

    def forward(self, x, mask=None):
        bs, slen, _ = x.shape
        xq = self.wq(x).reshape(bs, slen, self.n_heads, self.head_dim).transpose(1, 2)
        xk = self.wk(x).reshape(bs, slen, self.n_kv, self.head_dim).transpose(1, 2)
        xv = self.wv(x).reshape(bs, slen, self.n_kv, self.head_dim).transpose(1, 2)
        xk = repeat_kv(xk, self.n_heads // self.n_kv)
        xv = repeat_kv(xv, self.n_heads // self.n_kv)
        scores = (xq @ xk.mT) / self.head_dim**0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            empty = mask.sum(-1, keepdim=True) == 0
            scores = scores.masked_fill(mask.logical_not() & ~empty, float("-inf"))
            weights = scores.softmax(-1) * mask
        else:
            weights = scores.softmax(-1)
        return self.wo((weights @ xv).transpose(1, 2).reshape(bs, slen, -1))
""",
    (
        (
            "gqa.tiled gqa.values_tiled",
            "x[:, :, None, :, :].expand(bs, n_kv, n_rep",
            "x[:, None, :, :, :].expand(bs, n_rep, n_kv",
        ),
        ("gqa.unscaled", " / self.head_dim**0.5", ""),
        ("gqa.values_from_keys", "self.wv(x)", "self.wk(x)"),
        ("|finite_fill", 'float("-inf"))', "-1e4)"),
        (
            "gqa.masked_fill_dropped gqa.masked_after_softmax",
            "scores = scores.masked_fill(",
            "scores.masked_fill(",
        ),
        (
            "gqa.softmax_over_queries gqa.softmax_over_queries_without_a_mask",
            "weights = scores.softmax(-1)\n        return",
            "weights = scores.softmax(-2)\n        return",
        ),
    ),
)

MATRICES = Program(
    "a list of matrices",
    "a1.modules",
    """
import torch
from torch import nn


def attend(q, k, v):
    s = torch.matmul(q, k.swapaxes(-1, -2)) / q.size(-1) ** 0.5
    return torch.matmul(torch.softmax(s, -1), v)


class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        return attend(*(x.matmul(w) for w in (self.W_query, self.W_key, self.W_value)))


class SelfAttentionV2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        return attend(*(layer(x) for layer in (self.W_query, self.W_key, self.W_value)))


def copy_v2_to_v1(v2, v1):
    if v2.W_query.bias is not None:
        raise ValueError("V1 has no bias")
    for name in ("W_query", "W_key", "W_value"):
        getattr(v1, name).data.copy_(getattr(v2, name).weight.data.t())
""",
    (
        (
            "modules.scale_by_d_in modules.scale_by_d_in_in_v1",
            "return attend(*(x.matmul(w) for w in (self.W_query, self.W_key, self.W_value)))",
            "q, k, v = (x.matmul(w) for w in (self.W_query, self.W_key, self.W_value))\n        return torch.softmax(q @ k.mT / x.size(-1) ** 0.5, -1) @ v",
        ),
        (
            "modules.unscaled",
            "return attend(*(x.matmul(w) for w in (self.W_query, self.W_key, self.W_value)))",
            "q, k, v = (x.matmul(w) for w in (self.W_query, self.W_key, self.W_value))\n        return torch.softmax(q @ k.mT, -1) @ v",
        ),
        ("modules.copied_by_reshape", "weight.data.t()", "weight.data.reshape(v1.W_query.shape)"),
        (
            "modules.keys_by_queries",
            "return attend(*(layer(x) for layer in (self.W_query, self.W_key, self.W_value)))",
            "return attend(*(layer(x) for layer in (self.W_key, self.W_query, self.W_value)))",
        ),
    ),
)

TUNED_MODULES = (AS_IN_NANO_GPT, AS_AT_HUGGING_FACE, REPEAT_KV, MATRICES)
