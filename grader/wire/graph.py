"""First-order autograd across the boundary: remote outputs join the caller's graph.

The side that ran a call keeps its graph; the caller's graph holds a `Join` node whose backward
asks for the gradients. Second derivatives, vmap and forward mode raise instead of answering.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .faults import Unsupported, Violation

Gradients = Sequence[torch.Tensor | None]


class RemoteGraph:
    """The caller's handle on an autograd graph that the other side keeps.

    The other side is told to release the graph when this object is deleted.
    """

    def __init__(
        self,
        graph_id: int,
        backward: Callable[[int, Gradients], Gradients],
        release: Callable[[int], None],
    ) -> None:
        self.graph_id = graph_id
        self._backward = backward
        self._release = release
        self._outputs: tuple[torch.Tensor, ...] = ()
        self._sources: list[tuple[torch.Size, torch.dtype, torch.device]] = []

    def join(
        self, outputs: tuple[torch.Tensor, ...], sources: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """Return `outputs` as results of an autograd node whose inputs are `sources`."""
        self._outputs = outputs
        self._sources = [(source.shape, source.dtype, source.device) for source in sources]
        anchor = torch.zeros((), requires_grad=True)
        with torch.enable_grad():
            joined: tuple[torch.Tensor, ...] = Join.apply(  # type: ignore[no-untyped-call]
                self, anchor, *sources
            )
        return joined

    def take_outputs(self) -> tuple[torch.Tensor, ...]:
        # Kept here they would close a cycle through grad_fn, and the graph would never be released.
        outputs, self._outputs = self._outputs, ()
        return outputs

    def backward(self, gradients: Gradients) -> Gradients:
        """Ask the other side for the gradients of the sources.

        Raises `Violation` if they do not fit the sources in number, shape, dtype or device.
        """
        computed = self._backward(self.graph_id, gradients)
        if len(computed) != len(self._sources):
            raise Violation("number of gradients")
        for gradient, (shape, dtype, device) in zip(computed, self._sources, strict=True):
            if gradient is None:
                continue
            if not isinstance(gradient, torch.Tensor) or gradient.requires_grad:
                raise Violation("gradient")
            if (gradient.shape, gradient.dtype, gradient.device) != (shape, dtype, device):
                raise Violation("gradient of another shape, dtype or device")
        return computed

    def __del__(self) -> None:
        self._release(self.graph_id)


class Join(torch.autograd.Function):
    """The autograd node that stands for a call made on the other side."""

    @staticmethod
    def forward(ctx: Any, graph: RemoteGraph, *sources: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.set_materialize_grads(False)
        ctx.graph = graph
        # Freed together with the local graph: a second backward without retain_graph then
        # raises PyTorch's own message, as it would without a boundary.
        ctx.save_for_backward(torch.empty(0))
        return graph.take_outputs()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        # once_differentiable alone would treat the gradients as constants here, and a
        # hessian would come out as zeros.
        if torch.is_grad_enabled():
            raise Unsupported("second derivatives are not supported across the process boundary")
        _ = ctx.saved_tensors
        return (None, None, *ctx.graph.backward(gradients))


class KeptGraph:
    """The autograd graph of one call, on the side that ran the call."""

    def __init__(self, outputs: list[torch.Tensor], sources: list[torch.Tensor]) -> None:
        self._outputs = outputs
        self._sources = sources

    def backward(self, gradients: Gradients) -> tuple[torch.Tensor | None, ...]:
        """Return the gradients of the sources, None where nothing flows. The graph is kept.

        The sum of `output * gradient` is differentiated in place of passing `grad_outputs`, which
        would import sympy (about 250 ms) the first time. The derivative of that sum by an output is
        the given gradient, bit for bit.
        """
        pairs = [
            (output, gradient)
            for output, gradient in zip(self._outputs, gradients, strict=True)
            if gradient is not None
        ]
        if not pairs or not self._sources:
            return (None,) * len(self._sources)
        with torch.enable_grad():
            total = _sum_of([(output * gradient).sum() for output, gradient in pairs])
        computed = torch.autograd.grad(total, self._sources, retain_graph=True, allow_unused=True)
        for gradient, source in zip(computed, self._sources, strict=True):
            if gradient is not None and gradient.device != source.device:  # a hook may do that
                raise TypeError(f"a gradient on {gradient.device}, of a tensor on {source.device}")
        return computed


def _sum_of(terms: list[torch.Tensor]) -> torch.Tensor:
    total = terms[0].double() if terms[0].dtype.is_floating_point else terms[0]
    for term in terms[1:]:
        total = total + term
    return total
