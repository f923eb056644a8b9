"""Find mistakes that no check can tell apart: they answer alike in every call, and count once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..grade.evidence import Outcome
from .trials import Evidence, GradedTrial, Kind

_TOLERANCES = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-2, "bfloat16": 3e-2}


def alike(evidence: Evidence) -> list[tuple[str, ...]]:
    """Return groups of misconceptions with the same answers and outcomes in every check.

    Fresh checks are left aside: their inputs differ from submission to submission.
    """
    fresh = {check.id for check in evidence.checks if check.fresh}
    groups: list[list[GradedTrial]] = []
    for each in evidence.graded.values():
        if each.trial.kind is Kind.MISCONCEPTION:
            group = next((g for g in groups if _same(g[0], each, fresh)), None)
            if group is None:
                groups.append([each])
            else:
                group.append(each)
    return [tuple(sorted(g.trial.id for g in group)) for group in groups if len(group) > 1]


def _same(one: GradedTrial, other: GradedTrial, fresh: set[str]) -> bool:
    if one.trial.slugs != other.trial.slugs or one.killers != other.killers:
        return False
    observed = [
        {o.check: o.observed for o in g.observations if _is_telling(o.outcome)}
        for g in (one, other)
    ]
    return all(
        observed[0].get(check) == observed[1].get(check)
        and _same_answers(rows, other.answers[check])
        for check, rows in one.answers.items()
        if check not in fresh
    )


def _is_telling(outcome: Outcome) -> bool:
    return outcome is Outcome.FAILED


def _same_answers(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(map(_same_sketch, one, other))


def _same_sketch(one: tuple[str, list[float]], other: tuple[str, list[float]]) -> bool:
    if one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    tolerance = max((t for name, t in _TOLERANCES.items() if name in one[0]), default=1e-9)
    for start in range(0, len(one[1]), 3):
        (lost, size, weighted), theirs = one[1][start : start + 3], other[1][start : start + 3]
        near = tolerance * (1e-6 + max(size, theirs[1]))
        if lost != theirs[0] or abs(size - theirs[1]) > near or abs(weighted - theirs[2]) > near:
            return False
    return True
