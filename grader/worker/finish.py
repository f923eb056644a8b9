"""Finish a module that was just made: give lazy layers their shapes, and layers plain parameters.

`nn.LazyLinear` has no weight before its first input. A parametrized layer computes its weight from
others; where that can be any weight, and all of it learns, the layer is the plain one in other
words, and is taken for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter
from torch.nn.utils import parametrize

TOLERANCE = 1e-4


def is_unfinished(parameters: Iterable[nn.Parameter], parts: Iterable[nn.Module]) -> bool:
    """Decide, of a module's parameters and parts, if one has no shape yet or stands for another."""
    return any(isinstance(parameter, UninitializedParameter) for parameter in parameters) or any(
        parametrize.is_parametrized(part) for part in parts
    )


def finish(module: nn.Module, inputs: Sequence[Any]) -> None:
    """Call the module once if it has lazy layers, and make parametrized layers plain."""
    lazy = any(isinstance(p, UninitializedParameter) for p in nn.Module.parameters(module))
    if lazy and inputs:
        modes = [(part, part.training) for part in nn.Module.modules(module)]
        nn.Module.train(module, False)
        with torch.no_grad():
            module(*inputs)
        for part, mode in modes:
            part.training = mode
    for part in list(nn.Module.modules(module)):
        if parametrize.is_parametrized(part):
            _make_plain(part)


def _make_plain(layer: nn.Module) -> None:
    names = list(dict(layer.named_children())["parametrizations"].keys())  # type: ignore[operator]
    for name in names:
        if _is_plain(layer, name):
            with torch.enable_grad():  # without, what is left would be no parameter
                parametrize.remove_parametrizations(layer, name, leave_parametrized=True)


def _is_plain(layer: nn.Module, name: str) -> bool:
    """Decide whether a parametrized tensor can be any tensor, and whether all of it learns.

    The tensor is what it was before, afterwards.
    """
    originals: nn.Module = layer.parametrizations[name]  # type: ignore[index, assignment]
    kept = {key: value.detach().clone() for key, value in originals.state_dict().items()}
    try:
        with torch.enable_grad():
            return _holds_anything(layer, name, originals)
    except Exception:  # of the student's own parametrization
        return False
    finally:
        originals.load_state_dict(kept)


def _holds_anything(layer: nn.Module, name: str, originals: nn.Module) -> bool:
    wanted = torch.randn(getattr(layer, name).shape)
    with torch.no_grad():
        setattr(layer, name, wanted.to(getattr(layer, name)))
    held = getattr(layer, name)
    sources = [p for p in originals.parameters(recurse=False) if p.requires_grad]
    if held.is_meta or not sources:
        return bool(sources)
    if float((held.detach().float() - wanted).abs().max()) > TOLERANCE:
        return False
    total = (held * torch.randn_like(held)).sum()
    gradients = torch.autograd.grad(total, sources, materialize_grads=True)
    return all(bool((gradient != 0).all()) for gradient in gradients)
