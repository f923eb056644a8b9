"""Draw seeded tensors for one check, and make pairs of modules that hold the same weights."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ..bind import Binding, BindingRequest, bind, module_of, randomised
from ..bind.parts import Call, blame
from ..calls.handles import RemoteModule
from ..calls.known import Known
from ..reference.drawn_modules import DrawnModule
from ..reference.memo import Memo, Reference, ReferenceModule
from .namespace import Student

ROLE_SCALE = 0.35
"""The scale of all drawn parameters. Default initialisation would hide mistakes: biases are zero,
LayerNorm's weight 1 and bias 0."""


def check_seed(course_seed: str, check: str, submission: str = "") -> int:
    """Derive the seed of a check's inputs; nobody without the course seed can predict them."""
    text = f"{check}\n{submission}".encode()
    digest = hmac.new(course_seed.encode(), text, hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 1


@dataclass(frozen=True)
class MatchedPair:
    """The student's module and the reference's, with the same parameters written into both."""

    student: RemoteModule
    reference: ReferenceModule
    binding: Binding

    def by_role(
        self, gradients: Mapping[str, torch.Tensor | None]
    ) -> dict[str, torch.Tensor | None]:
        """Return the student's gradients by the reference's names and in its shapes."""
        return self.binding.of_roles(gradients)

    def write(self, values: Mapping[str, torch.Tensor]) -> None:
        """Change weights in both modules, by the reference's names and in its shapes."""
        self.binding.rewrite(values)

    def settle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Look for another way of storing the weights; return whether there is one.

        It has to make both modules compute the same on inputs like these.
        """
        if not self.binding.settle(args, kwargs):
            return False
        self.reference.alternative = self.binding.alternative
        return True

    def pose(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Ask the reference what every such look ends with, so that it can be recorded."""
        self.binding.pose(args, kwargs)

    def needs_extra(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Name parameters of which the reference has none, if the output depends on them."""
        return self.binding.needs_extra(args, kwargs)

    def blame(self, args: Sequence[Any], kwargs: Mapping[str, Any], observed: Any = None) -> str:
        """Say in words which part causes a difference; return "" if that cannot be told."""
        call = Call(self.student, args, kwargs, observed)
        return self.binding.surplus or blame(call, self.reference.module)


class Probe:
    """A source of random tensors; neither student code nor other checks move its generator."""

    def __init__(
        self,
        seed: int,
        student: Student,
        reference: Reference,
        memo: Memo,
        known: Known | None = None,
    ) -> None:
        """Seed the generators.

        `known` outlives the check: what was found out about this submission's parameters.
        """
        self.generator = torch.Generator().manual_seed(seed)
        self._roles = torch.Generator().manual_seed(seed ^ 0x5EED)
        self._student, self._reference, self._memo = student, reference, memo
        self._known = Known() if known is None else known
        self._bindings: list[Binding] = []
        self.drew = False
        """True once anything was drawn."""

    @property
    def notes(self) -> list[str]:
        """Return how the student's modules differ from the hand-out without being wrong."""
        return [note for binding in self._bindings for note in binding.notes]

    def randn(
        self, *shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0
    ) -> torch.Tensor:
        """Draw normal numbers of that shape in float64, then round: alike in all dtypes."""
        self.drew = True
        return (torch.randn(*shape, generator=self.generator, dtype=torch.float64) * scale).to(
            dtype
        )

    def rand(self, *shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
        """Draw uniform numbers in [0, 1), in a tensor of that shape."""
        self.drew = True
        return torch.rand(*shape, generator=self.generator, dtype=torch.float64).to(dtype)

    def randint(self, low: int, high: int, shape: tuple[int, ...]) -> torch.Tensor:
        """Draw integers from `low` to `high` - 1, in a tensor of that shape."""
        self.drew = True
        return torch.randint(low, high, shape, generator=self.generator)

    def mask(self, *shape: int, keep: float = 0.6) -> torch.Tensor:
        """Draw a boolean mask (..., L): True = may attend, at least one True in every row."""
        mask = self.rand(*shape) < keep
        chosen = self.randint(0, shape[-1], tuple(shape[:-1]))
        return mask.scatter(-1, chosen.unsqueeze(-1), torch.ones(*shape[:-1], 1, dtype=torch.bool))

    def pair(
        self,
        name: str,
        *args: Any,
        dtype: torch.dtype = torch.float64,
        train: bool = False,
        **kwargs: Any,
    ) -> MatchedPair:
        """Make both sides' `name(*args, **kwargs)` and write the same drawn weights into them.

        Raises:
            StudentFault: the student's module has no room for a parameter, or is no module.
        """
        self.drew = True
        drawn = self._reference.drawn(
            (name, args, kwargs, dtype, train),
            self._roles,
            lambda: self._drawn(getattr(self._reference, name)(*args, **kwargs), dtype, train),
        )
        module, roles = drawn.module, drawn.values
        handle = module_of(getattr(self._student, name)(*args, **kwargs), name)
        made = (name, repr(args), repr(kwargs))
        course, plans = self._reference.course_roles(), self._reference.plans
        request = BindingRequest(
            name, handle, module, course, roles, made, known=self._known, plans=plans
        )
        binding = bind(request, self._roles)
        self._bindings.append(binding)
        handle.prepare(binding.values(), dtype, train)
        pair = MatchedPair(handle, ReferenceModule(module, self._memo, drawn), binding)
        handle.pair = pair
        return pair

    def _drawn(self, module: nn.Module, dtype: torch.dtype, train: bool) -> DrawnModule:
        """Draw weights for a module of the reference, and write them into it."""
        roles = {
            role: torch.randn(p.shape, generator=self._roles, dtype=torch.float64) * ROLE_SCALE
            for role, p in module.named_parameters()
        }
        with torch.no_grad():
            module.to(dtype).train(train)
            for role, parameter in module.named_parameters():
                parameter.copy_(roles[role])
        return DrawnModule(module, roles)

    def affine(
        self, function: Callable[[torch.Tensor], torch.Tensor], shape: Sequence[int]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the weights and the offset of an affine function of inputs of that shape.

        `function` takes (B, *shape) and returns numbers (B, …); whether it is affine is for the
        suite to check. The weights (inputs, …) and the offset (…) are all that it does, whatever
        layers compute it; they are read off one input for each of the inputs' numbers.
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
        """Make the student's `name(*args, **kwargs)` with all its parameters drawn.

        One that is not trained, such as a mask, holds what the student put there.

        Raises:
            StudentFault: it is no module.
        """
        handle = module_of(getattr(self._student, name)(*args, **kwargs), name)
        self.drew = True
        drawn = randomised(handle, [name for name, _shape in handle.layout], self._roles)
        handle.prepare(drawn, dtype, train)
        return handle
