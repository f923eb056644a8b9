"""Comparisons that record evidence: every check must make at least one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from ..evidence import Outcome
from .client import Client
from .compare import Difference, describe, difference, largest
from .faults import CheckFailed, StudentFault, StudentRaised
from .handles import RemoteFunction, RemoteModule
from .memo import Memo, ReferenceFunction, ReferenceModule, digest

TOLERANCES = {
    torch.float64: 1e-8,
    torch.float32: 1e-5,
    torch.float16: 3e-2,
    torch.bfloat16: 3e-2,
}
"""Five equivalent correct formulations differ by 1e-15, 7e-7 and 1.3e-2 in the first three."""

Function = Callable[..., Any]


class Expect:
    """What must hold. Raises `CheckFailed` with observed and expected when it does not."""

    def __init__(self, client: Client, memo: Memo, seed: int) -> None:
        self._client, self._memo, self._seed = client, memo, seed
        self.count = 0
        self.notes: list[str] = []
        self.precision: str | None = None

    # ---- against the reference -----------------------------------------------------------

    def matches(self, student: Function, reference: Function, *args: Any, **kwargs: Any) -> None:
        """Values agree in the inputs' dtype, or else in a float32 run (which adds a note)."""
        self.count += 1
        with torch.no_grad():
            expected = reference(*args, **kwargs)
            tolerance = _tolerance(expected)

            def attempt() -> Difference | None:
                observed = student(*args, **kwargs)
                return difference(observed, expected, atol=tolerance, rtol=tolerance)

            def attempt_single() -> Difference | None:
                single_args, single_kwargs = tree_map(_to_single, (args, kwargs))
                wide = tree_map(_to_double, (single_args, single_kwargs))
                observed = tree_map(_to_double, student(*single_args, **single_kwargs))
                single = TOLERANCES[torch.float32]
                expected = tree_map(_to_double, reference(*wide[0], **wide[1]))
                return difference(observed, expected, atol=single, rtol=single)

            self._either(student, tolerance, attempt, attempt_single)

    def gradients(self, student: Function, reference: Function, *args: Any, **kwargs: Any) -> None:
        """Gradients of a drawn weighting of the outputs agree, for every floating-point argument
        and, for modules, every parameter."""
        self.count += 1
        expected = self._reference_gradients(reference, args, kwargs)
        tolerance = _tolerance(args)

        def attempt() -> Difference | None:
            found = self._student_gradients(student, reference, args, kwargs)
            return _gradient_difference(found, expected, tolerance)

        def attempt_single() -> Difference | None:
            single_args, single_kwargs = tree_map(_to_single, (args, kwargs))
            found = self._student_gradients(student, reference, single_args, single_kwargs)
            wide = {name: _to_double(value) for name, value in found.items()}
            return _gradient_difference(wide, expected, 10 * TOLERANCES[torch.float32])

        self._either(student, tolerance, attempt, attempt_single)

    def _either(
        self,
        student: Function,
        tolerance: float,
        attempt: Callable[[], Difference | None],
        attempt_single: Callable[[], Difference | None],
    ) -> None:
        problem: StudentFault | None = None
        try:
            found = attempt()
            if found is None:
                self.precision = self.precision or "float64"
                return
            problem = CheckFailed(found.observed, found.expected)
            may_retry = found.kind in ("dtype", "value")
        except StudentRaised as fault:
            problem = fault
            may_retry = "RuntimeError" in fault.bases
        may_retry = may_retry and tolerance == TOLERANCES[torch.float64]
        if may_retry and self._agrees_in_single(student, attempt_single):
            return
        raise problem

    def _agrees_in_single(
        self, student: Function, attempt: Callable[[], Difference | None]
    ) -> bool:
        if not isinstance(student, (RemoteFunction, RemoteModule)):
            return False
        try:
            if isinstance(student, RemoteModule):
                student.to(torch.float32)
            if attempt() is not None:
                return False
            if isinstance(student, RemoteModule):
                student.to(torch.float64)
        except StudentFault:
            return False
        self.precision = "float32"
        self.notes.append("computes in float32")
        return True

    def _reference_gradients(
        self, reference: Function, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> dict[str, torch.Tensor | None]:
        def compute() -> dict[str, torch.Tensor | None]:
            return self._gradients(reference, reference, args, kwargs)

        if isinstance(reference, (ReferenceFunction, ReferenceModule)):
            key = reference.key(*args, **kwargs)
            full = digest("gradients", self._seed, str(key)) if key is not None else None
            found: dict[str, torch.Tensor | None] = self._memo.get(full, compute)
            return found
        return compute()

    def _student_gradients(
        self, student: Function, reference: Function, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> dict[str, torch.Tensor | None]:
        return self._gradients(student, reference, args, kwargs)

    def _gradients(
        self, function: Function, reference: Function, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> dict[str, torch.Tensor | None]:
        with torch.enable_grad():
            leaves, (args, kwargs) = _leaves(args, kwargs, _names(reference, args))
            outputs = [o for o in tree_leaves(function(*args, **kwargs)) if _is_float(o)]
            for output in outputs:
                _require_floats(output, "output")
            generator = torch.Generator().manual_seed(self._seed)
            total = _weighted_sum(outputs, generator)
            sources = {**leaves, **_parameters(function)}
        if not sources:
            raise ValueError("no floating-point argument or parameter to differentiate by")
        if total is None or not total.requires_grad:
            raise CheckFailed("the result carries no gradient (detached?)", "a gradient")
        found = torch.autograd.grad(total, list(sources.values()), allow_unused=True)
        return dict(zip(sources, found, strict=True))

    # ---- plain properties ----------------------------------------------------------------

    def close(
        self, observed: Any, expected: Any, what: str = "output", atol: float | None = None
    ) -> None:
        """The numbers of two trees of tensors agree, as far as the coarser dtype can tell."""
        self.count += 1
        tolerance = _tolerance((observed, expected)) if atol is None else atol
        wide = [tree_map(_to_double, tree) for tree in (observed, expected)]
        found = difference(*wide, atol=tolerance, rtol=tolerance, what=what)
        if found is not None:
            raise CheckFailed(found.observed, found.expected)

    def shape(self, tensor: Any, shape: Sequence[int], what: str = "output") -> None:
        self.count += 1
        self._tensor(tensor, what, f"a tensor of shape {tuple(shape)}")
        if tuple(tensor.shape) != tuple(shape):
            raise CheckFailed(f"{what} has shape {tuple(tensor.shape)}", f"shape {tuple(shape)}")

    def floats(self, tensor: Any, shape: Sequence[int], what: str = "output") -> None:
        """Numbers that the check can go on to compute with: a floating-point tensor of that
        shape, and not on the meta device."""
        self.shape(tensor, shape, what)
        _require_floats(tensor, what)

    def dtype(self, tensor: Any, dtype: torch.dtype, what: str = "output") -> None:
        self.count += 1
        self._tensor(tensor, what, f"a tensor of {dtype}")
        if tensor.dtype != dtype:
            names = [str(d).removeprefix("torch.") for d in (tensor.dtype, dtype)]
            raise CheckFailed(f"{what} has dtype {names[0]}", f"dtype {names[1]}")

    def finite(self, tensor: Any, what: str = "output") -> None:
        """No NaN and no infinity."""
        self.count += 1
        self._tensor(tensor, what, "a tensor")
        if tensor.is_meta:
            raise CheckFailed(f"{what} is on the meta device", "values")
        wrong = (~tensor.isfinite()).nonzero()
        if len(wrong):
            place = wrong[0].tolist()
            name = "NaN" if bool(tensor[tuple(place)].isnan()) else "infinity"
            raise CheckFailed(f"{what} is {name} at {place}", "finite values")

    def true(self, condition: Any, observed: str, expected: str) -> None:
        self.count += 1
        if not bool(condition):
            raise CheckFailed(observed, expected)

    def items(self, value: Any, count: int, what: str = "result") -> tuple[Any, ...]:
        """`value` as a tuple of `count` items."""
        self.count += 1
        if not isinstance(value, (tuple, list)) or len(value) != count:
            raise CheckFailed(f"{what} is {describe(value)}", f"a tuple of {count} items")
        return tuple(value)

    def raises(
        self,
        error: type[Exception],
        function: Function,
        *args: Any,
        mentions: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """The call raises `error` with a message that contains every text in `mentions`."""
        self.count += 1
        wanted = error.__name__
        if mentions:
            wanted += " with a message that contains " + " and ".join(mentions)
        try:
            value = function(*args, **kwargs)
        except StudentRaised as fault:
            if fault.outcome is Outcome.NOT_ATTEMPTED:
                raise
            if error.__name__ not in (fault.type_name, *fault.bases):
                raise CheckFailed(fault.observed, wanted, where=fault.where) from None
            missing = [text for text in mentions if text not in fault.message]
            if missing:
                observed = f"{fault.type_name} without {' and '.join(missing)} in its message"
                raise CheckFailed(observed, wanted, where=fault.where) from None
            return
        raise CheckFailed(f"returned {describe(value)}", wanted)

    def unchanged(self, student: Function, *args: Any, **kwargs: Any) -> Any:
        """The call modifies none of its inputs. Returns its result."""
        self.count += 1
        value = student(*args, **kwargs)
        if self._client.changed:
            names = _names(student, args)
            told = [_friendly(label, names) for label in self._client.changed]
            raise CheckFailed(f"modified its input: {', '.join(told)}", "inputs left as they were")
        return value

    def within_memory(self, mib: int, student: Function, *args: Any, **kwargs: Any) -> Any:
        """The call gets by with `mib` MiB beyond what its process holds when it begins. Returns its
        result. For checks marked `alone`: the limit stays until the check ends."""
        self.count += 1
        self.notes += self._client.limit_memory(mib)
        try:
            return student(*args, **kwargs)
        except StudentRaised as fault:
            if not fault.is_out_of_memory:
                raise
            observed, wanted = f"needs more than {mib} MiB of memory", f"at most {mib} MiB"
            raise CheckFailed(observed, wanted, where=fault.where) from None

    def _tensor(self, value: Any, what: str, wanted: str) -> None:
        if not isinstance(value, torch.Tensor):
            raise CheckFailed(f"{what} is {describe(value)}", wanted)


def _require_floats(tensor: torch.Tensor, what: str) -> None:
    if tensor.is_meta:
        raise CheckFailed(f"{what} is on the meta device", "values")
    if not tensor.is_floating_point():
        name = str(tensor.dtype).removeprefix("torch.")
        raise CheckFailed(f"{what} has dtype {name}", "a floating-point dtype")


def _tolerance(expected: Any) -> float:
    known = [TOLERANCES[t.dtype] for t in tree_leaves(expected) if _is_float(t)]
    return max(known, default=TOLERANCES[torch.float64])


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _to_single(value: Any) -> Any:
    return value.to(torch.float32) if _is_float(value) else value


def _to_double(value: Any) -> Any:
    return value.to(torch.float64) if _is_float(value) else value


def _names(reference: Function, args: Sequence[Any]) -> list[str]:
    try:
        parameters = inspect.signature(reference).parameters.values()
        names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    except (TypeError, ValueError):
        names = []
    return names if len(names) >= len(args) else [f"argument {i + 1}" for i in range(len(args))]


def _friendly(label: str, names: list[str]) -> str:
    for position, name in enumerate(names):
        if label == f"argument {position + 1}":
            return name
    return label


def _leaves(
    args: Sequence[Any], kwargs: dict[str, Any], names: list[str]
) -> tuple[dict[str, torch.Tensor], tuple[list[Any], dict[str, Any]]]:
    """Copies of the floating-point tensors among the arguments that collect gradients."""
    leaves: dict[str, torch.Tensor] = {}

    def leaf(value: Any, name: str) -> Any:
        if not _is_float(value):
            return value
        leaves[name] = value.detach().clone().requires_grad_()
        # Not the leaf itself: in-place operations on a leaf raise, and a changed input is a
        # mistake of its own that costs its points elsewhere.
        return leaves[name] * 1

    new_args = [leaf(value, names[position]) for position, value in enumerate(args)]
    return leaves, (new_args, {name: leaf(value, name) for name, value in kwargs.items()})


def _parameters(function: Function) -> dict[str, torch.Tensor]:
    if isinstance(function, (RemoteModule, ReferenceModule)):
        return {name: p for name, p in function.named_parameters() if p.requires_grad}
    return {}


def _weighted_sum(outputs: list[Any], generator: torch.Generator) -> torch.Tensor | None:
    terms = []
    for output in outputs:
        weight = torch.randn(output.shape, generator=generator, dtype=torch.float64)
        terms.append((output * weight.to(output.dtype)).sum())
    return sum(terms[1:], terms[0]) if terms else None


def _gradient_difference(
    found: dict[str, torch.Tensor | None],
    expected: dict[str, torch.Tensor | None],
    tolerance: float,
) -> Difference | None:
    scale = max(1.0, largest(list(expected.values())))
    for name, wanted in expected.items():
        got = found.get(name)
        if wanted is None:
            continue
        if got is None:
            if float(wanted.abs().max()) == 0.0:
                continue
            return Difference("none", f"no gradient reaches {name}", f"a gradient of {name}")
        what = f"the gradient of {name}"
        problem = difference(got, wanted, atol=tolerance * scale, rtol=0.0, what=what)
        if problem is not None:
            return problem
    return None
