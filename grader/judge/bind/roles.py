"""What a course knows about parameters, as data: roles, what people call them, how they are stored.

A course writes these in `reference/roles.py`; this module gives the words to write it in.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn

Rearrange = Callable[[torch.Tensor], torch.Tensor]
Sizes = Callable[[nn.Module], Mapping[str, int]]


def _no_sizes(module: nn.Module) -> Mapping[str, int]:
    return {}


def _always(module: nn.Module) -> bool:
    return True


@dataclass(frozen=True)
class Home:
    """Where a class of the reference keeps a group.

    >>> Home("r | (h d) i", ("W_query", "W_key", "W_value")).pattern
    'r | (h d) i'
    """

    pattern: str
    """As in `Layout`."""
    parameters: tuple[str, ...]
    """Attributes: layers, with `weight` and perhaps `bias`, or parameters. One for each entry of
    the axes left of the bar."""
    sizes: Sizes = _no_sizes
    """Lengths of axes that the shapes don't tell, such as the number of heads."""
    applies: Callable[[nn.Module], bool] = _always
    """Whether this module of the class keeps the group: where roles can differ in shape, they may
    be one group in some modules and several in others."""


@dataclass(frozen=True)
class Cut:
    """Two parameters instead of one: the first entries along an axis, and all others."""

    axis: str
    at: int
    roles: tuple[str, str]
    """What the two hold, as keys of the group's aliases."""


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
    """What the student is told when this is how they do it."""
    raw: bool | None = False
    """A bare parameter (True), the weight of a layer (False), or either."""
    exact: bool = False
    """Whether axes of length 1 must be there too. With one head (i, 1, d) would else be taken for
    the transposed weight of a Linear."""
    order: Rearrange | None = None
    """Applied before it is stored: another order along one of the axes."""
    packs: tuple[tuple[str, ...], ...] = ()
    """Roles that are stored together, where that is not one of all or none."""
    cut: Cut | None = None
    """Where each parameter is stored in two. For groups without a bias."""


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
    """Role -> patterns of names for it; `packed` -> of names for all of them together."""
    bias_axes: str = ""
    """The axes that a bias has, if layers of this group may have one."""
    exchangeable: bool = False
    """Whether roles may be stored in another order, or under names that tell nothing."""


@dataclass(frozen=True)
class Alternative:
    """Another reference that is as right as the first, for instance with another constant."""

    note: str
    applies: Callable[[nn.Module], bool]
    change: Callable[[nn.Module], None]


@dataclass(frozen=True)
class Roles:
    """All that a course knows. Groups are settled in the order in which they stand here."""

    groups: tuple[Group, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Attribute of the reference -> patterns of other names for it."""
    alternatives: tuple[Alternative, ...] = ()


def load_roles(root: Path) -> Roles:
    """`ROLES` of the course's `reference/roles.py`; none if there is no such file."""
    path = root / "reference" / "roles.py"
    if not path.is_file():
        return Roles()
    spec = importlib.util.spec_from_file_location("reference_roles", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Roles = module.ROLES
    return found
