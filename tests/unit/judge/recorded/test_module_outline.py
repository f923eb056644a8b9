"""A module built of its description has names and numbers, and no code of the course."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from torch import nn

from grader.judge.recorded.module_outline import built, described, identity


class Part(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width, self._secret = width, "hidden"
        self.table = nn.Parameter(torch.ones(width, 2), requires_grad=False)
        self.register_buffer("mask", torch.eye(2).bool(), persistent=False)
        self.register_parameter("bias", None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.width


class Whole(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads = nn.ModuleList([Part(2), Part(3)])
        self.norm = nn.LayerNorm(4, eps=1e-3)
        self.sizes = (1, 2)


def answered(module: nn.Module, *args: Any) -> str:
    return f"recorded for {type(module).__name__}"


def copy() -> Any:
    return built(json.loads(json.dumps(described(Whole()))), {"forward": answered})


def test_names_shapes_and_buffers_are_the_same() -> None:
    module, right = copy(), Whole()
    for names in ("named_parameters", "named_buffers"):
        rows = [(name, t.shape, t.requires_grad) for name, t in getattr(module, names)()]
        assert rows == [(name, t.shape, t.requires_grad) for name, t in getattr(right, names)()]
    assert module.state_dict().keys() == right.state_dict().keys()
    assert torch.equal(module.heads[0].mask, torch.eye(2).bool())
    assert [head.width for head in module.heads] == [2, 3]
    assert module.sizes == (1, 2)


def test_a_class_of_the_course_answers_what_was_recorded() -> None:
    assert copy()(torch.ones(1)) == "recorded for Whole"
    assert copy().heads[1](torch.ones(1)) == "recorded for Part"


def test_a_layer_of_torch_computes() -> None:
    norm = copy().norm
    norm.load_state_dict({"weight": torch.ones(4), "bias": torch.zeros(4)})
    x = torch.arange(4.0)
    assert torch.equal(norm(x), nn.functional.layer_norm(x, [4], eps=1e-3))


def test_no_private_attribute_is_described() -> None:
    assert "hidden" not in json.dumps(described(Whole()))


@pytest.mark.parametrize(("eps", "same"), [(1e-3, True), (1e-6, False)])
def test_modules_are_told_apart_by_their_attributes(eps: float, same: bool) -> None:
    module = copy()
    module.norm.eps = eps
    assert (identity(module) == identity(Whole())) is same
