"""Checks run on references with a known mistake in them, and remembered.

What a mistake gives depends on no submission, but in a check marked `fresh`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, Protocol

import torch
from torch.utils._pytree import tree_leaves

from .checks import Check
from .client import LocalClient
from .mistakes import Mistake, Mistakes
from .sight import Draw, Sight

MAX_NUMBERS = 1 << 24
"""Of what was seen; beyond that all is forgotten, and rehearsed again when asked for."""

AS_GRADED = Draw()


class Runs(Protocol):
    """Runs checks."""

    def rehearse(
        self,
        check: Check,
        modules: Mapping[str, ModuleType],
        digest: str,
        draw: Draw,
        client: LocalClient,
    ) -> Sight:
        """Run it on references as if they were a submission."""


class Rehearsals:
    """What checks see of known mistakes, and of the reference."""

    def __init__(self, modules: Mapping[str, ModuleType], mistakes: Mistakes, runs: Runs) -> None:
        self._modules, self._mistakes, self._runs = modules, mistakes, runs
        self._sights: dict[tuple[str, str, Draw], Sight] = {}
        self._clients: dict[tuple[str, str], LocalClient] = {}
        self._numbers = 0

    def right(self, check: Check, digest: str, draw: Draw = AS_GRADED) -> Sight:
        """What the check sees of the reference."""
        return self._remembered("", check, digest, draw, self._modules)

    def of(
        self, mistake: Mistake, check: Check, digest: str, draw: Draw = AS_GRADED
    ) -> Sight | None:
        """What it sees of a mistake; None if that does not fit the reference."""
        stem = check.exercise.assignment
        module = self._mistakes.made(mistake, stem)
        if module is None:
            return None
        modules = {**self._modules, stem: module}
        return self._remembered(f"{mistake.stem}/{mistake.entry.id}", check, digest, draw, modules)

    def _remembered(
        self,
        name: str,
        check: Check,
        digest: str,
        draw: Draw,
        modules: Mapping[str, ModuleType],
    ) -> Sight:
        key = (name, check.id, draw)
        if not check.fresh and key in self._sights:
            return self._sights[key]
        whose = name, check.exercise.assignment
        client = self._clients.get(whose)
        if client is None:
            client = LocalClient(lambda stem, name: getattr(modules[stem], name), _no_file)
            client.in_words = False
            self._clients[whose] = client
        sight = self._runs.rehearse(check, modules, digest, draw, client)
        if not check.fresh:
            self._keep(key, sight)
        return sight

    def _keep(self, key: tuple[str, str, Draw], sight: Sight) -> None:
        self._numbers += sum(_size(leaf) for leaf in tree_leaves(list(sight.seen)))
        if self._numbers > MAX_NUMBERS:
            self._sights.clear()
            self._clients.clear()
            self._numbers = 0
        self._sights[key] = sight


def _size(leaf: Any) -> int:
    return leaf.numel() if isinstance(leaf, torch.Tensor) else 1


def _no_file(name: str) -> bool:
    return False
