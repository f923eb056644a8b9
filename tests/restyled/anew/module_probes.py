"""Probes of attention modules and blocks, which hold the right program's own weights."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from tests.restyled.anew.oracles import (
    Names,
    Seen,
    Tensor,
    attempt,
    drawn,
    draws,
    holding,
)
from tests.restyled.anew.probes import with_gradients

B, T, D, H = 2, 4, 6, 2
MASK = drawn(B, T, T, seed=3) > 0
MASK[..., 0] = True
MASK[0, 2] = False
MADE: Mapping[str, tuple[tuple[str, tuple[Any, ...]], ...]] = {
    "a1.modules": (("SelfAttentionV1", (5, D)), ("SelfAttentionV2", (5, D, True))),
    "a2.causal_attention": (("CausalAttention", (5, D, 7, 0.5, True)),),
    "a3.mha": (("MultiHeadAttention", (5, D, 7, 0.5, H, True)),),
    "a3.packed": (("PackedMultiHeadAttention", (D, H, 0.5)),),
    "a3.gqa": (("GroupedQueryAttention", (12, 6, 2)),),
    "a3.cross": (("CrossAttention", (5, 7, D, H)),),
    "a4.mlp": (("FeedForward", (D, 3, 0.5)),),
    "a4.block": (("EncoderBlock", (D, H, 3, 0.5)), ("PostNormEncoderBlock", (D, H, 3, 0.5))),
    "a4.embeddings": (("ViTEmbeddings", (3, 4, D, 8, 0.5)),),
}
"""Exercise -> its classes, each with the arguments that it is made with."""
WIDTH = {"a1.modules": 5, "a2.causal_attention": 5, "a3.mha": 5, "a3.gqa": 12, "a3.cross": 5}
Forward = Callable[..., Tensor]


def of_modules(slug: str, names: Names, right: Names) -> Seen:
    """Return all that the modules of an exercise do with the right program's weights."""
    seen: Seen = []
    for name, args in MADE[slug]:
        model = weighted(right[name](*args))
        seen += of_module(slug, holding(model, partial(names[name], *args)).eval())
    for name, (make, given) in CONVERTED.get(slug, {}).items():
        seen.append(attempt(partial(make, names[name], *given)))
    return seen


def weighted(module: nn.Module) -> nn.Module:
    """Return the module with numbers of ordinary size in all its parameters."""
    with torch.no_grad():
        for seed, parameter in enumerate(module.parameters()):
            parameter.copy_(drawn(*parameter.shape, seed=20 + seed))
    return module


def _answer(module: nn.Module, *args: Tensor) -> Tensor:
    output: Tensor = module(*args)
    return output.detach()


def _masked(module: nn.Module, mask: Tensor, x: Tensor) -> Tensor:
    output: Tensor = module(x, mask)
    return output


def _read(module: nn.Module, memory: Tensor, mask: Tensor | None, x: Tensor) -> Tensor:
    output: Tensor = module(x, memory, mask)
    return output


def of_module(slug: str, module: nn.Module) -> Seen:
    x = drawn(B, T, WIDTH.get(slug, D), seed=1)
    if slug == "a4.embeddings":
        images = drawn(B, 3, 8, 8, seed=1)
        return [*with_gradients(module, images), draws_of_embeddings(module, images)]
    if slug == "a3.cross":
        memory, keep = drawn(B, 3, 7, seed=2), torch.tensor([[True, False, True], [False] * 3])
        masks = (None, keep)
        seen = [with_gradients(partial(_read, module, memory, m), x) for m in masks]
        many = 300.0 * drawn(8, 3, 7, seed=6)
        return [*seen, module(300.0 * x[:1].expand(8, -1, -1), many, keep[:1].expand(8, -1))]
    module.eval()
    seen = with_gradients(module, x)
    if "mask" in inspect.signature(module.forward).parameters:
        for mask in (MASK, MASK[1]):
            seen += with_gradients(partial(_masked, module, mask), x)
    loud = 300.0 * drawn(8, T, x.shape[-1], seed=5)
    given = (loud, MASK[0]) if slug in MASKED else (loud,)
    seen.append(attempt(partial(_answer, module, *given)))
    if slug == "a1.modules":
        return seen
    one = module.half().eval()
    seen += [attempt(lambda: one(x[:1].half()).detach())] if slug == "a2.causal_attention" else []
    module.to(torch.float32)
    return [*seen, *of_training(slug, module, x)]


MASKED = ("a3.packed", "a3.gqa", "a4.block")


def of_training(slug: str, module: nn.Module, x: Tensor) -> Seen:
    """Count the outputs of one token in train mode, where all or nothing of its value is lost."""
    if slug in ("a3.gqa", "a3.cross"):
        return []
    if slug in ("a4.mlp", "a4.block"):
        return [values_of_one(module, x) > 2, torch.equal(module(x), module(x))]
    heads = 1 if slug == "a2.causal_attention" else H
    few = draws(module, x[:1, :1])
    again = torch.equal(module(x), module(x))
    return [1 < few <= 2**heads, again]


def values_of_one(module: nn.Module, x: Tensor) -> int:
    """Count the values of one number in train mode: 0 and twice its own if all is lost at once."""
    module.train()
    torch.manual_seed(0)
    values = {round(float(module(x)[0, 0, 0].detach()), 3) for _ in range(16)}
    module.eval()
    return len(values)


def draws_of_embeddings(module: nn.Module, images: Tensor) -> Any:
    """Return whether each number of train mode is 0 or twice that of eval mode, and 0 once."""
    whole = module.eval()(images).detach()
    module.train()
    torch.manual_seed(1)
    out = torch.stack([module(images).detach() for _ in range(24)])
    return [(out == 0).any(0), ((out == 0) | ((out - 2 * whole).abs() < 1e-5)).all()]


def from_torch(make: Callable[..., nn.Module]) -> Tensor:
    torch.manual_seed(5)
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    output: Tensor = make(theirs)(drawn(B, T, D, seed=1))
    return output.detach()


def copied(copy: Callable[..., None]) -> Tensor:
    v1 = nn.Module()
    v2 = nn.Module()
    for seed, name in enumerate(("W_query", "W_key", "W_value")):
        setattr(v1, name, nn.Parameter(torch.zeros(5, D)))
        layer = nn.Linear(5, D, bias=False)
        layer.weight.data.copy_(drawn(D, 5, seed=seed))
        setattr(v2, name, layer)
    copy(v2, v1)
    return torch.cat([p.detach() for p in v1.parameters()])


def unpacked(unpack: Callable[[Tensor], Any]) -> Tensor:
    return torch.stack(list(unpack(drawn(6, 4))))


def by_name(wrap: Callable[..., nn.Module]) -> Tensor:
    output: Tensor = wrap(lambda x, by=1.0: x * by)(drawn(3), by=5.0)
    return output


CONVERTED: Mapping[str, Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "a1.modules": {"copy_v2_to_v1": (copied, ())},
    "a4.mlp": {"ResidualAdd": (by_name, ())},
    "a3.packed": {"from_torch_mha": (from_torch, ()), "unpack_qkv": (unpacked, ())},
}
