"""Whether a student's numbers come of the right formula with a wrong number in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...language import course_text
from ..precision import TOLERANCES
from ..sight import Pair
from .finding import Finding
from .knowledge import Family

PROBES = 2
LOW, HIGH, STEPS = 1e-3, 1e3, 61
"""Where a number is looked for that has no name, and in how many steps of equal ratio."""
CUTS = 40
NEWTON = 6
TWO_DIGITS = 1e-6


@dataclass(frozen=True)
class Fit:
    """What reproduces an answer: the number and the factor, by name or as a number."""

    number: str
    factor: str


def family_finding(family: Family, pairs: Sequence[Pair]) -> Finding | None:
    """The one number and factor that reproduce all these answers, if there are enough of them."""
    found: list[list[Fit]] = []
    for pair in pairs:
        fits = list(_fits(family, pair))
        if fits:
            found.append(fits)
    if len(found) < PROBES or len(found) < len(pairs):
        return None
    common = [fit for fit in found[0] if all(fit in fits for fits in found[1:])]
    if not common:
        return None
    fit = common[0]
    factor = "" if fit.factor == "1" else f"{fit.factor} · "
    text = course_text(family.text).format(number=fit.number, factor=factor, right=family.right)
    return Finding(family.id, text)


def _fits(family: Family, pair: Pair) -> Iterator[Fit]:
    """Every way to say it, the likeliest first; several where lengths are alike."""
    args, kwargs = pair.given or ((), {})
    try:
        named = family.named(*args, **kwargs)
    except Exception:
        return  # called in a way that the family does not know

    def answer(number: float) -> torch.Tensor:
        return _flat(family.compute(*args, **kwargs, number=number))

    student = _flat(pair.observed)
    right = answer(named[family.right])
    if student.shape != right.shape or not bool(student.isfinite().all()):
        return
    room = _room(pair.observed, right)
    numbers: Mapping[str, float] = named
    if not any(_factor(student, answer(number), room) for number in named.values()):
        value = _searched(student, answer)
        numbers = {_plain(value): value}
    for name, number in numbers.items():
        factor = _factor(student, answer(number), room)
        if factor is None:
            continue
        for told in _names(factor, named):
            if not (math.isclose(number, named[family.right]) and told == "1"):
                yield Fit(name, told)


def _flat(value: Any) -> torch.Tensor:
    leaves = [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
    return torch.cat([leaf.detach().double().flatten() for leaf in leaves])


def _room(observed: Any, right: torch.Tensor) -> float:
    dtypes = [leaf.dtype for leaf in tree_leaves(observed) if isinstance(leaf, torch.Tensor)]
    tolerance = max((TOLERANCES.get(dtype, 0.0) for dtype in dtypes), default=0.0)
    return 2 * tolerance * max(1.0, float(right.abs().max()))


def _factor(student: torch.Tensor, answer: torch.Tensor, room: float) -> float | None:
    """What the answer has to be multiplied by to be the student's, if that is all."""
    size = float((answer * answer).sum())
    if not math.isfinite(size) or size == 0.0:
        return None
    factor = float((student * answer).sum()) / size
    return factor if bool((student - factor * answer).abs().max() <= room) else None


def _searched(student: torch.Tensor, answer: Callable[[float], torch.Tensor]) -> float:
    """The number whose answer is nearest in direction: a grid, and then cut by cut."""

    def miss(power: float) -> float:
        found = answer(math.exp(power))
        size = float(found.norm() * student.norm())
        return 1 - float((found * student).sum()) / size if size > 0 else 2.0

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
    """To the last digits, by Gauss-Newton: near the best number the angle hardly changes."""
    for _ in range(NEWTON):
        found = answer(number)
        step = 1e-4 * number
        slope = (answer(number + step) - answer(number - step)) / (2 * step)
        size = float((found * found).sum())
        if not math.isfinite(size) or size == 0.0:
            return number
        factor = float((student * found).sum()) / size
        # What a change of the number does that no other factor could.
        slope = factor * (slope - float((slope * found).sum()) / size * found)
        bend = float((slope * slope).sum())
        if not math.isfinite(bend) or bend == 0.0:
            return number
        change = float(((student - factor * found) * slope).sum()) / bend
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
