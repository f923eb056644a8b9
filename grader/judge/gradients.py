"""Gradients of a function or module, on either side of the boundary, and whether they agree."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..language import _
from .compare import Difference, difference, largest
from .faults import CheckFailed
from .handles import RemoteModule
from .memo import ReferenceModule
from .precision import is_float

Function = Callable[..., Any]


def gradients_of(
    function: Function,
    reference: Function,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    seed: int,
) -> dict[str, torch.Tensor | None]:
    """Of a drawn weighting of the outputs, by the names of arguments and of parameters: those that
    the reference has, where the function is a module with a twin.

    Raises:
        CheckFailed: there is none.
    """
    with torch.enable_grad():
        leaves, (args, kwargs) = _leaves(args, kwargs, names_of(reference, args))
        outputs = [o for o in tree_leaves(function(*args, **kwargs)) if is_float(o)]
        for output in outputs:
            require_floats(output, _("output"))
        generator = torch.Generator().manual_seed(seed)
        total = _weighted_sum(outputs, generator)
        sources = {**leaves, **_parameters(function)}
    if not sources:
        raise ValueError("no floating-point argument or parameter to differentiate by")
    if total is None or not total.requires_grad:
        raise CheckFailed(_("the result carries no gradient (detached?)"), _("a gradient"))
    gradients = torch.autograd.grad(total, list(sources.values()), allow_unused=True)
    found: dict[str, torch.Tensor | None] = dict(zip(sources, gradients, strict=True))
    if not isinstance(function, RemoteModule) or function.twin is None:
        return found
    own = {name: found.pop(name) for name in sources if name not in leaves}
    return {**found, **function.twin.by_role(own)}


def gradient_difference(
    found: dict[str, torch.Tensor | None],
    expected: dict[str, torch.Tensor | None],
    tolerance: float,
) -> Difference | None:
    scale = max(1.0, largest(list(expected.values())))
    for name, wanted in expected.items():
        got = found.get(name)
        if wanted is None:
            continue
        if got is None:
            if float(wanted.abs().max()) == 0.0:
                continue
            told = _("no gradient reaches {name}", name=name)
            return Difference("none", told, _("a gradient of {name}", name=name))
        what = _("the gradient of {name}", name=name)
        problem = difference(got, wanted, atol=tolerance * scale, rtol=0.0, what=what)
        if problem is not None:
            return problem
    return None


def require_floats(tensor: torch.Tensor, what: str) -> None:
    if tensor.is_meta:
        raise CheckFailed(_("{what} is on the meta device", what=what), _("values"))
    if not tensor.is_floating_point():
        name = str(tensor.dtype).removeprefix("torch.")
        told = _("{what} has dtype {dtype}", what=what, dtype=name)
        raise CheckFailed(told, _("a floating-point dtype"))


def names_of(reference: Function, args: Sequence[Any]) -> list[str]:
    try:
        if isinstance(reference, RemoteModule):  # asking it for attributes asks the student's
            raise TypeError("its signature is not known")
        parameters = inspect.signature(reference).parameters.values()
        names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    return (
        names
        if len(names) >= len(args)
        else [_("argument {number}", number=i + 1) for i in range(len(args))]
    )


def _leaves(
    args: Sequence[Any], kwargs: dict[str, Any], names: list[str]
) -> tuple[dict[str, torch.Tensor], tuple[list[Any], dict[str, Any]]]:
    """Copies of the floating-point tensors among the arguments that collect gradients."""
    leaves: dict[str, torch.Tensor] = {}

    def leaf(value: Any, name: str) -> Any:
        if not is_float(value):
            return value
        leaves[name] = value.detach().clone().requires_grad_()
        # Not the leaf itself: in-place operations on a leaf raise, and a changed input is a
        # mistake of its own that costs its points elsewhere.
        return leaves[name] * 1

    new_args = [leaf(value, names[position]) for position, value in enumerate(args)]
    return leaves, (new_args, {name: leaf(value, name) for name, value in kwargs.items()})


def _parameters(function: Function) -> dict[str, torch.Tensor]:
    if isinstance(function, (RemoteModule, ReferenceModule)):
        return {name: p for name, p in function.named_parameters() if p.requires_grad}
    return {}


def _weighted_sum(outputs: list[Any], generator: torch.Generator) -> torch.Tensor | None:
    terms = []
    for output in outputs:
        weight = torch.randn(output.shape, generator=generator, dtype=torch.float64)
        terms.append((output * weight.to(output.dtype)).sum())
    return sum(terms[1:], terms[0]) if terms else None
