"""Describe a module without its code, and build one of the description that holds the same names.

What torch defines is built of torch's own classes, and can compute. A class of the course has
names, numbers and parts, and answers from what was recorded.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from .stored_values import Stored, restored, stored

PLAIN = (bool, int, float, str, type(None))
Methods = Mapping[str, Callable[..., Any]]
"""What is called on a module: `forward`, and the public methods of its class."""


def described(module: nn.Module) -> dict[str, Stored]:
    """Return a module as JSON: class, plain attributes, parameters' shapes, buffers and parts."""
    kind = type(module)
    return {
        "class": kind.__name__,
        "torch": kind.__module__ if kind.__module__.startswith("torch.") else "",
        "plain": {name: stored(value) for name, value in _attributes(module).items()},
        "parameters": {
            name: None if p is None else [list(p.shape), p.requires_grad]
            for name, p in module._parameters.items()
        },
        "buffers": {
            name: [stored(buffer), name not in module._non_persistent_buffers_set]
            for name, buffer in module._buffers.items()
        },
        "parts": {
            name: None if part is None else described(part)
            for name, part in module._modules.items()
        },
    }


def built(outline: Mapping[str, Any], methods: Methods) -> nn.Module:
    """Return a module like the one described, whose classes of the course have these methods.

    Its parameters hold zeros.
    """
    if outline["torch"]:
        kind = getattr(importlib.import_module(outline["torch"]), outline["class"])
    else:
        kind = type(outline["class"], (nn.Module,), dict(methods))
    module: nn.Module = kind.__new__(kind)
    nn.Module.__init__(module)
    for name, value in outline["plain"].items():
        setattr(module, name, restored(value))
    for name, parameter in outline["parameters"].items():
        module.register_parameter(name, None if parameter is None else _parameter(*parameter))
    for name, (value, persistent) in outline["buffers"].items():
        module.register_buffer(name, restored(value), persistent=persistent)
    for name, part in outline["parts"].items():
        module.register_module(name, None if part is None else built(part, methods))
    return module


def identity(module: nn.Module) -> Any:
    """Return what tells modules apart beside their numbers: classes, plain attributes, names."""
    parts = module._modules.items()
    return [
        type(module).__name__,
        _attributes(module),
        [[name, part and identity(part)] for name, part in parts],
    ]


def _attributes(module: nn.Module) -> dict[str, Any]:
    own = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    own.pop("training", None)
    return {name: value for name, value in sorted(own.items()) if _is_plain(value)}


def _parameter(shape: list[int], trained: bool) -> nn.Parameter:
    return nn.Parameter(torch.zeros(shape), requires_grad=trained)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, PLAIN)
