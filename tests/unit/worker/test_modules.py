"""What a worker finds below a student's module."""

from __future__ import annotations

import torch
from torch import nn

from grader.worker.modules import BUILTINS


class Odd(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])
        self.scale = torch.ones(2)

    @property
    def broken(self) -> nn.Module:
        raise KeyError("nobody home")


def test_parts_are_found_by_path_and_whatever_is_no_module_is_none() -> None:
    odd = Odd()
    paths = ["layers.0", "layers.1", "layers", "layers.2", "scale", "broken", "broken.x", "no.way"]
    found = BUILTINS["parts"](odd, paths)
    assert found[:3] == (odd.layers[0], odd.layers[1], odd.layers)
    assert found[3:] == (None,) * 5
