# ruff: noqa: E501
"""Attention modules of the third set, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

ONE_BARE_MATRIX = Program(
    "one bare matrix",
    "a2.causal_attention",
    """
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_qkv = nn.Parameter(torch.randn(d_in, 3 * d_out) / d_in**0.5)
        self.b_qkv = nn.Parameter(torch.zeros(3 * d_out)) if qkv_bias else None
        self.drop = nn.Dropout(dropout)
        self.context_length = context_length
        future = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", future.bool())

    def forward(self, x):
        T = x.size(1)
        if T > self.context_length:
            raise ValueError(f"{T} > {self.context_length}")
        qkv = x @ self.W_qkv
        if self.b_qkv is not None:
            qkv = qkv + self.b_qkv
        q, k, v = torch.tensor_split(qkv, 3, dim=-1)
        att = q @ k.mT / k.shape[-1] ** 0.5
        att = att.masked_fill(self.mask[:T, :T], float("-inf"))
        return self.drop(att.softmax(-1)) @ v
""",
    (
        ("causal.diagonal_masked", "diagonal=1", "diagonal=0"),
        ("causal.softmax_over_queries", "att.softmax(-1)", "att.softmax(1)"),
        ("causal.scale_without_root", "k.shape[-1] ** 0.5", "k.shape[-1]"),
    ),
)

ADDED_MASK = Program(
    "a mask that is added",
    "a2.causal_attention",
    """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout
        self.register_buffer("mask", torch.full((context_length, context_length), -math.inf).triu(1))

    def forward(self, x):
        num_tokens = x.shape[1]
        if num_tokens > len(self.mask):
            raise ValueError(f"{num_tokens} tokens, at most {len(self.mask)}")
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = torch.bmm(queries, keys.permute(0, 2, 1)) / keys.size(2) ** 0.5
        attn_weights = F.softmax(attn_scores + self.mask[:num_tokens, :num_tokens], dim=2)
        attn_weights = F.dropout(attn_weights, self.p, self.training)
        return torch.bmm(attn_weights, values)
""",
    (
        ("causal.dropout_in_eval", "self.p, self.training)", "self.p)"),
        ("causal.values_from_keys", "values = self.W_value(x)", "values = self.W_key(x)"),
        ("causal.unscaled", " / keys.size(2) ** 0.5", ""),
        ("causal.no_length_check", "if num_tokens > len(self.mask):", "if num_tokens < 0:"),
    ),
)

ANNOTATED = Program(
    "as in the annotated Transformer",
    "a3.mha",
    """
import math
import torch
import torch.nn as nn


def subsequent_mask(size):
    attn_shape = (1, size, size)
    return torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8) == 0


def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError(f"{d_out} % {num_heads} != 0")
        self.d_k = d_out // num_heads
        self.h = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("mask", subsequent_mask(context_length))

    def forward(self, x):
        nbatches, T = x.size(0), x.size(1)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin in (self.W_query, self.W_key, self.W_value)
        ]
        x, self.attn = attention(query, key, value, mask=self.mask[:, :T, :T].unsqueeze(1), dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.out_proj(x)
""",
    (
        ("mha.scale_by_width", "d_k = query.size(-1)", "d_k = query.size(1) * query.size(-1)"),
        ("mha.softmax_over_heads", "scores.softmax(dim=-1)", "scores.softmax(dim=1)"),
        ("mha.merged_without_transpose", "x.transpose(1, 2).contiguous()", "x.contiguous()"),
    ),
)

HEADS_AS_AN_AXIS = Program(
    "one parameter with heads as an axis",
    "a3.mha",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_out}")
        self.dh, self.p = d_out // num_heads, dropout
        self.w = nn.Parameter(torch.randn(3, num_heads, d_in, self.dh) * d_in**-0.5)
        self.b = nn.Parameter(torch.zeros(3, 1, num_heads, 1, self.dh)) if qkv_bias else None
        self.wo = nn.Parameter(torch.randn(num_heads, self.dh, d_out) * d_out**-0.5)
        self.bo = nn.Parameter(torch.zeros(d_out))
        self.register_buffer("mask", torch.full((context_length, context_length), -torch.inf).triu(1))

    def forward(self, x):
        T = x.shape[1]
        qkv = torch.einsum("btd,nhde->nbhte", x, self.w)
        if self.b is not None:
            qkv = qkv + self.b
        q, k, v = qkv.unbind(0)
        s = torch.einsum("bhqe,bhke->bhqk", q, k) * self.dh**-0.5 + self.mask[:T, :T]
        a = F.dropout(torch.softmax(s, -1), self.p, self.training)
        return torch.einsum("bhqk,bhke,heo->bqo", a, v, self.wo) + self.bo
""",
    (
        ("mha.values_from_keys", '"bhqk,bhke,heo->bqo", a, v,', '"bhqk,bhke,heo->bqo", a, k,'),
        (
            "mha.dropout_unused",
            "F.dropout(torch.softmax(s, -1), self.p, self.training)",
            "torch.softmax(s, -1)",
        ),
        ("mha.scale_without_root", "self.dh**-0.5", "self.dh**-1"),
    ),
)

AS_IN_GPT_2 = Program(
    "layers as in GPT-2",
    "a3.packed",
    """
import torch
import torch.nn as nn


class Conv1D(nn.Module):
    def __init__(self, nf, nx):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight)
        return x.view(size_out)


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{emb_size} cannot be split into {num_heads} heads")
        self.embed_dim, self.num_heads = emb_size, num_heads
        self.head_dim = emb_size // num_heads
        self.qkv = Conv1D(3 * emb_size, emb_size)
        self.projection = Conv1D(emb_size, emb_size)
        self.attn_dropout = nn.Dropout(dropout)

    def _split_heads(self, tensor):
        return tensor.reshape(*tensor.shape[:-1], self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        query, key, value = map(self._split_heads, self.qkv(x).split(self.embed_dim, dim=2))
        w = torch.matmul(query, key.transpose(-1, -2)) / self.head_dim**0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            nobody = ~mask.any(-1, keepdim=True)
            w = torch.where(mask | nobody, w, -torch.inf)
            w = torch.where(mask, w.softmax(-1), torch.zeros_like(w))
        else:
            w = w.softmax(-1)
        a = torch.matmul(self.attn_dropout(w), value)
        a = a.permute(0, 2, 1, 3).contiguous()
        return self.projection(a.view(*x.shape))


def pack_qkv(w_query, w_key, w_value):
    return torch.cat((w_query, w_key, w_value))


def unpack_qkv(w):
    return tuple(w.chunk(3))


def from_torch_mha(mha):
    ours = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    with torch.no_grad():
        ours.qkv.weight.copy_(mha.in_proj_weight.t())
        ours.qkv.bias.copy_(mha.in_proj_bias)
        ours.projection.weight.copy_(mha.out_proj.weight.t())
        ours.projection.bias.copy_(mha.out_proj.bias)
    return ours
""",
    (
        ("packed.scale_by_width", "self.head_dim**0.5", "self.embed_dim**0.5"),
        ("packed.samples_taken_for_heads", "if mask.dim() == 3:", "if mask.dim() == 99:"),
        (
            "packed.projection_transposed",
            "copy_(mha.out_proj.weight.t())",
            "copy_(mha.out_proj.weight)",
        ),
        (
            "packed.merged_without_transpose",
            "a = a.permute(0, 2, 1, 3).contiguous()",
            "a = a.contiguous()",
        ),
    ),
)

HEAD_BY_HEAD = Program(
    "rows packed head by head",
    "a3.packed",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"emb_size={emb_size}, num_heads={num_heads}")
        self.h, self.p = num_heads, dropout
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        fused = self.qkv(x).unflatten(-1, (self.h, 3, -1))
        q, k, v = fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]
        e = torch.einsum("bihd,bjhd->bhij", q, k) * q.size(-1) ** -0.5
        if mask is None:
            a = F.softmax(e, dim=-1)
        else:
            m = mask if mask.dim() != 3 else mask[:, None]
            alone = m.sum(-1, keepdim=True).eq(0)
            a = F.softmax(e.masked_fill(~m & ~alone, -torch.inf), dim=-1)
            a = a.masked_fill(~m, 0.0)
        a = F.dropout(a, p=self.p, training=self.training)
        return self.projection(torch.einsum("bhij,bjhd->bihd", a, v).flatten(2))


def pack_qkv(w_query, w_key, w_value):
    return torch.cat([w_query, w_key, w_value], 0)


def unpack_qkv(w):
    n = len(w) // 3
    return w[:n], w[n : n * 2], w[n * 2 :]


def from_torch_mha(mha):
    ours = PackedMultiHeadAttention(mha.embed_dim, mha.num_heads, mha.dropout)
    for name in ("weight", "bias"):
        rows = getattr(mha, "in_proj_" + name).data.unflatten(0, (3, mha.num_heads, -1))
        getattr(ours.qkv, name).data.copy_(rows.transpose(0, 1).flatten(0, 2))
    ours.projection.load_state_dict(mha.out_proj.state_dict())
    return ours
""",
    (
        ("packed.dropout_in_eval", "training=self.training", "training=True"),
        ("packed.unscaled", " * q.size(-1) ** -0.5", ""),
        (
            "packed.values_from_keys",
            "fused[..., 1, :], fused[..., 2, :]",
            "fused[..., 1, :], fused[..., 1, :]",
        ),
        ("packed.uniform_where_nobody_is_seen", "            a = a.masked_fill(~m, 0.0)\n", ""),
    ),
)

UNEQUAL_WIDTHS = Program(
    "one map of unequal widths",
    "a3.gqa",
    """
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{emb_size} / {num_heads}")
        if num_heads % num_kv_heads:
            raise ValueError(f"{num_heads} / {num_kv_heads}")
        self.n_q, self.n_kv, self.d = num_heads, num_kv_heads, emb_size // num_heads
        self.wqkv = nn.Linear(emb_size, (num_heads + 2 * num_kv_heads) * self.d)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        b, t, c = x.shape
        q, k, v = self.wqkv(x).split([c, self.n_kv * self.d, self.n_kv * self.d], dim=-1)
        q = q.view(b, t, self.n_q, self.d).transpose(1, 2)
        k = k.view(b, t, self.n_kv, self.d).transpose(1, 2)
        v = v.view(b, t, self.n_kv, self.d).transpose(1, 2)
        k = torch.repeat_interleave(k, self.n_q // self.n_kv, dim=1)
        v = torch.repeat_interleave(v, self.n_q // self.n_kv, dim=1)
        logits = q @ k.transpose(-1, -2) / self.d**0.5
        if mask is not None:
            mask = mask[:, None] if mask.ndim == 3 else mask
            dead = ~mask.any(dim=-1, keepdim=True)
            p = logits.masked_fill(~mask, -torch.inf).masked_fill(dead, 0).softmax(-1)
            p = p.masked_fill(dead, 0)
        else:
            p = logits.softmax(-1)
        return self.out_proj((p @ v).transpose(1, 2).flatten(2))
""",
    (
        (
            "gqa.keys_tiled",
            "k = torch.repeat_interleave(k, self.n_q // self.n_kv, dim=1)",
            "k = k.repeat(1, self.n_q // self.n_kv, 1, 1)",
        ),
        ("gqa.scale_by_width", "self.d**0.5", "c**0.5"),
        (
            "gqa.mask_inverted",
            "mask = mask[:, None] if mask.ndim == 3 else mask",
            "mask = ~(mask[:, None] if mask.ndim == 3 else mask)",
        ),
        (
            "gqa.merged_without_transpose",
            "(p @ v).transpose(1, 2).flatten(2)",
            "(p @ v).reshape(b, t, c)",
        ),
    ),
)

A_CLASS_FOR_EACH_GROUP = Program(
    "a class for each group",
    "a3.gqa",
    """
import torch
from torch import nn


class Group(nn.Module):
    def __init__(self, width, share, head):
        super().__init__()
        self.share = share
        self.q = nn.Linear(width, share * head)
        self.k = nn.Linear(width, head)
        self.v = nn.Linear(width, head)

    def forward(self, x, mask):
        queries = torch.stack(self.q(x).chunk(self.share, -1), 1)
        k, v = self.k(x).unsqueeze(1), self.v(x).unsqueeze(1)
        e = queries @ k.mT / k.shape[-1] ** 0.5
        if mask is None:
            w = torch.softmax(e, dim=-1)
        else:
            e = e.masked_fill(~mask & mask.any(-1, keepdim=True), float("-inf"))
            w = torch.softmax(e, dim=-1) * mask
        return (w @ v).transpose(1, 2).flatten(2)


class GroupedQueryAttention(nn.Module):
    def __init__(self, emb_size, num_heads, num_kv_heads):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"{emb_size} is not divisible by {num_heads}")
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"{num_heads} is not divisible by {num_kv_heads}")
        self.share = num_heads // num_kv_heads
        self.groups = nn.ModuleList(
            [Group(emb_size, self.share, emb_size // num_heads) for _ in range(num_kv_heads)]
        )
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        found = []
        for i, group in enumerate(self.groups):
            part = mask
            if mask is not None and mask.dim() == 4 and mask.size(1) > 1:
                part = mask[:, i * self.share : (i + 1) * self.share]
            found.append(group(x, part))
        return self.out_proj(torch.cat(found, -1))
""",
    (
        ("gqa.unscaled", " / k.shape[-1] ** 0.5", ""),
        ("gqa.values_from_keys", "self.v(x).unsqueeze(1)", "self.k(x).unsqueeze(1)"),
        (
            "gqa.mask_transposed",
            "self.groups):\n            part = mask\n",
            "self.groups):\n            mask = None if mask is None else mask.mT if i == 0 else mask\n            part = mask\n",
        ),
    ),
)

AS_IN_D2L = Program(
    "as in d2l",
    "a3.cross",
    """
import math
import torch
from torch import nn


class DotProductAttention(nn.Module):
    def forward(self, queries, keys, values, valid):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        if valid is None:
            self.attention_weights = nn.functional.softmax(scores, dim=-1)
        else:
            none = ~valid.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~valid, float("-inf")).masked_fill(none, 0.0)
            self.attention_weights = nn.functional.softmax(scores, dim=-1).masked_fill(none, 0.0)
        return torch.bmm(self.attention_weights, values)


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"num_hiddens={emb_size} num_heads={num_heads}")
        self.num_heads = num_heads
        self.attention = DotProductAttention()
        self.W_query = nn.LazyLinear(emb_size)
        self.W_key = nn.LazyLinear(emb_size)
        self.W_value = nn.LazyLinear(emb_size)
        self.out_proj = nn.LazyLinear(emb_size)

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, x, memory, memory_mask=None):
        queries = self.transpose_qkv(self.W_query(x))
        keys = self.transpose_qkv(self.W_key(memory))
        values = self.transpose_qkv(self.W_value(memory))
        if memory_mask is not None:
            memory_mask = memory_mask.repeat_interleave(self.num_heads, dim=0)[:, None]
        output = self.attention(queries, keys, values, memory_mask)
        return self.out_proj(self.transpose_output(output))
""",
    (
        ("cross.unscaled", " / math.sqrt(d)", ""),
        (
            "|masks_of_other_samples",
            "memory_mask.repeat_interleave(self.num_heads, dim=0)[:, None]",
            "memory_mask.repeat(self.num_heads, 1)[:, None]",
        ),
        (
            "cross.keys_and_values_exchanged",
            "self.attention(queries, keys, values, memory_mask)",
            "self.attention(queries, values, keys, memory_mask)",
        ),
    ),
)

BARE_AND_PACKED = Program(
    "bare matrices, keys and values in one",
    "a3.cross",
    """
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, emb_size, num_heads):
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f"{num_heads} does not divide {emb_size}")
        self.H = num_heads
        self.Wq = nn.Parameter(torch.randn(query_dim, emb_size) * 0.1)
        self.bq = nn.Parameter(torch.zeros(emb_size))
        self.Wkv = nn.Parameter(torch.randn(memory_dim, 2 * emb_size) * 0.1)
        self.bkv = nn.Parameter(torch.zeros(2 * emb_size))
        self.Wo = nn.Parameter(torch.randn(emb_size, emb_size) * 0.1)
        self.bo = nn.Parameter(torch.zeros(emb_size))

    def forward(self, x, memory, memory_mask=None):
        q = (x @ self.Wq + self.bq).unflatten(-1, (self.H, -1)).transpose(1, 2)
        k, v = (memory @ self.Wkv + self.bkv).unflatten(-1, (2, self.H, -1)).permute(2, 0, 3, 1, 4)
        a = q @ k.mT / q.size(-1) ** 0.5
        if memory_mask is not None:
            m = memory_mask[:, None, None, :]
            a = a.masked_fill(~m & m.any(-1, keepdim=True), -torch.inf).softmax(-1) * m
        else:
            a = a.softmax(-1)
        return (a @ v).transpose(1, 2).flatten(2) @ self.Wo + self.bo
""",
    (
        (
            "cross.mask_inverted",
            "m = memory_mask[:, None, None, :]",
            "m = ~memory_mask[:, None, None, :]",
        ),
        ("cross.values_from_keys", "(a @ v)", "(a @ k)"),
        ("cross.uniform_where_nobody_is_seen", ".softmax(-1) * m", ".softmax(-1)"),
    ),
)

ONE_MAP_FOR_ALL_HEADS = Program(
    "one map for all heads",
    "a3.wrapper",
    """
import torch
from torch import nn


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.h, self.d, self.longest = num_heads, d_out, context_length
        self.query = nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
        self.key = nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
        self.value = nn.Linear(d_in, d_out * num_heads, bias=qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(context_length, context_length)))

    def forward(self, x):
        b, t, _ = x.shape
        if t > self.longest:
            raise ValueError(f"{t} tokens, but only {self.longest}")
        q, k, v = (m(x).view(b, t, self.h, self.d).transpose(1, 2) for m in (self.query, self.key, self.value))
        s = q @ k.transpose(2, 3) / self.d**0.5
        s = s.masked_fill(self.mask[:t, :t] == 0, -torch.inf)
        y = self.drop(torch.softmax(s, dim=-1)) @ v
        return y.transpose(1, 2).reshape(b, t, -1)
""",
    (
        ("causal.unscaled", " / self.d**0.5", ""),
        (
            "wrapper.features_alternate",
            "y.transpose(1, 2).reshape(b, t, -1)",
            "y.permute(0, 2, 3, 1).reshape(b, t, -1)",
        ),
        ("wrapper.looks_ahead", "self.mask[:t, :t] == 0", "self.mask[:t, :t] == 2"),
    ),
)

A_HEAD_OF_ITS_OWN = Program(
    "a class Head, as in nanoGPT's lecture",
    "a3.wrapper",
    """
import torch
import torch.nn as nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size, dropout, bias):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=bias)
        self.query = nn.Linear(n_embd, head_size, bias=bias)
        self.value = nn.Linear(n_embd, head_size, bias=bias)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, C = x.shape
        if T > self.tril.size(0):
            raise ValueError(f"{T} tokens do not fit into {self.tril.size(0)}")
        k = self.key(x)
        q = self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        wei = self.dropout(wei)
        v = self.value(x)
        return wei @ v


class MultiHeadAttentionWrapper(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.heads = nn.ModuleList(
            [Head(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)]
        )

    def forward(self, x):
        return torch.cat([h(x) for h in self.heads], dim=-1)
""",
    (
        ("causal.scale_by_d_in", "k.shape[-1] ** -0.5", "C**-0.5"),
        (
            "wrapper.heads_averaged",
            "torch.cat([h(x) for h in self.heads], dim=-1)",
            "torch.stack([h(x) for h in self.heads]).mean(0)",
        ),
        (
            "causal.dropout_on_the_output",
            "        wei = self.dropout(wei)\n        v = self.value(x)\n        return wei @ v",
            "        v = self.value(x)\n        return self.dropout(wei @ v)",
        ),
    ),
)

THIRD_ATTENTION = (
    ONE_BARE_MATRIX,
    ADDED_MASK,
    ANNOTATED,
    HEADS_AS_AN_AXIS,
    AS_IN_GPT_2,
    HEAD_BY_HEAD,
    UNEQUAL_WIDTHS,
    A_CLASS_FOR_EACH_GROUP,
    AS_IN_D2L,
    BARE_AND_PACKED,
    ONE_MAP_FOR_ALL_HEADS,
    A_HEAD_OF_ITS_OWN,
)
