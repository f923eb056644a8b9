"""Stand for `torch` in the steps of a student's side: layers and optimisers live over there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..calls.handles import RemoteModule
from ..checks.namespace import Layers, Optimisers, Student


class TorchThere:
    """All of torch as it is here, but for what student code has to hold: layers and optimisers.

    The same line, `torch.optim.SGD(model.parameters(), lr=1.0)`, then runs on both sides and in
    a student's notebook.
    """

    def __init__(self, student: Student) -> None:
        made: list[RemoteModule] = []
        self.nn = _LayersThere(student.nn, made)
        self.optim = _OptimisersThere(student.optim, made)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


class _LayersThere:
    """`torch.nn`, with each layer made in the student's process."""

    functional = torch.nn.functional

    def __init__(self, layers: Layers, made: list[RemoteModule]) -> None:
        self._layers, self._made = layers, made

    def __getattr__(self, name: str) -> Callable[..., RemoteModule]:
        def make(*args: Any, **kwargs: Any) -> RemoteModule:
            layer: RemoteModule = getattr(self._layers, name)(*args, **kwargs)
            self._made.append(layer)
            return layer

        return make


class _OptimisersThere:
    """`torch.optim`, with each optimiser made there, for the layers whose parameters it is given.

    A suite names the modules; a line as people write it names their parameters.
    """

    def __init__(self, optimisers: Optimisers, made: list[RemoteModule]) -> None:
        self._optimisers, self._made = optimisers, made

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def make(parameters: list[torch.nn.Parameter], **options: Any) -> Any:
            wanted = {id(one) for one in parameters}
            layers = [one for one in self._made if wanted & set(_stand_ins_of(one))]
            return getattr(self._optimisers, name)(*layers, **options)

        return make


def _stand_ins_of(layer: RemoteModule) -> list[int]:
    return [id(stand_in) for _name, stand_in in layer.stand_ins()]
