"""Prove programs right against torch's own functions, and their edits wrong against the programs.

An oracle knows no suite and no reference: a right program agrees with torch, and an edit of it,
holding the very same weights, does something else that the hand-out rules out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

Names = Mapping[str, Any]
Seen = list[Any]
"""All that a program does on the probes of its exercise, in order."""
Tensor = torch.Tensor
CLOSE = 1e-4


def names_of(source: str) -> Names:
    """Return the names that a program defines."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "<program>", "exec"), names)
    return names


def agrees(right: Seen, other: Seen) -> bool:
    """Decide whether two programs did the same on all probes."""
    return len(right) == len(other) and all(map(_alike, right, other))


def _alike(left: Any, right: Any) -> bool:
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        if left.shape != right.shape or left.dtype != right.dtype:
            return False
        return torch.allclose(left, right, rtol=CLOSE, atol=CLOSE, equal_nan=True)
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return agrees(list(left), list(right))
    return type(left) is type(right) and bool(left == right)


def attempt(function: Callable[[], Any]) -> Any:
    """Return what a call gives, or the name of what it raises."""
    try:
        return function()
    except Exception as error:
        return type(error).__name__


def drawn(*shape: int, seed: int = 0) -> Tensor:
    """Return numbers of this shape, the same ones in every call."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def holding(right: nn.Module, make: Callable[[], nn.Module]) -> nn.Module:
    """Return a module that is made anew and holds the weights of another of the same names."""
    torch.manual_seed(0)
    made = make()
    made.load_state_dict(dict(right.named_parameters()), strict=False)
    return made


def gradients(function: Callable[[], Tensor], of: list[Tensor]) -> Any:
    """Return the gradients of all numbers that a call gives, each weighted otherwise."""

    def taken() -> Any:
        out = function()
        weights = torch.linspace(-1, 2, out.numel()).reshape(out.shape)
        found = torch.autograd.grad((out * weights).sum(), of, allow_unused=True)
        return [torch.zeros_like(t) if g is None else g for t, g in zip(of, found, strict=True)]

    return attempt(taken)


def draws(module: nn.Module, x: Tensor, *more: Any, times: int = 24) -> int:
    """Count the different outputs that a module in train mode gives for one input (B, T, D)."""
    module.train()
    seen = set()
    for seed in range(times):
        torch.manual_seed(seed)
        with torch.no_grad():
            seen.add(tuple(module(x, *more).flatten().mul(1e3).round().tolist()))
    module.eval()
    return len(seen)


def torchs_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """Return torch's own attention (..., S, Dv), and zeros for a query without any key."""
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    if mask is None:
        return out
    allowed = mask if mask.dtype == torch.bool else mask != -torch.inf
    return out.masked_fill(~allowed.any(-1, keepdim=True), 0.0)
