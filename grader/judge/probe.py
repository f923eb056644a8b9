"""Seeded and designed tensors for one check, and twins: two modules holding the same weights."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .bind import bind, module_of, randomised, within
from .handles import RemoteModule
from .memo import Memo, Reference, ReferenceModule
from .namespace import Student

ROLE_SCALE = 0.35
"""Default initialisation hides mistakes (zero biases, LayerNorm at 1 and 0): all is drawn."""


def check_seed(course_seed: str, check: str, submission: str = "") -> int:
    """The seed of a check's inputs. Nobody without the course seed can predict them."""
    text = f"{check}\n{submission}".encode()
    digest = hmac.new(course_seed.encode(), text, hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 1


@dataclass(frozen=True)
class Twin:
    """The student's module and the reference's, with the same role tensors written into both."""

    student: RemoteModule
    reference: ReferenceModule


class Probe:
    """Draws from a generator of its own: neither student code nor other checks move it."""

    def __init__(self, seed: int, student: Student, reference: Reference, memo: Memo) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self._roles = torch.Generator().manual_seed(seed ^ 0x5EED)
        self._student, self._reference, self._memo = student, reference, memo
        self.notes: list[str] = []

    def randn(
        self, *shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0
    ) -> torch.Tensor:
        """Normal numbers. Drawn in float64 and rounded, so all dtypes see the same values."""
        return (torch.randn(*shape, generator=self.generator, dtype=torch.float64) * scale).to(
            dtype
        )

    def rand(self, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Uniform numbers in [0, 1)."""
        return torch.rand(*shape, generator=self.generator, dtype=torch.float64).to(dtype)

    def randint(self, low: int, high: int, shape: tuple[int, ...]) -> torch.Tensor:
        """Integers from `low` to `high` - 1."""
        return torch.randint(low, high, shape, generator=self.generator)

    def mask(self, *shape: int, keep: float = 0.6) -> torch.Tensor:
        """A boolean mask (..., L), True = may attend, with at least one True in every row."""
        mask = self.rand(*shape) < keep
        chosen = self.randint(0, shape[-1], tuple(shape[:-1]))
        return mask.scatter(-1, chosen.unsqueeze(-1), torch.ones(*shape[:-1], 1, dtype=torch.bool))

    def twin(
        self,
        name: str,
        *args: Any,
        dtype: torch.dtype = torch.float64,
        train: bool = False,
        free: Sequence[str] = (),
        **kwargs: Any,
    ) -> Twin:
        """The student's and the reference's `name(*args, **kwargs)` with the same drawn weights.

        Parts named in `free` are drawn on either side without being the same: the suite brings
        them together in a way of its own.

        Raises:
            StudentFault: the student's module lacks a parameter, or is no module.
        """
        module: nn.Module = getattr(self._reference, name)(*args, **kwargs)
        roles = {
            role: torch.randn(p.shape, generator=self._roles, dtype=torch.float64) * ROLE_SCALE
            for role, p in module.named_parameters()
        }
        with torch.no_grad():
            module.to(dtype).train(train)
            for role, parameter in module.named_parameters():
                parameter.copy_(roles[role])
        handle = module_of(getattr(self._student, name)(*args, **kwargs), name)
        bound = {role: tensor for role, tensor in roles.items() if not within(role, free)}
        values, notes = bind(handle, bound, name, self._roles, free)
        self.notes += notes
        handle.prepare(values, dtype, train)
        return Twin(handle, ReferenceModule(module, self._memo))

    def module(
        self,
        name: str,
        *args: Any,
        dtype: torch.dtype = torch.float64,
        train: bool = False,
        **kwargs: Any,
    ) -> RemoteModule:
        """The student's `name(*args, **kwargs)` with all its parameters drawn.

        Raises:
            StudentFault: it is no module.
        """
        handle = module_of(getattr(self._student, name)(*args, **kwargs), name)
        drawn = randomised(handle, [spec.name for spec in handle.specs], self._roles)
        handle.prepare(drawn, dtype, train)
        return handle
