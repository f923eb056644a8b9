# ruff: noqa: E501
"""Functions that nothing was tuned on, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

ROW_BY_ROW = Program(
    "heads by index, Korean identifiers",
    "a3.heads",
    """
import torch


def split_heads(x, num_heads):
    배치, 길이, 폭 = x.shape
    if 폭 % num_heads:
        raise ValueError(f"{폭}, {num_heads}")
    조각 = 폭 // num_heads
    return torch.stack([x[:, :, 조각 * i : 조각 * (i + 1)] for i in range(num_heads)], 1)


def merge_heads(x):
    return torch.cat([x[:, i] for i in range(x.size(1))], -1)
""",
    (
        (
            "heads.split_by_view",
            "return torch.stack([x[:, :, 조각 * i : 조각 * (i + 1)] for i in range(num_heads)], 1)",
            "return x.reshape(배치, num_heads, 길이, 조각)",
        ),
        (
            "heads.features_before_heads",
            "x[:, :, 조각 * i : 조각 * (i + 1)]",
            "x[:, :, i::num_heads]",
        ),
        (
            "heads.merged_without_transpose",
            "return torch.cat([x[:, i] for i in range(x.size(1))], -1)",
            "return x.reshape(x.size(0), x.size(2), -1)",
        ),
    ),
)

NUMBERS_AND_MASKS = Program(
    "zeros in place of masks",
    "a2.masked_softmax",
    """
import torch


def mask_then_renormalise(weights, mask):
    rest = torch.where(mask.bool(), weights, torch.zeros_like(weights))
    norm = rest.sum(-1, keepdim=True)
    return torch.where(norm > 0, rest / torch.where(norm > 0, norm, torch.ones_like(norm)), torch.zeros_like(rest))


def masked_softmax(scores, mask, dim=-1):
    ok = mask.bool().expand_as(scores) & (scores > float("-inf"))
    low = torch.where(ok, scores, float("-inf"))
    any_ok = ok.any(dim, keepdim=True)
    peak = torch.where(any_ok, low.amax(dim, keepdim=True), torch.zeros_like(low.amax(dim, keepdim=True)))
    e = torch.where(ok, (torch.where(ok, scores, peak) - peak).exp(), torch.zeros_like(scores))
    z = e.sum(dim, keepdim=True)
    return e / torch.where(any_ok, z, torch.ones_like(z))
""",
    (
        (
            "masked.dim_ignored masked.dim_ignored_throughout",
            "ok = mask.bool().expand_as(scores)",
            "dim = -1\n    ok = mask.bool().expand_as(scores)",
        ),
        (
            "renormalise.columns",
            "norm = rest.sum(-1, keepdim=True)",
            "norm = rest.sum(-2, keepdim=True)",
        ),
        (
            "renormalise.not_normalised_again",
            "return torch.where(norm > 0, rest",
            "return rest\n    return torch.where(norm > 0, rest",
        ),
        ("masked.inverted", "ok = mask.bool().expand_as", "ok = mask.logical_not().expand_as"),
    ),
)

COMPLEX_NUMBERS = Program(
    "complex numbers",
    "a5.positions",
    """
import torch


def sinusoidal_positions(T, dim):
    if dim % 2:
        raise ValueError(f"dim={dim}")
    rate = torch.exp(torch.arange(0, dim, 2, dtype=torch.float64) * (-torch.log(torch.tensor(10000.0, dtype=torch.float64)) / dim))
    phase = torch.outer(torch.arange(T, dtype=torch.float64), rate)
    pe = torch.empty(T, dim, dtype=torch.float64)
    pe[:, 0::2] = torch.sin(phase)
    pe[:, 1::2] = torch.cos(phase)
    return pe.to(torch.get_default_dtype())


def apply_rope(x, positions, base=10000.0):
    dim = x.size(-1)
    freqs = 1.0 / base ** (torch.arange(0, dim, 2, device=x.device).double() / dim)
    angles = torch.outer(positions.double(), freqs)
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
""",
    (
        (
            "rope.turned_back",
            "torch.ones_like(angles), angles)",
            "torch.ones_like(angles), -angles)",
        ),
        (
            "rope.exponent_i",
            "torch.arange(0, dim, 2, device=x.device).double() / dim",
            "torch.arange(dim // 2, device=x.device).double() / dim",
        ),
        (
            "rope.positions_ignored",
            "torch.outer(positions.double(), freqs)",
            "torch.outer(torch.arange(x.size(2)).double(), freqs)",
        ),
        ("rope.positions_in_bfloat16", "positions.double()", "positions.bfloat16().double()"),
        (
            "positions.cosine_first",
            "pe[:, 0::2] = torch.sin(phase)\n    pe[:, 1::2] = torch.cos(phase)",
            "pe[:, 1::2] = torch.sin(phase)\n    pe[:, 0::2] = torch.cos(phase)",
        ),
    ),
)

BERNOULLI = Program(
    "bernoulli",
    "a2.dropout",
    """
import torch


def attention_dropout(weights, p, training):
    if not training:
        return weights
    if p >= 1.0:
        return weights * 0.0
    keep = torch.full(weights.shape, 1.0 - p, device=weights.device)
    noise = torch.bernoulli(keep).to(weights.dtype)
    return weights * noise / (1.0 - p)
""",
    (
        ("dropout.survivors_not_scaled", "noise / (1.0 - p)", "noise"),
        ("dropout.p_is_kept", "torch.full(weights.shape, 1.0 - p,", "torch.full(weights.shape, p,"),
        ("dropout.outside_training", "    if not training:\n        return weights\n", ""),
        (
            "dropout.whole_rows",
            "torch.full(weights.shape, 1.0 - p,",
            "torch.full((*weights.shape[:-1], 1), 1.0 - p,",
        ),
    ),
)

A_LOOP_OVER_QUERIES = Program(
    "a loop over the queries",
    "a1.sdpa",
    """
import math
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    scale = 1 / math.sqrt(query.size(-1))
    rows, outs = [], []
    if mask is not None:
        lead = torch.broadcast_shapes(mask.shape, (*query.shape[:-1], key.size(-2)))
        mask = mask.expand(lead)
    for i in range(query.size(-2)):
        s = (key * query[..., i : i + 1, :]).sum(-1) * scale
        if mask is not None:
            m = mask[..., i, :]
            if m.dtype != torch.bool:
                m = m.to(s.dtype)
                s = s + m.nan_to_num(neginf=0.0)
                m = m != -math.inf
            dead = ~m.any(-1, keepdim=True)
            s = s.masked_fill(~(m | dead), -math.inf)
            w = F.softmax(s, -1) * m
        else:
            w = F.softmax(s, -1)
        rows.append(w)
        outs.append((w[..., None] * value).sum(-2))
    return torch.stack(outs, -2), torch.stack(rows, -2)
""",
    (
        (
            "|finite_fill",
            "s.masked_fill(~(m | dead), -math.inf)\n            w = F.softmax(s, -1) * m",
            "s.masked_fill(~m, -1e4)\n            w = F.softmax(s, -1)",
        ),
        ("sdpa.mask_after_softmax", "            s = s.masked_fill(~(m | dead), -math.inf)\n", ""),
        ("sdpa.scale_by_values", "query.size(-1))", "value.size(-1))"),
        ("sdpa.mask_inverted", "dead = ~m.any", "m = ~m\n            dead = ~m.any"),
    ),
)

HELD_OUT_FUNCTIONS = (
    ROW_BY_ROW,
    NUMBERS_AND_MASKS,
    COMPLEX_NUMBERS,
    BERNOULLI,
    A_LOOP_OVER_QUERIES,
)
