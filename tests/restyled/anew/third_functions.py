# ruff: noqa: E501
"""Functions of the third set: what is said of them was written down before anything was graded."""

from __future__ import annotations

from tests.restyled.by_hand import Program

AS_IN_NUMPY = Program(
    "NumPy-minded",
    "a1.sdpa",
    """
import numpy as np
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = query.shape[-1]
    logits = torch.einsum("...sd,...ld->...sl", query, key) / np.sqrt(d_k)
    if mask is None:
        allowed = torch.ones_like(logits, dtype=torch.bool)
    elif mask.dtype == torch.bool:
        logits, allowed = torch.broadcast_tensors(logits, mask)
    else:
        logits = logits + mask.to(logits.dtype)
        allowed = logits != -np.inf
    top = torch.where(allowed, logits, -np.inf).amax(-1, keepdim=True)
    top = torch.where(torch.isfinite(top), top, 0.0)
    powers = torch.where(allowed, (torch.where(allowed, logits, top) - top).exp(), 0.0)
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return torch.einsum("...sl,...lv->...sv", weights, value), weights
""",
    (
        ("sdpa.unscaled", " / np.sqrt(d_k)", ""),
        ("sdpa.scale_without_root", "np.sqrt(d_k)", "d_k"),
        ("sdpa.one_maximum_for_all", "-np.inf).amax(-1, keepdim=True)", "-np.inf).amax()"),
    ),
)

LOGARITHMS = Program(
    "logarithms",
    "a1.softmax",
    """
import torch


def normalise_by_sum(scores):
    return torch.div(scores, torch.sum(scores))


def softmax_naive(x):
    e = x.exp()
    return torch.mul(e, 1 / e.sum())


def stable_softmax(x, dim=-1):
    y = x - x.max(dim, keepdim=True).values
    return torch.exp(y - y.exp().sum(dim, keepdim=True).log())
""",
    (
        ("softmax.global_maximum", "x.max(dim, keepdim=True).values", "x.max()"),
        ("softmax.logarithm", "return torch.exp(y - y.exp()", "return (y - y.exp()"),
        ("softmax.no_maximum", "y = x - x.max(dim, keepdim=True).values", "y = x"),
    ),
)

ADDED_UP = Program(
    "ones added up",
    "a2.padding",
    """
import functools
import torch


def padding_mask(lengths, L):
    ones = torch.ones(len(lengths), L, dtype=torch.long, device=lengths.device)
    return (ones.cumsum(1) <= lengths.unsqueeze(1)).reshape(len(lengths), 1, 1, L)


def combine_masks(*masks):
    given = [m for m in masks if m is not None]
    return functools.reduce(torch.logical_and, given) if given else None
""",
    (
        ("padding.one_too_many", "ones.cumsum(1) <=", "ones.cumsum(1) - 1 <="),
        ("combine.or", "torch.logical_and", "torch.logical_or"),
        ("padding.queries_hidden", "1, 1, L)", "1, L, 1)"),
    ),
)

ZEROS_AND_ONES = Program(
    "zeros and ones",
    "a2.masked_softmax",
    """
import torch


def mask_then_renormalise(weights, mask):
    kept = weights * (mask != 0)
    total = kept.sum(-1, keepdim=True)
    return kept / (total + (total == 0))


def masked_softmax(scores, mask, dim=-1):
    hidden = (mask == 0).expand_as(scores)
    shifted = scores.masked_fill(hidden, -torch.inf)
    top = shifted.detach().amax(dim, keepdim=True).clamp_min(torch.finfo(scores.dtype).min)
    powers = (shifted - top).exp()
    total = powers.sum(dim, keepdim=True)
    return powers / (total + (total == 0))
""",
    (
        ("masked.inverted", "(mask == 0).expand_as", "(mask != 0).expand_as"),
        ("renormalise.one_sum_for_all", "kept.sum(-1, keepdim=True)", "kept.sum()"),
        ("masked.softmax_without_maximum", "(shifted - top).exp()", "shifted.exp()"),
    ),
)

PAIR_BY_PAIR = Program(
    "pair by pair",
    "a1.scores",
    """
import torch


def dot_product_loop(a, b):
    result = 0.0
    for i in range(len(a)):
        result += a[i] * b[i]
    return result


def attention_scores(query, key):
    products = query.unsqueeze(-2) * key.unsqueeze(-3)
    return products.sum(-1)
""",
    (
        ("scores.keys_by_queries", "products.sum(-1)", "products.sum(-1).mT"),
        ("scores.first_number_left_out", "range(len(a))", "range(1, len(a))"),
    ),
)

RUNNING = Program(
    "a running maximum",
    "a5.online",
    """
import math
import torch


def online_softmax(chunks):
    m = None
    for c in chunks:
        here = c.amax(-1)
        if m is None:
            m, s = here, torch.zeros_like(here)
        new = torch.maximum(m, here)
        safe = torch.where(torch.isinf(new), torch.zeros_like(new), new)
        s = s * (m - safe).exp() + (c - safe[..., None]).exp().sum(-1)
        m = new
    safe = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    s = torch.where(s > 0, s, torch.ones_like(s))
    return torch.cat([(c - safe[..., None]).exp() / s[..., None] for c in chunks], -1)


def chunked_attention(query, key, value, block_size, mask=None):
    L = key.shape[-2]
    if mask is not None:
        mask = mask.expand(torch.broadcast_shapes(mask.shape, (query.shape[-2], L)))
    o, l, m = 0.0, 0.0, None
    for i in range(math.ceil(L / block_size)):
        a, b = i * block_size, min(L, (i + 1) * block_size)
        s = torch.matmul(query, key[..., a:b, :].mT) / math.sqrt(query.shape[-1])
        if mask is not None:
            s = torch.where(mask[..., a:b], s, -torch.inf)
        peak = s.detach().max(-1, keepdim=True)[0]
        m_new = peak if m is None else torch.maximum(m, peak)
        base = torch.where(m_new == -torch.inf, 0.0, m_new)
        p = torch.exp(s - base)
        r = 0.0 if m is None else torch.exp(m - base)
        l = l * r + p.sum(-1, keepdim=True)
        o = o * r + p @ value[..., a:b, :]
        m = m_new
    return o / torch.where(l == 0, 1.0, l)
""",
    (
        ("chunked.mixture_not_rescaled", "o = o * r + p @", "o = o + p @"),
        ("online.sum_not_rescaled", "s = s * (m - safe).exp() + (c", "s = s + (c"),
        ("chunked.unscaled", " / math.sqrt(query.shape[-1])", ""),
    ),
)

ROTATED_HALF = Program(
    "rows of a table, and numbers beside one another exchanged",
    "a5.positions",
    """
import math
import torch


def sinusoidal_positions(T, dim):
    if dim % 2 == 1:
        raise ValueError(f"dim must be even, got {dim}")
    rows = []
    for pos in range(T):
        row = []
        for i in range(dim // 2):
            w = pos / math.pow(10000, 2 * i / dim)
            row += [math.sin(w), math.cos(w)]
        rows.append(row)
    return torch.tensor(rows)


def swapped(x):
    pairs = x.unflatten(-1, (-1, 2))
    return torch.stack((-pairs[..., 1], pairs[..., 0]), -1).flatten(-2)


def apply_rope(x, positions, base=10000.0):
    d = x.shape[-1]
    theta = base ** -(torch.arange(0, d, 2, device=x.device, dtype=torch.float64) / d)
    m_theta = (positions.double().unsqueeze(1) * theta).repeat_interleave(2, dim=1)
    return x * m_theta.cos().to(x.dtype) + swapped(x) * m_theta.sin().to(x.dtype)
""",
    (
        ("positions.from_1", "w = pos / math", "w = (pos + 1) / math"),
        (
            "rope.angles_of_halves",
            ".repeat_interleave(2, dim=1)",
            ".repeat(1, 2)",
        ),
        (
            "rope.turned_back",
            "torch.stack((-pairs[..., 1], pairs[..., 0])",
            "torch.stack((pairs[..., 1], -pairs[..., 0])",
        ),
    ),
)

CUT_BY_LOOPS = Program(
    "patches cut by loops",
    "a4.patch_embedding",
    """
import torch
import torch.nn as nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.P = patch_size
        self.projection = nn.Linear(in_channels * patch_size * patch_size, emb_size)

    def forward(self, images):
        H, W = images.shape[-2:]
        if H % self.P or W % self.P:
            raise ValueError(f"{H} x {W} is not divisible by {self.P}")
        tokens = []
        for top in range(0, H, self.P):
            for left in range(0, W, self.P):
                patch = images[:, :, top : top + self.P, left : left + self.P]
                tokens.append(self.projection(patch.permute(0, 2, 3, 1).flatten(1)))
        return torch.stack(tokens, 1)


def conv_weight_from_linear(weight, in_channels, patch_size):
    new = weight.new_empty(len(weight), in_channels, patch_size, patch_size)
    for r in range(patch_size):
        for s in range(patch_size):
            for c in range(in_channels):
                new[:, c, r, s] = weight[:, (r * patch_size + s) * in_channels + c]
    return new
""",
    (
        (
            "patch.column_by_column",
            "        for top in range(0, H, self.P):\n            for left in range(0, W, self.P):\n",
            "        for left in range(0, W, self.P):\n            for top in range(0, H, self.P):\n",
        ),
        ("patch.conversion_transposed", "new[:, c, r, s]", "new[:, c, s, r]"),
    ),
)

UNFOLD_AND_FOLD = Program(
    "unfold and fold",
    "a4.patchify",
    """
import torch
from torch.nn import functional as F


def patchify(images, patch_size):
    for n in images.shape[-2:]:
        if n % patch_size:
            raise ValueError(f"{n} is not a multiple of {patch_size}")
    C = images.shape[1]
    columns = F.unfold(images, patch_size, stride=patch_size)
    return columns.unflatten(1, (C, -1)).permute(0, 3, 2, 1).flatten(2)


def unpatchify(patches, patch_size, height, width):
    for n in (height, width):
        if n % patch_size:
            raise ValueError(f"{n} is not a multiple of {patch_size}")
    expected = height // patch_size * (width // patch_size)
    if patches.shape[1] != expected:
        raise ValueError(f"got {patches.shape[1]} patches, need {expected}")
    columns = patches.unflatten(2, (patch_size**2, -1)).permute(0, 3, 2, 1).flatten(1, 2)
    return F.fold(columns, (height, width), patch_size, stride=patch_size)
""",
    (
        (
            "patchify.channels_first",
            ".permute(0, 3, 2, 1).flatten(2)",
            ".permute(0, 3, 1, 2).flatten(2)",
        ),
        (
            "unpatchify.channels_first",
            "unflatten(2, (patch_size**2, -1)).permute(0, 3, 2, 1)",
            "unflatten(2, (-1, patch_size**2)).permute(0, 2, 3, 1)",
        ),
        (
            "patchify.rest_cut_off",
            '    for n in images.shape[-2:]:\n        if n % patch_size:\n            raise ValueError(f"{n} is not a multiple of {patch_size}")\n',
            "",
        ),
    ),
)

AN_EMBEDDING_EACH = Program(
    "positions looked up",
    "a4.embeddings",
    """
import torch
import torch.nn as nn


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Conv2d(in_channels, emb_size, patch_size, patch_size)

    def forward(self, images):
        for n in images.shape[-2:]:
            if n % self.patch_size:
                raise ValueError(f"{n} is no multiple of {self.patch_size}")
        return self.projection(images).flatten(2).mT


class ViTEmbeddings(nn.Module):
    def __init__(self, in_channels=3, patch_size=16, emb_size=768, img_size=224, dropout=0.0):
        super().__init__()
        if img_size % patch_size != 0:
            raise ValueError(f"{img_size} {patch_size}")
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.n = (img_size // patch_size) ** 2 + 1
        self.cls_token = nn.Parameter(torch.zeros(1, 1, emb_size))
        self.positions = nn.Embedding(self.n, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, images):
        b = images.size(0)
        places = torch.arange(self.n, device=images.device)
        z = torch.cat((self.cls_token.expand(b, 1, -1), self.patch_embedding(images)), dim=1)
        z = z + self.positions(places)[None]
        return self.dropout(z)
""",
    (
        (
            "vit.class_token_without_position",
            "z = z + self.positions(places)[None]",
            "z = torch.cat((z[:, :1], z[:, 1:] + self.positions(places[1:])), dim=1)",
        ),
        ("embeddings.no_dropout", "return self.dropout(z)", "return z"),
        ("vit.one_position_for_all", "self.positions(places)", "self.positions(places * 0)"),
    ),
)

THIRD_FUNCTIONS = (
    AS_IN_NUMPY,
    LOGARITHMS,
    ADDED_UP,
    ZEROS_AND_ONES,
    PAIR_BY_PAIR,
    RUNNING,
    ROTATED_HALF,
    CUT_BY_LOOPS,
    UNFOLD_AND_FOLD,
    AN_EMBEDDING_EACH,
)
