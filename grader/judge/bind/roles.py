"""Let a course describe its parameters as data: roles, the names people use, ways to store them.

A course writes these in `reference/roles.py`; this module defines the classes to write them with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn

from ...course.paths import CoursePaths
from ...sealed.imports import module_of

Rearrange = Callable[[torch.Tensor], torch.Tensor]
Sizes = Callable[[nn.Module], Mapping[str, int]]


def _no_sizes(module: nn.Module) -> Mapping[str, int]:
    return {}


def _always(module: nn.Module) -> bool:
    return True


@dataclass(frozen=True)
class Home:
    """The parameters in which one class of the reference keeps a group.

    >>> Home("r | (h d) i", ("W_query", "W_key", "W_value")).pattern
    'r | (h d) i'
    """

    pattern: str
    """Axes in the order in which they are stored, as in `Layout`."""
    parameters: tuple[str, ...] | Callable[[nn.Module], tuple[str, ...]]
    """Attributes: layers, with `weight` and perhaps `bias`, or parameters. One for each entry of
    the axes left of the bar. A function of the module, where their number depends on it."""
    sizes: Sizes = _no_sizes
    """Lengths of axes that the shapes don't tell, such as the number of heads."""
    applies: Callable[[nn.Module], bool] = _always
    """Tells whether this module of the class keeps the group: where roles can differ in shape, they
    may be one group in some modules and several in others."""
    shares: Callable[[nn.Module], tuple[int, ...]] | None = None
    """How many parts each role has in one entry of the axis `h`, where roles are of several sizes:
    (3, 1, 1) if three heads of queries share one of keys and one of values."""

    def names(self, module: nn.Module) -> tuple[str, ...]:
        return self.parameters(module) if callable(self.parameters) else self.parameters


@dataclass(frozen=True)
class Cut:
    """A split of one parameter in two: the first entries along an axis, and all others."""

    axis: str
    at: int
    roles: tuple[str, str]
    """The roles of the two, as keys of the group's aliases."""


@dataclass(frozen=True)
class Layout:
    """One way to store a group. All of them hold the same numbers in other places.

    >>> Layout("(h d r) i", "qkv is packed as (h d qkv)").raw
    False
    """

    pattern: str
    """Axes in the order in which they are stored. Axes left of a bar count separate parameters:
    `r | (h d) i` is one parameter for each role."""
    note: str = ""
    """The note for a student who stores it like this."""
    raw: bool | None = False
    """True: a bare parameter. False: the weight of a layer. None: either."""
    exact: bool = False
    """True if axes of length 1 must be there too. With one head, (i, 1, d) would otherwise be taken
    for the transposed weight of a Linear."""
    order: Rearrange | None = None
    """Rearranges the tensor before it is stored: another order along one of the axes."""
    packs: tuple[tuple[str, ...], ...] = ()
    """Groups of roles that are stored together, where it is neither each alone nor all at once."""
    cut: Cut | None = None
    """Set where each parameter is stored in two. For groups without a bias."""


@dataclass(frozen=True)
class Group:
    """Roles that may be stored together, as one tensor with named axes."""

    name: str
    axes: str
    """`r h d i`, where `r` counts the roles."""
    homes: Mapping[str, Home]
    """Class of the reference -> where it keeps the group."""
    layouts: tuple[Layout, ...]
    roles: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Role -> patterns of names for it; `packed` -> patterns of names for all of them together."""
    bias_axes: str = ""
    """The axes that a bias has, if layers of this group may have one."""
    exchangeable: bool = False
    """True if roles may be stored in another order, or under names that tell nothing."""
    noted: bool = True
    """False if the hand-out leaves open how this is stored, so that there is nothing to note."""
    title: str = ""
    """What people call the group in notes, if that is not its name."""


@dataclass(frozen=True)
class Alternative:
    """Another reference that is as right as the first, for instance with another constant."""

    note: str
    applies: Callable[[nn.Module], bool]
    change: Callable[[nn.Module], None]


@dataclass(frozen=True)
class Roles:
    """All that a course says about its parameters. Groups are settled in the order given here."""

    groups: tuple[Group, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Attribute of the reference -> patterns of other names for it."""
    alternatives: tuple[Alternative, ...] = ()
    first_calls: Mapping[str, Callable[[nn.Module], tuple[torch.Tensor, ...]]] = field(
        default_factory=dict
    )
    """Class of the reference -> inputs that a module of it takes. A student's layers may get their
    shapes by the first input (`nn.LazyLinear`), and their shapes are asked for before."""


def load_roles(root: Path) -> Roles:
    """Return `ROLES` of the course's `reference/roles.py`; empty roles if there is no such file."""
    path = CoursePaths(root).roles
    if not path.is_file():
        return Roles()
    roles: Roles = module_of("reference_roles", path).ROLES
    return roles
