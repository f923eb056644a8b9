"""Compute gradients of a student's or the reference's function or module, and compare them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...text.language import _
from ..calls.faults import CheckFailed
from ..calls.handles import RemoteModule
from ..compare.compare import Difference, NoGradient, WrongShape, difference, largest
from ..compare.precision import is_float
from ..reference.memo import ReferenceModule
from ..wording.differences import dtype_name, in_words

Function = Callable[..., Any]
Name = str | int
"""The name of an argument or parameter; the position of an argument whose name is not known."""


DETACHED = "detached"


class NotDifferentiable(CheckFailed):
    """A result that has no gradients: detached, without numbers, or of integers.

    `reason` says so to programs: traces are compared by it, and never by words.
    """

    def __init__(self, reason: str, observed: str, expected: str) -> None:
        super().__init__(observed, expected)
        self.reason = reason


def gradients_of(
    function: Function,
    reference: Function,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    seed: int,
    for_reference: tuple[Sequence[Any], dict[str, Any]] | None = None,
) -> dict[Name, torch.Tensor | None]:
    """Return gradients of a randomly weighted sum of the outputs, by argument and parameter.

    `for_reference`: the arguments in the reference's dtype, if it has another one.

    Arguments are tensors of any shape, and each gradient has the shape of its own. Parameters have
    the reference's names if the function is a module that is one of a matched pair.

    Raises:
        NotDifferentiable: there is no gradient, or an output is on the meta device.
        ValueError: there is no floating-point argument or parameter.
    """
    with torch.enable_grad():
        leaves, (args, kwargs) = _leaves(args, kwargs, names_of(reference, args))
        outputs = [o for o in tree_leaves(function(*args, **kwargs)) if is_float(o)]
        for output in outputs:
            require_floats(output, _("output"))
        if function is not reference:
            _require_shapes(outputs, reference, *(for_reference or (args, kwargs)))
        generator = torch.Generator().manual_seed(seed)
        total = _weighted_sum(outputs, generator)
        sources = {**leaves, **_parameters(function)}
    if not sources:
        raise ValueError("no floating-point argument or parameter to differentiate by")
    if total is None or not total.requires_grad:
        message = _("the result carries no gradient (detached?)")
        raise NotDifferentiable(DETACHED, message, _("a gradient"))
    gradients = torch.autograd.grad(total, list(sources.values()), allow_unused=True)
    result: dict[Name, torch.Tensor | None] = dict(zip(sources, gradients, strict=True))
    if not isinstance(function, RemoteModule) or function.pair is None:
        return result
    own = {str(name): result.pop(name) for name in sources if name not in leaves}
    by_role: Mapping[str, torch.Tensor | None] = function.pair.by_role(own)
    return {**result, **dict(by_role.items())}


def _require_shapes(
    outputs: Sequence[torch.Tensor],
    reference: Function,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> None:
    """Raise CheckFailed if an output has not the shape of the reference's.

    With an axis of length 1 more, it would have the same weighted sum and the same gradients.
    """
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        right = [o for o in tree_leaves(reference(*args, **kwargs)) if is_float(o)]
    for output, wanted in zip(outputs, right, strict=False):
        if output.shape != wanted.shape:
            wrong = WrongShape(tuple(output.shape), tuple(wanted.shape))
            raise CheckFailed(*in_words(Difference(wrong)))


def gradient_difference(
    observed: Mapping[Name, torch.Tensor | None],
    expected: Mapping[Name, torch.Tensor | None],
    tolerance: float,
) -> Difference | None:
    """Return the first difference between gradients of any shape, by name; None if they agree.

    Values agree within `tolerance` times the largest expected magnitude, or 1.
    """
    scale = max(1.0, largest(list(expected.values())))
    for name, wanted in expected.items():
        got = observed.get(name)
        if wanted is None:
            continue
        if got is None:
            if float(wanted.abs().max()) == 0.0:
                continue
            return Difference(NoGradient(), gradient_of=name)
        problem = difference(got, wanted, atol=tolerance * scale, rtol=0.0)
        if problem is not None:
            return replace(problem, gradient_of=name)
    return None


def require_floats(tensor: torch.Tensor, what: str) -> None:
    """Require a floating-point tensor of any shape that holds values.

    Raises:
        NotDifferentiable: it is on the meta device, or of another dtype.
    """
    if tensor.is_meta:
        message = _("{what} is on the meta device", what=what)
        raise NotDifferentiable("meta", message, _("values"))
    if not tensor.is_floating_point():
        name = dtype_name(tensor.dtype)
        message = _("{what} has dtype {dtype}", what=what, dtype=name)
        raise NotDifferentiable(name, message, _("a floating-point dtype"))


def names_of(reference: Function, args: Sequence[Any]) -> list[Name]:
    """Return the parameter names of positional arguments, or positions if none are known."""
    try:
        if isinstance(reference, RemoteModule):  # asking it for attributes asks the student's
            raise TypeError("its signature is not known")
        parameters = inspect.signature(reference).parameters.values()
        names: list[Name] = [
            p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
    except (TypeError, ValueError):
        names = []
    return names if len(names) >= len(args) else [*range(len(args))]


def _leaves(
    args: Sequence[Any], kwargs: dict[str, Any], names: list[Name]
) -> tuple[dict[Name, torch.Tensor], tuple[list[Any], dict[str, Any]]]:
    """Copy the arguments, so that the floating-point tensors among them collect gradients."""
    # Each leaf has the shape of its argument.
    leaves: dict[Name, torch.Tensor] = {}

    def leaf(value: Any, name: Name) -> Any:
        if not is_float(value):
            return value
        leaves[name] = value.detach().clone().requires_grad_()
        # Not the leaf itself: in-place operations on a leaf raise, and a changed input is a
        # mistake of its own that costs its points elsewhere.
        return leaves[name] * 1

    new_args = [leaf(value, names[position]) for position, value in enumerate(args)]
    return leaves, (new_args, {name: leaf(value, name) for name, value in kwargs.items()})


def _parameters(function: Function) -> dict[Name, torch.Tensor]:
    # Each has its own shape, as the module defines it.
    if isinstance(function, RemoteModule):
        return {name: p for name, p in function.stand_ins() if p.requires_grad}
    if isinstance(function, ReferenceModule):
        return {name: p for name, p in function.named_parameters() if p.requires_grad}
    return {}


def _weighted_sum(outputs: list[Any], generator: torch.Generator) -> torch.Tensor | None:
    # Each output may have any shape; their sum is 0-d.
    terms = []
    for output in outputs:
        weight = torch.randn(output.shape, generator=generator, dtype=torch.float64)
        terms.append((output * weight.to(output.dtype)).sum())
    return sum(terms[1:], terms[0]) if terms else None
