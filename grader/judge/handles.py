"""What a suite holds instead of student code: the same calling surface, values cross a process."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import nn

from ..language import _
from ..wire.faults import Violation
from ..wire.tensors import DTYPES
from ..wire.values import Node, text
from .faults import CheckFailed

MAX_PARAMETER_BYTES = 256 << 20
"""Of all parameters of a module that the judge holds or draws values for."""

Parameters = Mapping[str, torch.Tensor]
Gradients = Mapping[str, torch.Tensor | None]


class Invoker(Protocol):
    """Calls a target on the other side and returns its value, or has it called before the next."""

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any: ...

    def send_along(self, target: Node, args: tuple[Any, ...]) -> None: ...


class RemoteFunction:
    """A function, class or other callable of the student's."""

    def __init__(self, invoker: Invoker, target: Node, name: str) -> None:
        self._invoker, self.target, self.__name__ = invoker, target, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._invoker.invoke(self.target, args, kwargs, {})

    def __repr__(self) -> str:
        return "<RemoteFunction>"


@dataclass(frozen=True)
class ParameterSpec:
    """One parameter of a student's module, as the worker described it."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]
    requires_grad: bool


class Bound(Protocol):
    """The reference's parameters are stored in a student's module."""

    def settle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Look for another way of storing them. True if there is one."""

    def by_role(self, gradients: Gradients) -> Mapping[str, torch.Tensor | None]:
        """Gradients by the reference's names."""

    def blame(self, args: Sequence[Any], kwargs: Mapping[str, Any], observed: Any = None) -> str:
        """Where a difference arises, in words; empty if that can't be told. `observed`: what the
        student's module gave for these arguments, if that is known."""


class RemoteModule:
    """A module of the student's.

    `parameters()` gives local stand-ins: gradients of calls collect on them, and what an
    optimiser changes in them is written to the student's module before the next call.
    """

    def __init__(self, invoker: Invoker, number: int, description: Mapping[str, Any]) -> None:
        self._invoker, self.target = invoker, ["H", number]
        self._mirrors: dict[str, nn.Parameter] = {}
        self._versions: dict[str, int] = {}
        self.specs: tuple[ParameterSpec, ...] = ()
        self.twin: Bound | None = None
        """What ties it to a module of the reference."""
        self._describe(description)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._write_back()
        parameters: Parameters = {}
        if torch.is_grad_enabled():
            require_drawable(self.specs)
            parameters = {s.name: self._mirror(s) for s in self.specs if s.requires_grad}
        return self._invoker.invoke(self.target, args, kwargs, parameters)

    def __repr__(self) -> str:
        return "<RemoteModule>"

    def __getattr__(self, name: str) -> Any:
        """An attribute of the student's module: a module handle, callable, tensor or value."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self.attribute(name)

    def attribute(self, name: str) -> Any:
        """The same for names that handles have methods of."""
        self._write_back()
        return self._ask("attribute", name)

    def parts(self, paths: Sequence[str]) -> list[RemoteModule | None]:
        """The modules below this one at some paths, `layers.0`; None for what is no module."""
        self._write_back()
        found = self._ask("parts", list(paths))
        if not isinstance(found, tuple) or len(found) != len(paths):
            raise Violation("parts of a module")
        return [part if isinstance(part, RemoteModule) else None for part in found]

    # ---- state ---------------------------------------------------------------------------

    def state(self) -> dict[str, torch.Tensor]:
        """The state_dict, by value."""
        self._write_back()
        return _by_name(self._ask("state"))

    def load(self, state: Mapping[str, torch.Tensor], strict: bool = True) -> None:
        """load_state_dict on the student's module."""
        self._describe(self._ask("load", dict(state), strict))

    def write(self, values: Mapping[str, torch.Tensor]) -> None:
        """Set parameters by name, leaving the others alone."""
        self._tell("write", {name: value.detach() for name, value in values.items()})

    def named_parameters(self) -> list[tuple[str, nn.Parameter]]:
        """Stand-ins holding the current values."""
        self._write_back()
        require_drawable(self.specs)
        values = _by_name(self._ask("parameters"))
        for spec in self.specs:
            mirror = self._mirror(spec)
            with torch.no_grad():
                mirror.copy_(_value_of(values, spec.name, mirror))
            self._versions[spec.name] = mirror._version
        return [(spec.name, self._mirror(spec)) for spec in self.specs]

    def parameters(self) -> list[nn.Parameter]:
        return [parameter for _other, parameter in self.named_parameters()]

    def named_buffers(self) -> list[tuple[str, torch.Tensor]]:
        return list(_by_name(self._ask("buffers")).items())

    def structure(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Layers in plain containers (where, and of what kind), and two names for one module.
        For messages: the student's side says so."""
        found = self._ask("structure")
        if not isinstance(found, dict):
            raise Violation("structure of a module")
        return _pairs(found.get("plain")), _pairs(found.get("shared"))

    def requires_grad_(self, wanted: bool = True) -> RemoteModule:
        """Freeze or unfreeze every parameter."""
        found = self._ask("requires_grad", wanted)
        self._mirrors.clear()
        self._describe(found)
        return self

    def zero_grad(self) -> None:
        for mirror in self._mirrors.values():
            mirror.grad = None
        self._tell("zero_grad")

    # ---- modes ---------------------------------------------------------------------------

    def train(self, mode: bool = True) -> RemoteModule:
        self._tell("train", mode)
        self.training = mode
        return self

    def eval(self) -> RemoteModule:
        return self.train(False)

    def to(self, target: torch.dtype | torch.device | str) -> RemoteModule:
        """Change dtype, or device to `meta`. Stand-ins handed out before are stale afterwards."""
        self._write_back()
        found = self._ask("to", torch.device(target) if isinstance(target, str) else target)
        self._mirrors.clear()
        self._describe(found)
        return self

    def prepare(self, values: Mapping[str, torch.Tensor], dtype: torch.dtype, train: bool) -> None:
        """Dtype, mode and the named parameters at once: what would be three calls."""
        self._mirrors.clear()
        self._tell("prepare", {name: v.detach() for name, v in values.items()}, dtype, train)
        self.training = train
        self.specs = tuple(
            replace(spec, dtype=dtype)
            if spec.dtype.is_floating_point or spec.dtype.is_complex
            else spec
            for spec in self.specs
        )

    def double(self) -> RemoteModule:
        return self.to(torch.float64)

    def float(self) -> RemoteModule:
        return self.to(torch.float32)

    def half(self) -> RemoteModule:
        return self.to(torch.float16)

    def bfloat16(self) -> RemoteModule:
        return self.to(torch.bfloat16)

    # ---- inside --------------------------------------------------------------------------

    def _ask(self, builtin: str, *args: Any) -> Any:
        with torch.no_grad():
            return self._invoker.invoke(["B", builtin], (self, *args), {}, {})

    def _tell(self, builtin: str, *args: Any) -> None:
        self._invoker.send_along(["B", builtin], (self, *args))

    def _describe(self, description: Any) -> None:
        rows = description.get("parameters") if isinstance(description, dict) else None
        if type(rows) is not list or len(rows) > 10_000:
            raise Violation("description of a module")
        self.type_name = text(description.get("type"), 200)
        self.training = description.get("training") is True
        self.specs = tuple(_spec(row) for row in rows)
        if len({spec.name for spec in self.specs}) != len(self.specs):
            raise Violation("two parameters of one name")

    def _mirror(self, spec: ParameterSpec) -> nn.Parameter:
        mirror = self._mirrors.get(spec.name)
        if mirror is None:
            data = torch.zeros(spec.shape, dtype=spec.dtype)
            is_float = spec.dtype.is_floating_point
            mirror = nn.Parameter(data, requires_grad=spec.requires_grad and is_float)
            self._mirrors[spec.name] = mirror
            self._versions[spec.name] = mirror._version
        return mirror

    def _write_back(self) -> None:
        changed = {
            name: mirror.detach()
            for name, mirror in self._mirrors.items()
            if mirror._version != self._versions[name]
        }
        if changed:
            self.write(changed)
            self._versions |= {name: self._mirrors[name]._version for name in changed}


def _pairs(rows: Any) -> list[tuple[str, str]]:
    if not isinstance(rows, list) or len(rows) > 100:
        raise Violation("structure of a module")
    pairs = []
    for row in rows:
        if not isinstance(row, tuple) or len(row) != 2 or not all(type(t) is str for t in row):
            raise Violation("structure of a module")
        pairs.append((row[0][:200], row[1][:200]))
    return pairs


def _spec(row: Any) -> ParameterSpec:
    if not isinstance(row, (list, tuple)) or len(row) != 4:
        raise Violation("description of a parameter")
    name, dtype, shape, requires_grad = row
    if type(name) is not str or len(name) > 1000 or type(dtype) is not str or dtype not in DTYPES:
        raise Violation("description of a parameter")
    if not isinstance(shape, (list, tuple)) or len(shape) > 8:
        raise Violation("shape of a parameter")
    for length in shape:
        if type(length) is not int or not 0 <= length <= 1 << 31:
            raise Violation("shape of a parameter")
    return ParameterSpec(name, DTYPES[dtype], tuple(shape), requires_grad is True)


def require_drawable(specs: Iterable[ParameterSpec]) -> None:
    """Raises CheckFailed for larger parameters than a module of any course has: a description of
    them takes a few bytes, the numbers themselves would fill the judge's memory."""
    size = sum(math.prod(spec.shape) * spec.dtype.itemsize for spec in specs)
    if size > MAX_PARAMETER_BYTES and torch.get_default_device().type != "meta":
        raise CheckFailed(
            _("the module has parameters of {size} bytes", size=f"{size:,}"),
            _("at most {size}", size=f"{MAX_PARAMETER_BYTES:,}"),
        )


def _by_name(found: Any) -> dict[str, Any]:
    """What the worker's own code answers with, unless somebody replaced it."""
    if not isinstance(found, dict) or not all(type(name) is str for name in found):
        raise Violation("values by name")
    return found


def _value_of(values: dict[str, Any], name: str, like: torch.Tensor) -> torch.Tensor:
    value = values.get(name)
    if not isinstance(value, torch.Tensor) or value.shape != like.shape:
        raise Violation("value of a parameter")
    if value.device != like.device:
        raise Violation("device of a parameter")
    return value
