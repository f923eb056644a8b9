"""Define the handles that a suite uses in place of student code.

A handle is called like the code that it stands for; arguments and values cross a process boundary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

import torch
from torch import nn

from ...wire.faults import Violation
from ...wire.packing import pack
from ...wire.values import Node
from .faults import AuthorFault
from .module_description import (
    ParameterSpec,
    description_in,
    pairs_in,
    require_drawable,
    structure_in,
    value_like,
    values_by_name,
)

Parameters = Mapping[str, torch.Tensor]
Gradients = Mapping[str, torch.Tensor | None]


class Invoker(Protocol):
    """Calls a target on the other side: now, for its value, or right before the next call."""

    modules: list[RemoteModule]
    """The modules that the check made here by calling a class, in order."""

    @property
    def apart(self) -> Invoker:
        """Return what calls the same code in a process that has not seen what this one was asked.

        It may be the invoker itself, where what it calls is known not to remember anything.
        """

    def unnoticed(self) -> AbstractContextManager[None]:
        """Neither count the calls made meanwhile nor move the generator of their seeds."""

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any: ...

    def send_along(self, target: Node, args: tuple[Any, ...]) -> None: ...


class RemoteFunction:
    """A handle for a function, class or other callable of the student's."""

    def __init__(self, invoker: Invoker, target: Node, name: str) -> None:
        self._invoker, self.target, self.__name__ = invoker, target, name
        self.owner: RemoteModule | None = None
        """The module whose method it is."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._invoker.invoke(self.target, args, kwargs, {})

    @property
    def apart(self) -> RemoteFunction:
        """Return the same function in a process that has not seen what this one was asked.

        Raises:
            AuthorFault: it is a method or an object of one process.
        """
        if self.target[0] != "N":
            raise AuthorFault(f"{self.__name__} is of one process: take it from what is apart")
        return type(self)(self._invoker.apart, self.target, self.__name__)

    def __repr__(self) -> str:
        return "<RemoteFunction>"


class Bound(Protocol):
    """The link between a student's module and the reference's parameters stored in it."""

    def settle(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Look for another way of storing the parameters; return whether there is one."""

    def pose(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Ask the reference what every such look ends with, so that it can be recorded."""

    def by_role(self, gradients: Gradients) -> Mapping[str, torch.Tensor | None]:
        """Return the gradients by the reference's names and in its shapes, not the student's."""

    def needs_extra(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Name parameters of which the reference has none, if the output depends on them."""

    def blame(self, args: Sequence[Any], kwargs: Mapping[str, Any], observed: Any = None) -> str:
        """Say in words which part causes a difference; return "" if that cannot be told.

        `observed`: what the student's module gave for these arguments, if that is known.
        """


class RemoteModule:
    """A handle for a module of the student's.

    `parameters()` gives local stand-ins: gradients of calls collect on them, and what an
    optimiser changes in them is written to the student's module before the next call.
    """

    def __init__(self, invoker: Invoker, number: int, description: Mapping[str, Any]) -> None:
        self._invoker, self.target = invoker, ["H", number]
        self._mirrors: dict[str, nn.Parameter] = {}
        self._versions: dict[str, int] = {}
        self.specs: tuple[ParameterSpec, ...] = ()
        self.pair: Bound | None = None
        """The link to a module of the reference, if there is one."""
        self.is_read_by_name = False
        """True once somebody read or wrote its state under the names that the student gave it."""
        self.made_apart: Callable[[], RemoteModule] | None = None
        """Makes the same module once more in another process."""
        self._apart: RemoteModule | None = None
        self._changes: list[Callable[[RemoteModule], object]] = []
        """What was changed in this module and not yet in the one apart, in order."""
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
        """Return an attribute of the student's module: module handle, callable, tensor or value."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self.attribute(name)

    def attribute(self, name: str) -> Any:
        """Return an attribute of the student's module, even one of a name that this handle uses."""
        self._write_back()
        answer = self._ask("attribute", name)
        if isinstance(answer, RemoteFunction):
            answer.owner = self
        return answer

    def parts(self, paths: Sequence[str]) -> list[RemoteModule | None]:
        """Return the modules below this one at paths such as `layers.0`; None for anything else."""
        self._write_back()
        answer = self._ask("parts", list(paths))
        if not isinstance(answer, tuple) or len(answer) != len(paths):
            raise Violation("parts of a module")
        return [part if isinstance(part, RemoteModule) else None for part in answer]

    @property
    def apart(self) -> RemoteModule:
        """Return this module in a process that has not seen what this one was asked.

        It is made as this one was, with the same seed, and has had the same changes: what it is
        told from here, and what `write`, `load`, `train`, `to` and the like were given. What calls
        left in this module is not in that one.

        Raises:
            AuthorFault: it is not known how this module was made, as it is a part of another.
            StudentFault: it cannot be made or changed there.
        """
        if self._invoker.apart is self._invoker:
            return self
        self._write_back()
        with self._invoker.unnoticed():
            module = self._in_order()
            changes, self._changes = self._changes, []
            for change in changes:
                change(module)
        return module

    def _in_order(self) -> RemoteModule:
        """Return this module in the other process, where those before it are made before it too.

        A class may number its modules, or seed each in its turn: the second one made here must not
        be the first one there.
        """
        if self.made_apart is None:
            raise AuthorFault("a part of a module is of one process: take the whole apart")
        made = self._invoker.modules
        for earlier in made[: made.index(self)]:
            earlier._once()
        return self._once()

    def _once(self) -> RemoteModule:
        if self._apart is None:
            assert self.made_apart is not None
            self._apart = self.made_apart()
        return self._apart

    # ---- state ---------------------------------------------------------------------------

    def state(self) -> dict[str, torch.Tensor]:
        """Return the state_dict, by value: tensors of any shape."""
        self._write_back()
        self.is_read_by_name = True
        return values_by_name(self._ask("state"))

    def load(self, state: Mapping[str, torch.Tensor], strict: bool = True) -> None:
        """Call load_state_dict on the student's module, with tensors of any shape."""
        self.is_read_by_name = True
        self._describe(self._ask("load", dict(state), strict))
        kept = _kept(state)
        self._changes.append(lambda module: module.load(kept, strict))

    def write(self, values: Mapping[str, torch.Tensor]) -> None:
        """Set parameters by name, each to a tensor of its shape, leaving the others alone."""
        self._tell("write", pack(values))
        # Of many writes in a row the other process needs the last of each parameter.
        last = self._changes[-1] if self._changes else None
        earlier: Parameters = {}
        if isinstance(last, _Write):
            earlier = last.values
            self._changes.pop()
        self._changes.append(_Write({**earlier, **_kept(values)}))

    def named_parameters(self) -> list[tuple[str, nn.Parameter]]:
        """Return the stand-ins by name, holding the current values."""
        self.is_read_by_name = True
        return self.stand_ins()

    def stand_ins(self) -> list[tuple[str, nn.Parameter]]:
        """Return the same for a caller that goes by roles, and not by the student's names."""
        self._write_back()
        require_drawable(self.specs)
        values = values_by_name(self._ask("parameters"))
        for spec in self.specs:
            mirror = self._mirror(spec)
            with torch.no_grad():
                mirror.copy_(value_like(values, spec.name, mirror))
            self._versions[spec.name] = mirror._version
        return [(spec.name, self._mirror(spec)) for spec in self.specs]

    @property
    def layout(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return name and shape of each parameter that is trained, as the student wrote them."""
        return [(spec.name, tuple(spec.shape)) for spec in self.specs if spec.requires_grad]

    def parameters(self) -> list[nn.Parameter]:
        return [parameter for _other, parameter in self.named_parameters()]

    def named_buffers(self) -> list[tuple[str, torch.Tensor]]:
        """Return the student's buffers, of any shape, by name."""
        return list(values_by_name(self._ask("buffers")).items())

    def structure(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Return layers in plain containers (place and kind), and pairs of names for one module.

        For messages only: the student's side says so.
        """
        return structure_in(self._ask("structure"))

    def plain_tensors(self) -> list[tuple[str, str]]:
        """Return place and shape of tensors with two axes or more that do not move with the module.

        They are neither parameters nor buffers. The student's side says so.
        """
        return pairs_in(self._ask("plain_tensors"))

    def requires_grad_(self, wanted: bool = True) -> RemoteModule:
        """Freeze or unfreeze every parameter."""
        answer = self._ask("requires_grad", wanted)
        self._mirrors.clear()
        self._describe(answer)
        self._changes.append(lambda module: module.requires_grad_(wanted))
        return self

    def zero_grad(self) -> None:
        for mirror in self._mirrors.values():
            mirror.grad = None
        self._tell("zero_grad")

    def finish(self, inputs: Sequence[torch.Tensor]) -> None:
        """Give lazy layers their shapes by a first call, and parametrized ones plain parameters."""
        self._describe(self._ask("finish", list(inputs)))

    # ---- modes ---------------------------------------------------------------------------

    def train(self, mode: bool = True) -> RemoteModule:
        self._tell("train", mode)
        self.training = mode
        self._changes.append(lambda module: module.train(mode))
        return self

    def eval(self) -> RemoteModule:
        return self.train(False)

    def to(self, target: torch.dtype | torch.device | str) -> RemoteModule:
        """Change the dtype, or the device to `meta`; stand-ins handed out before become stale."""
        self._write_back()
        answer = self._ask("to", torch.device(target) if isinstance(target, str) else target)
        self._mirrors.clear()
        self._describe(answer)
        self._changes.append(lambda module: module.to(target))
        return self

    def prepare(self, values: Mapping[str, torch.Tensor], dtype: torch.dtype, train: bool) -> None:
        """Set dtype, mode and the named parameters, in their shapes, in one call.

        Nobody may change the values afterwards: they are written into the module apart as well.
        """
        self._mirrors.clear()
        self._tell("prepare", pack(values, dtype), dtype, train)
        self.training = train
        self._changes.append(lambda module: module.prepare(values, dtype, train))
        self.specs = tuple(
            replace(spec, dtype=dtype)
            if spec.dtype != dtype and (spec.dtype.is_floating_point or spec.dtype.is_complex)
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

    def _describe(self, answer: Any) -> None:
        description = description_in(answer)
        self.type_name, self.specs = description.type_name, description.parameters
        self.is_unfinished, self.training = description.is_unfinished, description.training

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


@dataclass(frozen=True)
class _Write:
    """A change of a module: parameters by name, each with its new values."""

    values: Parameters

    def __call__(self, module: RemoteModule) -> None:
        module.write(self.values)


def _kept(values: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return copies that no later change of the tensors reaches."""
    # Each copy has the shape of its value.
    return {name: value.detach().clone() for name, value in values.items()}
