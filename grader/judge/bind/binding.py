"""Bind a student's module to the reference's: write roles into it, read gradients out of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_map

from ...text.language import _, course_text
from ..calls.handles import RemoteModule
from ..calls.known import Known
from ..compare.compare import are_equal
from .comparison import Comparison, Probing, in_double
from .forms import Piece, without_ones
from .instances import ParameterVector
from .layers import Layer
from .modules import few, listed, randomised
from .plan import Plan, Plans
from .roles import Roles
from .search import search
from .storages import StorageChoice
from .trouble import misfit

MOST_NAMES = 3
"""Of parameters that hold no role."""
Shapes = dict[str, tuple[int, ...]]
"""Parameter name -> its shape."""


@dataclass(frozen=True)
class BindingRequest:
    """Two modules to bind to each other, and what is known about both."""

    name: str
    """The name of the class, as the exercise gives it."""
    handle: RemoteModule
    reference: nn.Module
    roles: Roles
    values: Mapping[str, torch.Tensor]
    """The values that the reference's parameters hold, by name."""
    made: tuple[str, ...]
    """The call that made both modules, as text."""
    known: Known
    plans: Plans

    @cached_property
    def shapes(self) -> Shapes:
        """Return the shapes of the student's parameters."""
        return {spec.name: spec.shape for spec in self.handle.specs}

    @cached_property
    def vector(self) -> ParameterVector:
        return self.plans.vector(self.reference, self.values)

    @cached_property
    def plan(self) -> Plan:
        """Return the ways of storing, made once for all modules that were made alike."""
        specs = self.handle.specs
        return self.plans.get(
            (self.made, specs), lambda: Plan(self.reference, specs, self.roles, self.vector)
        )

    @property
    def has_every_name(self) -> bool:
        """Decide whether every role has the reference's own name and shape in the student's module.

        This is the usual case, in which there is nothing to look for. Axes of length 1 do not
        count.
        """
        return all(
            name in self.shapes
            and (self.shapes[name] == tuple(value.shape) or _alike(self.shapes[name], value))
            for name, value in self.values.items()
        )


def bind(request: BindingRequest, generator: torch.Generator) -> Binding:
    """Bind a student's module as names and shapes say; draw parameters that hold no role.

    Raises:
        CheckFailed: the module has no room for some role.
    """
    choice, held = None, {*request.values}
    if not request.has_every_name:
        choice = request.plan.first()
        if choice is None:
            raise misfit(request.name, request.handle, request.plan)
        held = {*request.plan.places(choice)}
    # What is not trained, such as a mask, holds what the student put there.
    extra = [s.name for s in request.handle.specs if s.requires_grad and s.name not in held]
    return Binding(request, choice, randomised(request.handle, extra, generator))


class Binding:
    """One student's module whose parameters hold the values of the reference's roles.

    At first they are stored as names and shapes say. Where these leave it open, and the numbers
    disagree, `settle` looks for the way of storing under which both modules compute the same.
    """

    def __init__(
        self,
        request: BindingRequest,
        choice: StorageChoice | None,
        drawn: Mapping[str, torch.Tensor],
    ) -> None:
        """Take what `bind` found; `drawn` are values for the parameters that hold no role.

        Each has the shape of its parameter.
        """
        self._name, self._handle = request.name, request.handle
        self._reference, self._roles = request.reference, request.roles
        self._shapes, self._vector = request.shapes, request.vector
        self._values, self._known = request.values, request.known
        self._request, self._choice, self._drawn = request, choice, drawn
        self.extra = {name: self._shapes[name] for name in drawn}

    @property
    def plan(self) -> Plan:
        """Return the ways of storing that can be tried."""
        return self._request.plan

    @property
    def has_names_of_its_own(self) -> bool:
        """Tell whether the student's parameters have other names or shapes than the reference's."""
        return self._choice is not None

    @property
    def places(self) -> dict[str, torch.Tensor]:
        """Return, for each of the student's parameters, its numbers' places in the vector: (N,).

        The vector is that of the reference's numbers (`ParameterVector`).
        """
        if self._choice is not None:
            return self.plan.places(self._choice)
        return {name: places.flatten() for name, places in self._vector.places.items()}

    # ---- what it says --------------------------------------------------------------------

    def values(self) -> dict[str, torch.Tensor]:
        """Return the values to write, by the student's parameter names and in their shapes."""
        if self._choice is None:
            held = {n: value.reshape(self._shapes[n]) for n, value in self._values.items()}
        else:
            held = self._stored(self.places, self._vector.filled(self._values))
        return {**held, **self._drawn}

    def rewrite(self, values: Mapping[str, torch.Tensor]) -> None:
        """Give roles other values, of the same shapes, in both modules."""
        self._values = {**self._values, **values}
        own = dict(self._reference.named_parameters())
        with torch.no_grad():
            for role, value in values.items():
                own[role].copy_(value)
        self._handle.write(self.values())

    def _stored(
        self, places: Mapping[str, torch.Tensor], numbers: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        # numbers: (N,); each of `places` (M,), and each result the shape of its parameter.
        return {name: numbers[at].reshape(self._shapes[name]) for name, at in places.items()}

    def of_roles(
        self, gradients: Mapping[str, torch.Tensor | None]
    ) -> dict[str, torch.Tensor | None]:
        """Turn gradients in the shapes of the student's parameters into the reference's."""
        places = self.places
        result: dict[str, torch.Tensor | None] = {
            name: gradient for name, gradient in gradients.items() if name not in places
        }
        known = {n: g for n, g in gradients.items() if g is not None and n in places}
        dtypes = {gradient.dtype for gradient in known.values()}
        vector = torch.zeros(self._vector.length, dtype=dtypes.pop() if dtypes else torch.float64)
        reached = torch.zeros(self._vector.length, dtype=torch.bool)
        for name, gradient in known.items():
            vector[places[name]] = gradient.flatten().to(vector.dtype)
            reached[places[name]] = True
        for name, at in self._vector.places.items():
            result[name] = vector[at] if bool(reached[at].any()) else None
        return result

    @property
    def alternative(self) -> str:
        """Return the note of the course's alternative that the reference was changed to, or ""."""
        number = self._choice.alternative if self._choice is not None else None
        return "" if number is None else course_text(self._roles.alternatives[number].note)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on how the student's module differs from the hand-out."""
        notes = []
        if self._choice is not None:
            notes = [*self._renamed(), *self._forms(), self.alternative]
        if self.extra:
            names = listed(self.extra)
            notes.append(_("{name} has further parameters: {names}", name=self._name, names=names))
        return tuple(dict.fromkeys(filter(None, notes)))

    def _forms(self) -> list[str]:
        assert self._choice is not None
        notes: list[str] = []
        for kind, number in self._choice.forms.items():
            notes.append(self.plan.kinds[kind][0][1][number].note)
        return notes

    def _renamed(self) -> list[str]:
        assert self._choice is not None
        pieces = self.plan.pieces(self._choice.forms)
        layers = self.plan.layers(self._choice)
        pairs = [
            _("{name} as {other}", name=_holder_name(piece, layer), other=piece.holds)
            for piece, layer in zip(pieces, layers, strict=True)
            if piece.holds and piece.holds != _holder_name(piece, layer)
        ]
        if not pairs:
            return []
        listing = ", ".join(pairs[:4])
        listing = _("{these} and so on", these=listing) if len(pairs) > 4 else listing
        return [_("{name} has names of its own; taken {pairs}", name=self._name, pairs=listing)]

    @property
    def surplus(self) -> str:
        """Tell of parameters that hold no role; return "" if there are none."""
        if not self.extra:
            return ""
        names = listed(self.extra)
        return _("; {name} has parameters too many: {names}", name=self._name, names=names)

    def needs_extra(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Name the parameters without a role, if the output depends on them; else return "".

        Nothing is told of a module that answers the same call in two ways, nor where one of the
        parameters goes by the name of a role: its layer is of another size, and holds too much.

        Raises:
            StudentFault: the student's code hung or crashed.
        """
        if not self.extra or self._goes_by_a_role():
            return ""
        once, again = self._handle(*args, **kwargs), self._handle(*args, **kwargs)
        if not are_equal(once, again):
            return ""
        self._handle.write({**self.values(), **{n: 1.0 + v for n, v in self._drawn.items()}})
        try:
            other = self._handle(*args, **kwargs)
        finally:
            self._handle.write(self.values())
        return "" if are_equal(once, other) else few([*self.extra], MOST_NAMES)

    def _goes_by_a_role(self) -> bool:
        pieces = self.plan.pieces(dict.fromkeys(self.plan.kinds, 0))
        left = [layer for layer in self.plan.own_layers if self.extra.keys() >= {*layer.names}]
        return any(
            layer.is_meant_for(piece) and list(map(len, layer.outline)) == [*map(len, piece.shapes)]
            for layer in left
            for piece in pieces
        )

    # ---- settling by numbers -------------------------------------------------------------

    def settle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Look for a binding under which both modules compute the same; return whether it is new.

        Both are compared on drawn inputs of the same kind as the arguments. False if no binding is
        found, or if it is the present one.

        Raises:
            StudentFault: the student's code hung or crashed.
        """
        key = (self._request.made, self._handle.specs, _outline(args), _outline(kwargs))
        if key not in self._known.choices:
            self._known.choices[key] = None  # it is not looked for twice where it hangs or crashes
            self._known.choices[key] = search(self.plan, self._probing(args, kwargs), self._stored)
            self._handle.write(self.values())
        choice = self._known.choices[key]
        if choice is None or choice == (self._choice or self.plan.first()):
            return False
        self._choice = choice
        if choice.alternative is not None:
            self._roles.alternatives[choice.alternative].change(self._reference)
        self._handle.write(self.values())
        return True

    def pose(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Ask the reference what every search on arguments like these ends with.

        With it goes what the course's alternatives answer to the arguments themselves.
        """
        with torch.no_grad():
            comparison = Comparison(self.plan, self._probing(args, kwargs), self._stored)
            comparison.expected(comparison.numbers)
            for alternative in self._roles.alternatives:
                if alternative.applies(self._reference):
                    other = copy.deepcopy(self._reference)
                    alternative.change(other)
                    given, named = tree_map(in_double, (tuple(args), dict(kwargs)))
                    other(*given, **named)

    def _probing(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Probing:
        """Return what to compare; inputs and numbers are drawn alike for all ways of storing.

        So the last question of a search is the same one for everybody, and can be recorded.
        """
        seed = repr((self._request.made, _outline(args), _outline(kwargs)))
        return Probing(self._handle, self._reference, self._roles, args, kwargs, seed)


def _holder_name(piece: Piece, layer: Layer) -> str:
    """Return the name of the layer, or of the weight inside it if only that differs."""
    other_kind = piece.raw is None and not layer.raw
    return layer.names[0] if other_kind and layer.prefix == piece.holds else layer.prefix


def _alike(shape: tuple[int, ...], value: torch.Tensor) -> bool:
    # value: any shape.
    return without_ones(shape) == without_ones(value.shape)


def _outline(value: Any) -> str:
    """Describe arguments by the shapes and dtypes of their tensors, without their numbers."""
    return repr(tree_map(lambda v: (v.shape, v.dtype) if isinstance(v, torch.Tensor) else v, value))
