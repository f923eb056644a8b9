"""One student's module bound to the reference's: what to write where, and what a gradient means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ...language import _, course_text
from ..handles import RemoteModule
from .forms import Cell, Row, without_ones
from .layers import Layer
from .modules import listed, randomised
from .plan import Choice, Plan, Plans
from .roles import Roles
from .search import Probing, search
from .trouble import misfit


@dataclass
class Known:
    """What was found out about one submission's modules; a key says how each one was made."""

    choices: dict[Any, Choice | None] = field(default_factory=dict)


class Binding:
    """The student's module holds the role tensors, in the way that names and shapes say.

    Where they leave it open, and the numbers disagree, `settle` looks for the way in which both
    modules compute the same.

    Raises:
        CheckFailed: there is no room for some role.
    """

    def __init__(
        self,
        name: str,
        handle: RemoteModule,
        reference: nn.Module,
        roles: Roles,
        values: Mapping[str, torch.Tensor],
        generator: torch.Generator,
        known: Known,
        plans: Plans,
        made: Any,
    ) -> None:
        self._name, self._handle, self._reference, self._roles = name, handle, reference, roles
        self._shapes = {spec.name: spec.shape for spec in handle.specs}
        self._values = values
        self._known, self._plans, self._made = known, plans, (made, handle.specs)
        self._choice = None if self._has_every_name() else self._by_role()
        held = values if self._choice is None else self.places
        extra = [n for n in self._shapes if n not in held]
        self.extra = {n: self._shapes[n] for n in extra}
        self._drawn = randomised(handle, extra, generator)

    @cached_property
    def plan(self) -> Plan:
        return self._plans.get(
            self._made,
            lambda: Plan(self._reference, self._handle.specs, self._roles, self._row),
        )

    @cached_property
    def _row(self) -> Row:
        return Row(self._reference)

    @property
    def places(self) -> dict[str, torch.Tensor]:
        """Parameter of the student's -> places in the row of the reference's numbers."""
        if self._choice is not None:
            return self.plan.places(self._choice)
        return {name: places.flatten() for name, places in self._row.places.items()}

    def _has_every_name(self) -> bool:
        """Every role stands under the reference's own name and in its own shape: the usual case,
        in which there is nothing to look for."""
        return all(
            name in self._shapes
            and (self._shapes[name] == tuple(value.shape) or _alike(self._shapes[name], value))
            for name, value in self._values.items()
        )

    def _by_role(self) -> Choice:
        found = self.plan.first()
        if found is None:
            raise misfit(self._name, self._handle, self.plan)
        return found

    # ---- what it says --------------------------------------------------------------------

    def values(self) -> dict[str, torch.Tensor]:
        """What to write into each of the student's parameters."""
        if self._choice is None:
            held = {n: value.reshape(self._shapes[n]) for n, value in self._values.items()}
        else:
            held = self._stored(self.places, self._row.filled(self._values))
        return {**held, **self._drawn}

    def rewrite(self, values: Mapping[str, torch.Tensor]) -> None:
        """Give roles other values, in the student's module and in the reference's."""
        self._values = {**self._values, **values}
        own = dict(self._reference.named_parameters())
        with torch.no_grad():
            for role, value in values.items():
                own[role].copy_(value)
        self._handle.write(self.values())

    def _stored(
        self, places: Mapping[str, torch.Tensor], numbers: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        return {name: numbers[at].reshape(self._shapes[name]) for name, at in places.items()}

    def of_roles(
        self, gradients: Mapping[str, torch.Tensor | None]
    ) -> dict[str, torch.Tensor | None]:
        """Gradients of the student's parameters as those of the reference's."""
        places = self.places
        found: dict[str, torch.Tensor | None] = {
            name: gradient for name, gradient in gradients.items() if name not in places
        }
        known = {n: g for n, g in gradients.items() if g is not None and n in places}
        dtypes = {gradient.dtype for gradient in known.values()}
        row = torch.zeros(self._row.length, dtype=dtypes.pop() if dtypes else torch.float64)
        reached = torch.zeros(self._row.length, dtype=torch.bool)
        for name, gradient in known.items():
            row[places[name]] = gradient.flatten().to(row.dtype)
            reached[places[name]] = True
        for name, at in self._row.places.items():
            found[name] = row[at] if bool(reached[at].any()) else None
        return found

    @property
    def alternative(self) -> str:
        """Which of the course's alternatives the reference has become, if any."""
        number = self._choice.alternative if self._choice is not None else None
        return "" if number is None else course_text(self._roles.alternatives[number].note)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is different from the hand-out."""
        notes = []
        if self._choice is not None:
            notes = [*self._renamed(), *self._forms(), self.alternative]
        if self.extra:
            names = listed(self.extra)
            notes.append(_("{name} has further parameters: {names}", name=self._name, names=names))
        return tuple(dict.fromkeys(filter(None, notes)))

    def _forms(self) -> list[str]:
        assert self._choice is not None
        found: list[str] = []
        for kind, number in self._choice.forms.items():
            found.append(self.plan.kinds[kind][0][1][number].note)
        return found

    def _renamed(self) -> list[str]:
        assert self._choice is not None
        cells = self.plan.cells(self._choice.forms)
        layers = self.plan.storages[self._choice.storage].assignment.layers
        pairs = [
            _("{name} as {other}", name=_told(cell, layer), other=cell.holds)
            for cell, layer in zip(cells, layers, strict=True)
            if cell.holds and cell.holds != _told(cell, layer)
        ]
        if not pairs:
            return []
        told = ", ".join(pairs[:4])
        told = _("{these} and so on", these=told) if len(pairs) > 4 else told
        return [_("{name} has names of its own; taken {pairs}", name=self._name, pairs=told)]

    @property
    def surplus(self) -> str:
        """What is too much, in words; empty if nothing is."""
        if not self.extra:
            return ""
        names = listed(self.extra)
        return _("; {name} has parameters too many: {names}", name=self._name, names=names)

    # ---- settling by numbers -------------------------------------------------------------

    def settle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Look for a binding under which both modules compute the same, on inputs of our own that
        are like the arguments. True if there is one and it is not the present one.

        Raises:
            StudentFault: the student's code hung or crashed.
        """
        key = (*self._made, _outline(args), _outline(kwargs))
        if key not in self._known.choices:
            self._known.choices[key] = None  # it is not looked for twice where it hangs or crashes
            probing = Probing(self._handle, self._reference, self._roles, args, kwargs, repr(key))
            self._known.choices[key] = search(self.plan, probing, self._stored)
            self._handle.write(self.values())
        found = self._known.choices[key]
        if found is None or found == (self._choice or self.plan.first()):
            return False
        self._choice = found
        if found.alternative is not None:
            self._roles.alternatives[found.alternative].change(self._reference)
        self._handle.write(self.values())
        return True


def _told(cell: Cell, layer: Layer) -> str:
    """The name of what holds it: of the weight inside, if that is all that is different."""
    other_kind = cell.raw is None and not layer.raw
    return layer.names[0] if other_kind and layer.prefix == cell.holds else layer.prefix


def _alike(shape: tuple[int, ...], value: torch.Tensor) -> bool:
    return without_ones(shape) == without_ones(value.shape)


def _outline(value: Any) -> str:
    """What kind of arguments these are; not their numbers."""
    return repr(tree_map(lambda v: (v.shape, v.dtype) if isinstance(v, torch.Tensor) else v, value))
