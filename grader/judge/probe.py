"""Seeded and designed tensors for one check, and twins: two modules holding the same weights."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .bind import Binding, module_of, randomised
from .bind.binding import Known
from .bind.parts import Call, blame
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
    binding: Binding

    def by_role(
        self, gradients: Mapping[str, torch.Tensor | None]
    ) -> dict[str, torch.Tensor | None]:
        """Gradients of the student's parameters, by the reference's names and in its shapes."""
        return self.binding.of_roles(gradients)

    def write(self, values: Mapping[str, torch.Tensor]) -> None:
        """Change weights in both, by the reference's names: `{"linear.weight": …}`."""
        self.binding.rewrite(values)

    def settle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Look for another way of storing the weights, one that makes both compute the same on
        inputs like these. True if there is one."""
        if not self.binding.settle(args, kwargs):
            return False
        self.reference.alternative = self.binding.alternative
        return True

    def blame(self, args: Sequence[Any], kwargs: Mapping[str, Any], observed: Any = None) -> str:
        """Where a difference between the two arises, in words; empty if that can't be told."""
        call = Call(self.student, args, kwargs, observed)
        return self.binding.surplus or blame(call, self.reference.module)


class Probe:
    """Draws from a generator of its own: neither student code nor other checks move it."""

    def __init__(
        self,
        seed: int,
        student: Student,
        reference: Reference,
        memo: Memo,
        known: Known | None = None,
    ) -> None:
        """`known` outlives the check: what was found out about this submission's parameters."""
        self.generator = torch.Generator().manual_seed(seed)
        self._roles = torch.Generator().manual_seed(seed ^ 0x5EED)
        self._student, self._reference, self._memo = student, reference, memo
        self._known = Known() if known is None else known
        self._bindings: list[Binding] = []
        self.drawn: list[Any] = []
        """Parameters that were drawn by the names and shapes that the student gave them."""
        self.drew = False
        """Whether anything was drawn."""

    @property
    def notes(self) -> list[str]:
        """How the student's modules differ from the hand-out without being wrong."""
        return [note for binding in self._bindings for note in binding.notes]

    def randn(
        self, *shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0
    ) -> torch.Tensor:
        """Normal numbers. Drawn in float64 and rounded, so all dtypes see the same values."""
        self.drew = True
        return (torch.randn(*shape, generator=self.generator, dtype=torch.float64) * scale).to(
            dtype
        )

    def rand(self, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Uniform numbers in [0, 1)."""
        self.drew = True
        return torch.rand(*shape, generator=self.generator, dtype=torch.float64).to(dtype)

    def randint(self, low: int, high: int, shape: tuple[int, ...]) -> torch.Tensor:
        """Integers from `low` to `high` - 1."""
        self.drew = True
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
        **kwargs: Any,
    ) -> Twin:
        """The student's and the reference's `name(*args, **kwargs)` with the same drawn weights.

        Raises:
            StudentFault: the student's module has no room for a parameter, or is no module.
        """
        self.drew = True
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
        course, plans = self._reference.course_roles(), self._reference.plans
        made = (name, repr(args), repr(kwargs))
        binding = Binding(
            name, handle, module, course, roles, self._roles, self._known, plans, made
        )
        self._bindings.append(binding)
        handle.prepare(binding.values(), dtype, train)
        twin = Twin(handle, ReferenceModule(module, self._memo), binding)
        handle.twin = twin
        return twin

    def affine(
        self, function: Callable[[torch.Tensor], torch.Tensor], shape: Sequence[int]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The weights (inputs, …) and the offset (…) of an affine function of inputs of that shape,
        read off one input for each of their numbers: whatever layers compute it, this is all it
        does.

        `function` takes (B, *shape) and returns numbers (B, …); that it is affine is for the suite
        to check.
        """
        count = math.prod(shape)
        inputs = torch.cat([torch.zeros(1, count), torch.eye(count)]).double()
        outputs = function(inputs.reshape(-1, *shape)).double()
        return outputs[1:] - outputs[0], outputs[0]

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
        self.drew = True
        self.drawn.append([(spec.name, tuple(spec.shape)) for spec in handle.specs])
        drawn = randomised(handle, [spec.name for spec in handle.specs], self._roles)
        handle.prepare(drawn, dtype, train)
        return handle
