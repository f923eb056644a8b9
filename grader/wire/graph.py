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
    """The caller's claim on a graph kept by the other side; released when nobody needs it."""

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
        self._sources: list[tuple[torch.Size, torch.dtype]] = []

    def join(
        self, outputs: tuple[torch.Tensor, ...], sources: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        """`outputs` as results of a node whose inputs are `sources`."""
        self._outputs = outputs
        self._sources = [(source.shape, source.dtype) for source in sources]
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
        """Raises `Violation` if what comes back does not fit the sources."""
        found = self._backward(self.graph_id, gradients)
        if len(found) != len(self._sources):
            raise Violation("number of gradients")
        for gradient, (shape, dtype) in zip(found, self._sources, strict=True):
            if gradient is None:
                continue
            if not isinstance(gradient, torch.Tensor) or gradient.requires_grad:
                raise Violation("gradient")
            if gradient.shape != shape or gradient.dtype != dtype:
                raise Violation("gradient of another shape or dtype")
        return found

    def __del__(self) -> None:
        self._release(self.graph_id)


class Join(torch.autograd.Function):
    """The node that stands for a call made on the other side."""

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
    """The graph of one call on the side that ran it."""

    def __init__(self, outputs: list[torch.Tensor], sources: list[torch.Tensor]) -> None:
        self._outputs = outputs
        self._sources = sources

    def backward(self, gradients: Gradients) -> tuple[torch.Tensor | None, ...]:
        """Gradients of the sources, None where nothing flows. The graph is kept.

        A weighted sum stands for `grad_outputs`, which would import sympy (about 250 ms) the
        first time; its derivative is the given gradient, bit for bit.
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
        return torch.autograd.grad(total, self._sources, retain_graph=True, allow_unused=True)


def _sum_of(terms: list[torch.Tensor]) -> torch.Tensor:
    total = terms[0].double() if terms[0].dtype.is_floating_point else terms[0]
    for term in terms[1:]:
        total = total + term
    return total
