"""Define the functions that the judge may call on a student's module, besides the module itself.

PyTorch's own methods are used, unbound, so that an attribute of the student's named
`parameters` or `train` changes nothing.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.parameter import UninitializedParameter

from ..wire.frame import Meta
from ..wire.packing import Packed, unpack
from ..wire.tensors import NAMES
from ..wire.values import type_name
from .finish import finish, is_unfinished
from .jail.kernel import return_freed_memory


def describe(module: nn.Module) -> Meta:
    """Return kind, type name, mode and a row for each parameter.

    A row is `[name, dtype, shape, requires_grad, whether it belongs to an nn.Linear]`.
    """
    parameters, parts = list(nn.Module.named_parameters(module)), list(nn.Module.modules(module))
    linear = {id(p) for part in parts if _is_linear(part) for p in nn.Module.parameters(part)}
    rows = [
        [name, NAMES.get(p.dtype, "?"), _shape(p), p.requires_grad, id(p) in linear]
        for name, p in parameters
    ]
    return {
        "kind": "module",
        "type": type_name(module),
        "training": bool(module.training),
        "parameters": rows,
        "unfinished": is_unfinished([p for _name, p in parameters], parts),
    }


def _is_linear(part: nn.Module) -> bool:
    """Decide whether a layer computes what `nn.Linear` does, with a weight stored (out, in)."""
    return isinstance(part, nn.Linear) and type(part).forward is nn.Linear.forward


def _shape(parameter: nn.Parameter) -> list[int]:
    """Return the shape, or that of no numbers where a layer waits for its first input."""
    return [0] if isinstance(parameter, UninitializedParameter) else list(parameter.shape)


def _finish(module: nn.Module, inputs: Sequence[Any]) -> Meta:
    finish(module, inputs)
    return describe(module)


def _parameters(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: p.detach() for name, p in nn.Module.named_parameters(module)}


def _buffers(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: b.detach() for name, b in nn.Module.named_buffers(module)}


def _state(module: nn.Module) -> dict[str, Any]:
    return dict(nn.Module.state_dict(module))


def _load(module: nn.Module, state: Mapping[str, torch.Tensor], strict: bool) -> Meta:
    nn.Module.load_state_dict(module, dict(state), strict=strict)
    return describe(module)


def _write(module: nn.Module, packed: Packed) -> None:
    """Write parameters by name, keeping each one's dtype and requires_grad."""
    with torch.no_grad():
        unpack(packed, dict(nn.Module.named_parameters(module)))


def _train(module: nn.Module, mode: bool) -> None:
    nn.Module.train(module, mode)


def _to(module: nn.Module, target: torch.dtype | torch.device) -> Meta:
    nn.Module.to(module, target)
    return describe(module)


def _prepare(module: nn.Module, packed: Packed, dtype: torch.dtype, train: bool) -> None:
    """Set dtype, mode and weights in one call."""
    nn.Module.to(module, dtype)
    nn.Module.train(module, train)
    _write(module, packed)


def _requires_grad(module: nn.Module, wanted: bool) -> Meta:
    nn.Module.requires_grad_(module, wanted)
    return describe(module)


def _zero_grad(module: nn.Module) -> None:
    nn.Module.zero_grad(module)


def optimiser(name: str, *parts: nn.Module, **options: Any) -> torch.optim.Optimizer:
    """Make one of torch's optimisers for all parameters of some modules, each a group."""
    groups = [{"params": list(nn.Module.parameters(module))} for module in parts]
    made: torch.optim.Optimizer = getattr(torch.optim, name)(groups, **options)
    return made


class KeptGenerator(torch.Generator):
    """A generator that stays here, and goes on where the last call left it."""


def generator(seed: int) -> KeptGenerator:
    """Make a generator of the CPU."""
    made = KeptGenerator()
    made.manual_seed(seed)
    return made


def _nothing() -> None:
    """Do nothing: the target of a request that is made for its deferred calls."""


def _limit_memory(bound: int) -> None:
    """Limit the address space to `bound` bytes, for good.

    The judge sees for itself if that holds.
    """
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))


def _structure(module: nn.Module) -> dict[str, list[tuple[str, str]]]:
    """Find reasons why parameters may be missing.

    `plain`: layers in plain containers, which are not registered. `shared`: modules that stand in
    several places.
    """
    plain, shared = [], []
    first: dict[int, str] = {}
    for path, part in nn.Module.named_modules(module, remove_duplicate=False):
        if id(part) in first:
            shared.append((first[id(part)], path))
            continue
        first[id(part)] = path
        for name, value in vars(part).items():
            if type(value) in (list, tuple, dict) and not name.startswith("_"):
                members = value.values() if type(value) is dict else value
                if any(isinstance(member, nn.Module) for member in members):
                    plain.append((f"{path}.{name}".lstrip("."), type(value).__name__))
    return {"plain": plain[:100], "shared": shared[:100]}


def _plain_tensors(module: nn.Module) -> list[tuple[str, str]]:
    """Find tensors of two axes or more that are neither parameters nor buffers.

    They stay where they are when the module moves to another device or dtype.
    """
    return [
        (f"{path}.{name}".lstrip("."), str(tuple(value.shape)))
        for path, part in nn.Module.named_modules(module)
        for name, value in vars(part).items()
        if isinstance(value, torch.Tensor) and value.dim() > 1
    ][:100]


def _attribute(value: object, name: str) -> object:
    return getattr(value, name)


def _parts(module: nn.Module, paths: Sequence[str]) -> tuple[object, ...]:
    """Return the module at each path below a module; None where there is no module."""
    return tuple(_part(module, path) for path in paths)


def _part(part: object, path: str) -> object:
    try:
        for name in path.split("."):
            part = getattr(part, name)
    except Exception:  # of a property of the student's
        return None
    return part if isinstance(part, nn.Module) else None


BUILTINS: dict[str, Callable[..., Any]] = {
    "parameters": _parameters,
    "buffers": _buffers,
    "state": _state,
    "load": _load,
    "write": _write,
    "train": _train,
    "to": _to,
    "prepare": _prepare,
    "requires_grad": _requires_grad,
    "zero_grad": _zero_grad,
    "return_freed_memory": return_freed_memory,
    "limit_memory": _limit_memory,
    "attribute": _attribute,
    "parts": _parts,
    "nothing": _nothing,
    "structure": _structure,
    "plain_tensors": _plain_tensors,
    "finish": _finish,
}
