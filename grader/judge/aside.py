"""What a failed comparison leaves behind for diagnosis. Nothing of it decides a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .client import Client
from .faults import StudentFault
from .handles import RemoteFunction
from .leaks import Leaks, leaks, mixes_samples, sequence_of
from .sight import Pair, is_large

Function = Callable[..., Any]


class Aside:
    """Kept only where anybody will read why a check failed."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._compared: tuple[Any, Any, Any, str] | None = None
        self.leaks: Leaks | None = None
        self.mixes_samples = False

    def keep(
        self,
        observed: Any,
        expected: Any,
        given: tuple[Any, Any] | None = None,
        function: Function | None = None,
    ) -> None:
        """What is compared; of the last call, if no arguments are given."""
        if not self._client.in_words:
            return
        name = function.__name__ if isinstance(function, RemoteFunction) else ""
        self._compared = observed, expected, given or self._client.given, name

    def forget(self) -> None:
        """The comparison held after all."""
        self._compared = None

    @property
    def pair(self) -> Pair | None:
        """What a comparison was given that did not hold, unless it is too large to look into."""
        if self._compared is None or any(map(is_large, tree_leaves(self._compared[:3]))):
            return None
        observed, expected, given, name = self._compared
        observed, expected, given = tree_map(_detached, [observed, expected, given])
        return Pair(observed, expected, given, name)

    def look(self, student: Function, reference: Function, arguments: tuple[Any, Any]) -> None:
        """Which outputs depend on which tokens, where that is not as it should be."""
        x = sequence_of(*arguments)
        if x is None or not self._client.in_words:
            return
        calls = self._client.calls
        try:
            self.leaks = leaks(student, reference, x.detach())
            self.mixes_samples = mixes_samples(student, x.detach())
        except StudentFault:
            return  # it hung or crashed, and the check has its failure already
        finally:
            self._client.calls = calls  # limits go by the number of a call


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value
