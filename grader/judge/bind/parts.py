"""Find the part of a student's module in which a difference of values arises, by substitution.

The reference's wiring is run over the student's own parts. The result depends on the wiring alone:
if the student's module gives the same, it puts its parts together rightly, whatever the parts
themselves compute.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from ...text.language import _
from ..calls.faults import CheckFailed, StudentRaised
from ..calls.handles import RemoteModule
from .comparison import TOLERANCE, gap

MAX_DEPTH = 6
_MISFITS = (
    CheckFailed,
    StudentRaised,
    RuntimeError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
)


@dataclass(frozen=True)
class Call:
    """One call of a student's module: its arguments and its value."""

    module: RemoteModule
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    value: Any
    """The value it returned; None if that is not known."""
    path: str = ""
    """The path of the module in the reference."""

    def observed(self) -> Any:
        return self.module(*self.args, **self.kwargs) if self.value is None else self.value


class StandIn(nn.Module):
    """A module that calls the student's part, to be put where the reference has its own."""

    def __init__(self, path: str, handle: RemoteModule, calls: list[Call]) -> None:
        super().__init__()
        self._path, self._handle, self._calls = path, handle, calls

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        call = args, kwargs
        try:
            value = self._handle(*args, **kwargs)
        except StudentRaised:
            # The student's own part may lack an option that is not used here.
            call = _without_none(args, kwargs)
            if len(call[0]) + len(call[1]) == len(args) + len(kwargs):
                raise
            value = self._handle(*call[0], **call[1])
        self._calls.append(Call(self._handle, *call, value, self._path))
        return value


def _without_none(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Drop positional arguments at the end that are None, and all keyword arguments that are."""
    while args and args[-1] is None:
        args = args[:-1]
    return args, {name: value for name, value in kwargs.items() if value is not None}


def parts_of(reference: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield path and module of each part that the course itself defines.

    torch's own modules are no parts; the course's parts inside its ModuleLists and ModuleDicts are.
    """
    for name, child in reference.named_children():
        if type(child).__module__.startswith("torch."):
            inside = parts_of(child) if isinstance(child, (nn.ModuleList, nn.ModuleDict)) else ()
            yield from ((f"{name}.{path}", part) for path, part in inside)
        else:
            yield name, child


def rewired(student: RemoteModule, reference: nn.Module) -> tuple[nn.Module, list[Call]]:
    """Copy the reference with the student's parts in it; return it and the list of their calls.

    The list is empty at first, and each call of a part appends to it.

    Raises:
        CheckFailed: the student's module lacks a part.
    """
    calls: list[Call] = []
    parts = dict(parts_of(reference))
    handles = dict(zip(parts, student.parts([*parts]), strict=True))
    # What a copy is made of is looked up by identity first: the parts themselves are not copied.
    instead: dict[int, Any] = {}
    for path, handle in handles.items():
        if handle is None:
            message = _("the module has no part `{path}`", path=path)
            raise CheckFailed(message, _("a module `{path}`", path=path))
        instead[id(parts[path])] = StandIn(path, handle, calls)
    return copy.deepcopy(reference, instead), calls


def blame(whole: Call, reference: nn.Module, path: str = "", depth: int = 0) -> str:
    """Tell in words where a difference of values arises; return "" if that can't be told."""
    inside = ""
    if path:
        inside = _(
            "; it first arises inside `{path}`, and what is around that is put together rightly",
            path=path,
        )
    if depth > MAX_DEPTH or not any(parts_of(reference)):
        return inside
    try:
        with torch.no_grad():
            wired, calls = rewired(whole.module, reference)
            wanted = wired(*whole.args, **whole.kwargs)
            if gap(whole.observed(), wanted) > TOLERANCE:
                place = f"`{path}`" if path else type(reference).__name__
                return _("; it arises in how {place} puts its parts together", place=place)
            for call in calls:
                part = reference.get_submodule(call.path)
                if gap(call.value, part(*call.args, **call.kwargs)) > TOLERANCE:
                    there = f"{path}.{call.path}".lstrip(".")
                    return blame(call, part, there, depth + 1)
    except _MISFITS:
        # The parts don't fit into the reference's wiring, or it calls a method of theirs, for which
        # nothing stands in: it says nothing about them.
        return inside
    return inside
