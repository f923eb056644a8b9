"""Modules that were just made get shapes and plain parameters, if nothing is lost by it."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

from grader.worker.finish import finish, is_unfinished


class Half(nn.Module):
    """A weight of which only a part learns."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return torch.cat([weight[:1].detach(), weight[1:]])

    def right_inverse(self, weight: torch.Tensor) -> torch.Tensor:
        return weight


class Symmetric(nn.Module):
    """A weight that cannot be any weight."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight + weight.T


class Flipped(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight.flip(0)

    def right_inverse(self, weight: torch.Tensor) -> torch.Tensor:
        return weight.flip(0)


def parametrized(by: nn.Module) -> nn.Linear:
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", by)
    return layer


def test_a_lazy_layer_has_its_shape_after_the_first_call_and_its_mode_as_before() -> None:
    module = nn.Sequential(nn.LazyLinear(4), nn.Dropout(0.5)).eval().train()
    assert is_unfinished(module.parameters(), module.modules())
    with torch.no_grad():
        finish(module, [torch.zeros(2, 3)])
    assert not is_unfinished(module.parameters(), module.modules())
    assert module[0].weight.shape == (4, 3) and module[1].training
    assert isinstance(module[0], nn.Linear)


def test_without_inputs_a_lazy_layer_stays_as_it_is() -> None:
    module = nn.LazyLinear(4)
    finish(module, [])
    assert is_unfinished(module.parameters(), module.modules())


@pytest.mark.parametrize(
    "layer",
    [parametrized(Flipped()), parametrizations.weight_norm(nn.Linear(3, 3))],
    ids=["flipped", "weight_norm"],
)
def test_a_weight_in_other_words_becomes_plain_and_keeps_its_numbers(layer: nn.Linear) -> None:
    before = layer.weight.detach().clone()
    with torch.no_grad():  # as the judge calls it
        finish(layer, [])
    assert sorted(name for name, _ in layer.named_parameters()) == ["bias", "weight"]
    assert torch.allclose(layer.weight, before, atol=1e-6) and layer.weight.requires_grad


@pytest.mark.parametrize(
    "layer",
    [
        parametrized(Half()),
        parametrized(Symmetric()),
        parametrizations.spectral_norm(nn.Linear(3, 3)),
    ],
    ids=["half of it learns", "not any weight", "spectral_norm"],
)
def test_a_weight_that_is_no_free_weight_stays_what_it_is(layer: nn.Linear) -> None:
    before = layer.eval().weight.detach().clone()
    finish(layer, [])
    assert is_unfinished(layer.parameters(), layer.modules())
    assert torch.allclose(layer.weight, before, atol=1e-6)
