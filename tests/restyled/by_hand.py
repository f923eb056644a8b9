"""Programs in styles of their own, written by hand, and mistakes made in their own words.

Each program is right as it stands: the edits below put a mistake into it that the course knows
under that id, in code that has nothing in common with the course's.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A right answer to one exercise, and ways to spoil it."""

    style: str
    slug: str
    source: str
    mistakes: tuple[tuple[str, str, str], ...]
    """(id, text in the source, what stands there instead)."""


LOOPS = Program(
    "loops",
    "a1.sdpa",
    '''
import math
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    """Query by query, in plain loops."""
    lead = query.shape[:-2]
    S, L = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = mask.expand(*lead, S, L)
    if lead:
        results = []
        for i in range(lead[0]):
            part = mask[i] if mask is not None else None
            results.append(scaled_dot_product_attention(query[i], key[i], value[i], part))
        outputs, weights = zip(*results)
        return torch.stack(outputs), torch.stack(weights)
    rows = []
    for s in range(S):
        row = []
        for l in range(L):
            products = [query[s, d] * key[l, d] for d in range(query.shape[-1])]
            row.append(torch.stack(products).sum() / math.sqrt(query.shape[-1]))
        row = torch.stack(row)
        if mask is not None:
            row = hide(row, mask[s])
        rows.append(share(row) if mask is None else share_or_nothing(row))
    weights = torch.stack(rows)
    return mix(weights, value), weights


def hide(row, allowed):
    if allowed.dtype == torch.bool:
        return torch.where(allowed, row, torch.tensor(float("-inf"), dtype=row.dtype))
    return row + allowed.to(row.dtype)


def share(row):
    powers = (row - row.max()).exp()
    return powers / powers.sum()


def share_or_nothing(row):
    seen = row != float("-inf")
    if not bool(seen.any()):
        return torch.zeros_like(row)
    full = torch.zeros_like(row)
    full[seen] = share(row[seen])
    return full


def mix(weights, value):
    return torch.stack([(w.unsqueeze(1) * value).sum(0) for w in weights])
''',
    (
        ("sdpa.unscaled", " / math.sqrt(query.shape[-1])", ""),
        ("sdpa.scale_without_root", "/ math.sqrt(query.shape[-1])", "/ query.shape[-1]"),
        ("sdpa.multiplied_by_root", "/ math.sqrt(query.shape[-1])", "* math.sqrt(key.shape[-1])"),
        ("sdpa.scale_by_length", "/ math.sqrt(query.shape[-1])", "/ math.sqrt(len(key))"),
        ("sdpa.scale_by_values", "/ math.sqrt(query.shape[-1])", "/ math.sqrt(value.size(-1))"),
        ("sdpa.scale_of_64", "/ math.sqrt(query.shape[-1])", "/ 8"),
        ("sdpa.width_squared", "/ math.sqrt(query.shape[-1])", "/ query.shape[-1] / len(key[0])"),
        ("sdpa.mask_inverted", "torch.where(allowed, row,", "torch.where(allowed == False, row,"),
    ),
)

COMPARED = Program(
    "rows one by one",
    "a2.causal_mask",
    """
import torch


def causal_mask(T, offset=0, device=None):
    rows = []
    for t in range(T):
        seen = [True] * (t + offset + 1) + [False] * (T - t - 1)
        rows.append(seen)
    return torch.tensor(rows, device=device)
""",
    (
        ("causal_mask.inverted", "return torch.tensor(rows", "return ~torch.tensor(rows"),
        (
            "causal_mask.next_token_seen",
            "[True] * (t + offset + 1) + [False] * (T - t - 1)",
            "([True] * (t + offset + 2) + [False] * T)[: T + offset]",
        ),
        (
            "causal_mask.diagonal_hidden",
            "[True] * (t + offset + 1) + [False] * (T - t - 1)",
            "[True] * (t + offset) + [False] * (T - t)",
        ),
        (
            "causal_mask.offset_ignored",
            "[True] * (t + offset + 1) + [False] * (T - t - 1)",
            "[True] * (t + 1) + [False] * (T - t - 1)",
        ),
        (
            "causal_mask.offset_only_in_the_shape",
            "[True] * (t + offset + 1) + [False] * (T - t - 1)",
            "[True] * (t + 1) + [False] * (T + offset - t - 1)",
        ),
        ("causal_mask.ones_and_zeros", "device=device)", "device=device, dtype=torch.float32)"),
    ),
)

FILLED = Program(
    "filled in sample by sample",
    "a2.padding",
    """
import torch


def padding_mask(lengths, L):
    mask = torch.zeros(len(lengths), 1, 1, L, dtype=torch.bool, device=lengths.device)
    for b in range(len(lengths)):
        mask[b, 0, 0] = torch.arange(L, device=lengths.device) < lengths[b]
    return mask


def combine_masks(*masks):
    given = [m for m in masks if m is not None]
    if len(given) == 0:
        return None
    result = given[0]
    for other in given[1:]:
        result = torch.logical_and(result, other)
    return result
""",
    (
        ("padding.inverted", "< lengths[b]", ">= lengths[b]"),
        ("padding.one_too_many", "< lengths[b]", "<= lengths[b]"),
        ("padding.length_of_the_first", "< lengths[b]", "< lengths[0]"),
        ("combine.or", "logical_and", "logical_or"),
        ("combine.last_mask_only", "result = torch.logical_and(result, other)", "result = other"),
        ("combine.first_mask_only", "result = torch.logical_and(result, other)", "pass"),
    ),
)

PACKED = Program(
    "packed weights",
    "a3.mha",
    """
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} is not a multiple of {num_heads}")
        self.h = num_heads
        self.in_proj = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.c_proj = nn.Linear(d_out, d_out)
        self.p = dropout
        blocked = torch.triu(torch.ones(context_length, context_length), 1).bool()
        self.register_buffer("blocked", blocked)

    def forward(self, x):
        B, T, _ = x.size()
        q, k, v = self.in_proj(x).chunk(3, dim=2)
        q, k, v = (t.reshape(B, T, self.h, -1).permute(0, 2, 1, 3) for t in (q, k, v))
        att = torch.einsum("bhid,bhjd->bhij", q / q.size(-1) ** 0.5, k)
        att = att + torch.zeros_like(att).masked_fill(self.blocked[:T, :T], float("-inf"))
        att = F.softmax(att, 3)
        att = F.dropout(att, self.p, self.training)
        y = torch.einsum("bhij,bhjd->bihd", att, v)
        return self.c_proj(y.flatten(2))
""",
    (
        ("mha.unscaled", "q / q.size(-1) ** 0.5", "q"),
        ("mha.scale_by_width", "q / q.size(-1) ** 0.5", "q / (self.h * q.size(-1)) ** 0.5"),
        ("mha.values_from_keys", "att, v)", "att, k)"),
        ("mha.sees_the_next_token", "context_length), 1)", "context_length), 2)"),
        ("mha.no_output_projection", "return self.c_proj(y.flatten(2))", "return y.flatten(2)"),
        (
            "mha.merged_without_transpose",
            '"bhij,bhjd->bihd", att, v)',
            '"bhij,bhjd->bhid", att, v).reshape(B, T, -1, 1)',
        ),
        ("mha.softmax_over_heads", "F.softmax(att, 3)", "F.softmax(att, 1)"),
        ("mha.not_causal", "att = att + torch.zeros_like", "att_masked = att + torch.zeros_like"),
        ("mha.heads_averaged", "y.flatten(2)", "y.mean(2).repeat(1, 1, self.h)"),
    ),
)

FUNCTIONAL = Program(
    "functional",
    "a2.causal_attention",
    """
import torch
from torch import nn
from torch.nn import functional as F


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), 1))

    def forward(self, x):
        n = x.shape[1]
        if n > len(self.mask):
            raise ValueError(f"at most {len(self.mask)} tokens, not {n}")
        k = F.linear(x, self.W_key.weight, self.W_key.bias)
        q = F.linear(x, self.W_query.weight, self.W_query.bias)
        v = F.linear(x, self.W_value.weight, self.W_value.bias)
        s = torch.bmm(q, k.permute(0, 2, 1)) / k.shape[2] ** 0.5
        s = torch.where(self.mask[:n, :n] == 1, torch.full_like(s, float("-inf")), s)
        return torch.bmm(self.drop(torch.exp(F.log_softmax(s, dim=2))), v)
""",
    (
        ("causal.unscaled", " / k.shape[2] ** 0.5", ""),
        ("causal.sees_the_next_token", "context_length), 1))", "context_length), 2))"),
        ("causal.diagonal_masked", "context_length), 1))", "context_length)))"),
        ("causal.upper_triangle", "self.mask[:n, :n] == 1", "self.mask[:n, :n].T == 1"),
        ("causal.masked_fill_dropped", "s = torch.where(self.mask", "_ = torch.where(self.mask"),
        ("causal.weak_fill", 'float("-inf")', "-10.0"),
        ("causal.scale_by_d_in", "k.shape[2] ** 0.5", "x.shape[2] ** 0.5"),
        ("causal.softmax_over_queries", "dim=2", "dim=1"),
    ),
)

PROGRAMS = (LOOPS, COMPARED, FILLED, PACKED, FUNCTIONAL)
