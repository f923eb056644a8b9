# ruff: noqa: E501
"""Functions that naming was tuned on, in styles far from the reference's."""

from __future__ import annotations

from tests.restyled.by_hand import Program

EINSUM_AND_WHERE = Program(
    "einsum and where",
    "a1.sdpa",
    """
import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    width = query.shape[-1]
    energy = torch.einsum("...sd,...ld->...sl", query, key) / width ** 0.5
    if mask is None:
        keep = torch.ones_like(energy, dtype=torch.bool)
    elif mask.dtype == torch.bool:
        keep = mask
    else:
        energy = energy + mask.to(energy.dtype)
        keep = mask != float("-inf")
    keep = torch.broadcast_to(keep, energy.shape)
    energy = torch.where(keep, energy, torch.full_like(energy, float("-inf")))
    top = torch.where(keep.any(-1, keepdim=True), energy.amax(-1, keepdim=True), 0.0).detach()
    top = top.to(energy.dtype)
    power = torch.exp(energy - top)
    whole = power.sum(-1, keepdim=True)
    share = power / torch.where(whole == 0, torch.ones_like(whole), whole)
    return torch.einsum("...sl,...lv->...sv", share, value), share
""",
    (
        ("|finite_fill", 'torch.full_like(energy, float("-inf"))', "torch.full_like(energy, -1e4)"),
        (
            "sdpa.softmax_over_queries sdpa.softmax_over_queries_throughout",
            """top = torch.where(keep.any(-1, keepdim=True), energy.amax(-1, keepdim=True), 0.0).detach()
    top = top.to(energy.dtype)
    power = torch.exp(energy - top)
    whole = power.sum(-1, keepdim=True)""",
            """top = torch.where(keep.any(-2, keepdim=True), energy.amax(-2, keepdim=True), 0.0).detach()
    top = top.to(energy.dtype)
    power = torch.exp(energy - top)
    whole = power.sum(-2, keepdim=True)""",
        ),
        ("sdpa.scale_by_length", "width ** 0.5", "key.shape[-2] ** 0.5"),
        ("sdpa.keys_by_queries", "->...sl", "->...ls"),
        ("sdpa.scale_without_root", "width ** 0.5", "width"),
        ("sdpa.mask_inverted", "keep = mask\n", "keep = ~mask\n"),
    ),
)

NUMPY_MINDED = Program(
    "NumPy-minded",
    "a1.softmax",
    """
import torch


def normalise_by_sum(scores):
    return torch.true_divide(scores, torch.sum(scores))


def softmax_naive(x):
    e = torch.e ** x
    return e / torch.sum(e)


def stable_softmax(x, dim=-1):
    z = torch.moveaxis(x, dim, 0)
    z = z - torch.amax(z, 0)
    e = torch.pow(torch.exp(torch.ones((), dtype=z.dtype)), z)
    return torch.moveaxis(e / torch.sum(e, 0), 0, dim)
""",
    (
        (
            "softmax.dim_ignored softmax.last_axis_throughout",
            "z = torch.moveaxis(x, dim, 0)",
            "dim = -1\n    z = torch.moveaxis(x, dim, 0)",
        ),
        ("softmax.global_maximum", "torch.amax(z, 0)", "torch.amax(z)"),
        (
            "softmax.sum_over_everything",
            "torch.moveaxis(e / torch.sum(e, 0)",
            "torch.moveaxis(e / torch.sum(e)",
        ),
        ("softmax.sum_of_magnitudes", "torch.sum(scores)", "torch.sum(torch.abs(scores))"),
    ),
)

BLOCKS_IN_LISTS = Program(
    "split into lists",
    "a5.online",
    """
import torch


def online_softmax(chunks):
    biggest, norm = None, None
    for c in chunks:
        here = c.max(-1, keepdim=True).values.detach()
        new = here if biggest is None else torch.max(biggest, here)
        base = torch.where(new.isinf(), torch.zeros_like(new), new)
        part = (c - base).exp().sum(-1, keepdim=True)
        norm = part if norm is None else norm * (biggest - base).exp() + part
        biggest = new
    norm = torch.where(norm > 0, norm, torch.ones_like(norm))
    return torch.cat([(c - base).exp() / norm for c in chunks], -1)


def chunked_attention(query, key, value, block_size, mask=None):
    scale = query.size(-1) ** -0.5
    biggest = torch.full_like(query[..., :1], -torch.inf)
    norm = torch.zeros_like(biggest)
    total = torch.zeros(*query.shape[:-1], value.size(-1), dtype=query.dtype)
    if mask is not None:
        mask = mask.expand(*mask.shape[:-1], key.size(-2))
    at = 0
    for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
        s = torch.einsum("...id,...jd->...ij", query, k) * scale
        if mask is not None:
            s = torch.where(mask[..., at : at + k.size(-2)], s, float("-inf"))
        at += k.size(-2)
        new = torch.max(biggest, s.max(-1, keepdim=True).values.detach())
        base = torch.where(new.isinf(), torch.zeros_like(new), new)
        decay, p = (biggest - base).exp(), (s - base).exp()
        norm = decay * norm + p.sum(-1, keepdim=True)
        total = decay * total + torch.einsum("...ij,...jd->...id", p, v)
        biggest = new
    return total / torch.where(norm > 0, norm, torch.ones_like(norm))
""",
    (
        ("online.sum_not_rescaled", "norm * (biggest - base).exp() + part", "norm + part"),
        ("chunked.mixture_not_rescaled", "total = decay * total", "total = total"),
        ("chunked.sum_not_rescaled", "norm = decay * norm", "norm = norm"),
        ("chunked.unscaled", " * scale\n", "\n"),
    ),
)

TUNED_FUNCTIONS = (EINSUM_AND_WHERE, NUMPY_MINDED, BLOCKS_IN_LISTS)
