"""Find the parameters of a reference that are stored together, and how long their axes are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from .patterns import Pattern, parse, restored
from .roles import Group, Home, Roles
from .shares import gathered


@dataclass(frozen=True)
class Instance:
    """A group as one module of the reference stores it."""

    group: Group
    home: Home
    path: str
    weight: torch.Tensor
    bias: torch.Tensor | None
    bare: bool
    """True if the reference has bare parameters and no layers."""
    sizes: Mapping[str, int]
    """Axis -> its length."""
    shares: tuple[int, ...] = (1,)
    """How many parts each role has along the axis `r`."""
    names: tuple[str, ...] = ()
    """The attributes that hold it, below the path."""
    owner: str = ""
    """The class of the module that has it: two classes may store alike groups in two ways."""

    @property
    def length(self) -> int:
        """Return how many numbers it has."""
        return self.weight.numel() + (0 if self.bias is None else self.bias.numel())

    @property
    def is_even(self) -> bool:
        """Return True if all roles are of one size."""
        return {*self.shares} == {1}

    @property
    def kind(self) -> tuple[str, str, str]:
        """Return what all instances that are stored alike have in common."""
        return self.group.name, self.owner, self.home.pattern


class ParameterVector:
    """All parameters of the reference as one vector: the places (indices) of each in it."""

    def __init__(self, module: nn.Module) -> None:
        self.places: dict[str, torch.Tensor] = {}
        self.length = 0
        for name, parameter in module.named_parameters():
            count = parameter.numel()
            self.places[name] = torch.arange(self.length, self.length + count).reshape(
                parameter.shape
            )
            self.length += count

    def filled(self, values: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Return these values of any shape, by parameter name, as one vector (N,) of float64."""
        rows = [values[name].double().flatten() for name in self.places]
        return torch.cat(rows) if rows else torch.zeros(0, dtype=torch.float64)


def instances(module: nn.Module, roles: Roles, vector: ParameterVector) -> list[Instance]:
    """Find every group in the reference, in the order in which the course settles them.

    First those that the course names, then each layer and parameter that is left.
    """
    result: list[Instance] = []
    taken = torch.zeros(vector.length, dtype=torch.bool)
    for group in roles.groups:
        for path, part in module.named_modules():
            home = group.homes.get(type(part).__name__)
            if home is None or not home.applies(part):
                continue
            instance = _instance(group, home, path, part, vector)
            held = [each.flatten() for each in (instance.weight, instance.bias) if each is not None]
            # A module around another one may keep the parameters of both as one group.
            if not bool(taken[torch.cat(held)].any()):
                taken[torch.cat(held)] = True
                result.append(instance)
    return [*result, *_left_over(module, roles, vector, taken)]


def _left_over(
    module: nn.Module, roles: Roles, vector: ParameterVector, taken: torch.Tensor
) -> Iterator[Instance]:
    """Yield each layer and parameter of which no group has anything, as a group of its own."""
    # taken: (N,), one entry for each number of the vector.
    layers: dict[str, list[str]] = {}
    for name, places in vector.places.items():
        if places.numel() and not bool(taken[places.flatten()].any()):
            prefix, _other, leaf = name.rpartition(".")
            is_layer = leaf in ("weight", "bias") and prefix
            layers.setdefault(prefix if is_layer else name, []).append(name)
    for prefix, names in layers.items():
        path, _dot, own = prefix.rpartition(".")
        part = module.get_submodule(path)
        weight = vector.places[sorted(names)[-1]]
        bias = vector.places[sorted(names)[0]] if len(names) > 1 else None
        axes = ("a", "b", "c", "e", "f", "g")[: weight.dim()]
        layer = None if names == [prefix] else type(module.get_submodule(prefix)).__name__
        group = Group(
            name=f"{type(part).__name__}.{own}",
            axes=" ".join(axes),
            bias_axes=axes[0] if bias is not None else "",
            roles=(own,),
            aliases={own: (own.lower(), *roles.aliases.get(own, ()))},
            homes={},
            layouts=(),
            title=own,
        )
        home = Home(group.axes, (own,))
        sizes = dict(zip(axes, weight.shape, strict=True))
        yield Instance(group, home, path, weight, bias, layer is None, sizes, (1,), (own,))


def _instance(
    group: Group, home: Home, path: str, part: nn.Module, vector: ParameterVector
) -> Instance:
    start = f"{path}." if path else ""
    roles = max(1, len(group.roles))
    shares = home.shares(part) if home.shares is not None else (1,) * roles
    names, pattern = home.names(part), parse(home.pattern)
    sizes = {**home.sizes(part), "r": sum(shares)}

    def canonical(leaf: str, axes: Sequence[str], pattern: Pattern) -> torch.Tensor | None:
        # Returns the shape (*axes).
        full = [f"{start}{name}{leaf}" for name in names]
        if not all(name in vector.places for name in full):
            return None
        tensors = [vector.places[name] for name in full]
        if {*shares} != {1}:
            return gathered(tensors, axes, pattern, sizes, shares)
        return restored(tensors, axes, pattern, sizes)

    axes = group.axes.split()
    weight = canonical(".weight", axes, pattern)
    bare = weight is None
    if weight is None:
        weight = canonical("", axes, pattern)
    if weight is None:
        listing = ", ".join(names)
        raise ValueError(f"roles.py: {group.name}: {type(part).__name__} has no {listing}")
    sizes |= dict(zip(axes, weight.shape, strict=True))
    bias_axes = group.bias_axes.split()
    bias = canonical(".bias", bias_axes, pattern.only(bias_axes)) if bias_axes else None
    owner = type(part).__name__
    return Instance(group, home, path, weight, bias, bare, sizes, shares, names, owner)
