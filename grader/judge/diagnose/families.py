"""Recognise answers of the right formula with a wrong number or a wrong factor in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...text.language import course_text
from ..checks.check_trace import FailedComparison
from ..compare.precision import TOLERANCES
from .finding import Finding
from .knowledge import Family

PROBES = 2
LOW, HIGH, STEPS = 1e-3, 1e3, 61
"""Range of the search for a number that has no name, and its number of grid points, which are in
steps of equal ratio."""
CUTS = 40
NEWTON = 6
TWO_DIGITS = 1e-6


@dataclass(frozen=True)
class Fit:
    """A number and a factor that reproduce an answer, each by name or in digits."""

    number: str
    factor: str


def family_finding(family: Family, failures: Sequence[FailedComparison]) -> Finding | None:
    """Find the one number and factor that reproduce all these answers, if they are enough."""
    fits_of_each: list[list[Fit]] = []
    for failure in failures:
        fits = list(_fits(family, failure))
        if fits:
            fits_of_each.append(fits)
    if len(fits_of_each) < PROBES or len(fits_of_each) < len(failures):
        return None
    common = [fit for fit in fits_of_each[0] if all(fit in fits for fits in fits_of_each[1:])]
    if not common:
        return None
    fit = common[0]
    factor = "" if fit.factor == "1" else f"{fit.factor} · "
    text = course_text(family.text, number=fit.number, factor=factor, right=family.right)
    return Finding(family.id, text)


def _fits(family: Family, failure: FailedComparison) -> Iterator[Fit]:
    """Yield every number and factor that reproduce one answer, the likeliest first.

    They are several where lengths are alike.
    """
    args, kwargs = failure.given or ((), {})
    try:
        named = family.named(*args, **kwargs)
    except Exception:
        return  # called in a way that the family does not know

    def answer(number: float) -> torch.Tensor:
        # Returns (N,).
        return _flat(family.compute(*args, **kwargs, number=number))

    student = _flat(failure.observed)
    right = answer(named[family.right])
    if student.shape != right.shape or student.is_meta or right.is_meta:
        return
    if not bool(student.isfinite().all()):
        return
    room = _room(failure.observed, right)
    numbers: Mapping[str, float] = named
    if not any(_factor(student, answer(number), room) for number in named.values()):
        value = _searched(student, answer)
        numbers = {_plain(value): value}
    for name, number in numbers.items():
        factor = _factor(student, answer(number), room)
        if factor is None:
            continue
        for factor_name in _names(factor, named):
            if not (math.isclose(number, named[family.right]) and factor_name == "1"):
                yield Fit(name, factor_name)


def _flat(value: Any) -> torch.Tensor:
    # Returns (N,), the numbers of all tensors one after the other.
    leaves = [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
    numbers = [leaf.detach().double().flatten() for leaf in leaves]
    return torch.cat(numbers) if numbers else torch.empty(0, dtype=torch.float64)


def _room(observed: Any, right: torch.Tensor) -> float:
    # right: (N,).
    dtypes = [leaf.dtype for leaf in tree_leaves(observed) if isinstance(leaf, torch.Tensor)]
    tolerance = max((TOLERANCES.get(dtype, 0.0) for dtype in dtypes), default=0.0)
    return 2 * tolerance * max(1.0, float(right.abs().max()))


def _factor(student: torch.Tensor, answer: torch.Tensor, room: float) -> float | None:
    """Return the factor that turns the answer into the student's; None if no factor does.

    Both are (N,), and `room` is the largest difference allowed.
    """
    size = float((answer * answer).sum())
    if not math.isfinite(size) or size == 0.0:
        return None
    factor = float((student * answer).sum()) / size
    return factor if bool((student - factor * answer).abs().max() <= room) else None


def _searched(student: torch.Tensor, answer: Callable[[float], torch.Tensor]) -> float:
    """Find the number whose answer (N,) is nearest in direction: on a grid, then by thirds."""

    def miss(power: float) -> float:
        candidate = answer(math.exp(power))
        size = float(candidate.norm() * student.norm())
        return 1 - float((candidate * student).sum()) / size if size > 0 else 2.0

    low, high = math.log(LOW), math.log(HIGH)
    step = (high - low) / (STEPS - 1)
    best = min((low + i * step for i in range(STEPS)), key=miss)
    left, right = best - step, best + step
    for _ in range(CUTS):
        third = (right - left) / 3
        if miss(left + third) <= miss(right - third):
            right -= third
        else:
            left += third
    return _refined(student, answer, math.exp((left + right) / 2))


def _refined(
    student: torch.Tensor, answer: Callable[[float], torch.Tensor], number: float
) -> float:
    """Refine the number to the last digits by Gauss-Newton.

    It was found by the angle between two answers, which hardly changes near the best number.
    """
    # student and each answer: (N,).
    for _ in range(NEWTON):
        current = answer(number)
        step = 1e-4 * number
        slope = (answer(number + step) - answer(number - step)) / (2 * step)
        size = float((current * current).sum())
        if not math.isfinite(size) or size == 0.0:
            return number
        factor = float((student * current).sum()) / size
        # What a change of the number does that no other factor could.
        slope = factor * (slope - float((slope * current).sum()) / size * current)
        bend = float((slope * slope).sum())
        if not math.isfinite(bend) or bend == 0.0:
            return number
        change = float(((student - factor * current) * slope).sum()) / bend
        if not math.isfinite(change) or abs(change) > number / 2:
            return number
        number += change
    return number


def _names(value: float, named: Mapping[str, float]) -> Iterator[str]:
    if math.isclose(value, 1.0, rel_tol=TWO_DIGITS):
        yield "1"
    for name, number in named.items():
        if name != "1" and math.isclose(value, number, rel_tol=TWO_DIGITS):
            yield name
    yield _plain(value)


def _plain(value: float) -> str:
    return f"{value:.4g}"
