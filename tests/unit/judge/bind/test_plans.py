"""Plans are remembered, and not without end; they tell which layer is missing."""

from __future__ import annotations

import torch
from torch import nn

from grader.judge.bind import Roles
from grader.judge.bind.instances import ParameterVector
from grader.judge.bind.plan import MAX_PLANS, Plan, Plans
from grader.judge.calls.module_description import ParameterSpec


def plan() -> Plan:
    return Plan.__new__(Plan)


def test_a_plan_is_made_once() -> None:
    plans, made = Plans(), []
    for _ in range(3):
        plans.get("key", lambda: made.append(plan()) or made[-1])  # type: ignore[func-returns-value]
    assert len(made) == 1


def test_the_plan_that_was_not_asked_for_longest_goes() -> None:
    plans = Plans()
    first = plans.get("first", plan)
    for number in range(MAX_PLANS - 1):
        plans.get(number, plan)
    assert plans.get("first", plan) is first
    plans.get("one more", plan)
    assert len(plans) == MAX_PLANS
    assert plans.get("first", plan) is first


class Tower(nn.Module):
    """Two blocks of two norms, and one more norm behind them."""

    def __init__(self) -> None:
        super().__init__()
        pair = [nn.ModuleDict({"norm1": nn.LayerNorm(4), "norm2": nn.LayerNorm(4)}) for _ in "ab"]
        self.blocks, self.norm = nn.ModuleList(pair), nn.LayerNorm(4)


def test_the_norm_that_is_missing_is_the_one_behind_blocks_that_have_theirs() -> None:
    tower = Tower()
    specs = [
        ParameterSpec(f"layers.{block}.{branch}.fn.norm.{name}", torch.float64, (4,), True)
        for block in range(2)
        for branch in range(2)
        for name in ("weight", "bias")
    ]
    pieces, left = Plan(tower, specs, Roles(), ParameterVector(tower)).missing()
    assert [piece.home for piece in pieces] == ["norm"]
    assert left == []
