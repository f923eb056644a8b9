"""Modules of the reference that are made once: the same as made anew, or not used again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from grader.judge.reference import drawn_modules
from grader.judge.reference.drawn_modules import DrawnModule, DrawnModules


class Net(nn.Module):
    """A linear layer, a buffer, a list of sizes and a place for what a call may keep."""

    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.register_buffer("seen", torch.zeros(2))
        self.sizes = [width]
        self.kept: Any = None


class Maker:
    """Makes `Net`s with drawn weights, and counts them."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator, self.count = generator, 0

    def __call__(self, make: Callable[[], nn.Module] = Net) -> DrawnModule:
        self.count += 1
        module = make()
        values = {
            name: torch.randn(p.shape, generator=self.generator, dtype=torch.float64)
            for name, p in module.named_parameters()
        }
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                parameter.copy_(values[name])
        return DrawnModule(module, values)


class Checks:
    """One check after another, each of which asks for a module."""

    def __init__(self) -> None:
        self.modules, self.made = DrawnModules(), 0

    def run(self, made_of: tuple[Any, ...] = ("Net",), seed: int = 1, make: Any = Net) -> nn.Module:
        self.modules.take_back()
        torch.manual_seed(seed)
        generator = torch.Generator().manual_seed(seed)
        maker = Maker(generator)
        drawn = self.modules.get(made_of, generator, lambda: maker(make))
        self.made += maker.count
        self.next_draws = torch.rand(2), torch.rand(2, generator=generator)
        return drawn.module


def test_the_next_check_gets_the_same_and_both_generators_go_on_alike() -> None:
    checks = Checks()
    first = checks.run()
    draws = checks.next_draws
    assert checks.run() is first
    assert checks.made == 1
    assert all(map(torch.equal, draws, checks.next_draws))


@pytest.mark.parametrize(
    "other", [{"made_of": ("Net", 4)}, {"seed": 2}], ids=["arguments", "generators"]
)
def test_what_is_made_of_something_else_is_another(other: dict[str, Any]) -> None:
    checks = Checks()
    assert checks.run() is not checks.run(**other)
    assert checks.made == 2


def test_another_default_dtype_makes_another() -> None:
    checks = Checks()
    first = checks.run()
    torch.set_default_dtype(torch.float64)
    try:
        assert checks.run() is not first
    finally:
        torch.set_default_dtype(torch.float32)


def test_two_of_one_check_are_never_one() -> None:
    modules = DrawnModules()
    made = []
    for _time in range(2):
        torch.manual_seed(1)
        generator = torch.Generator().manual_seed(1)
        made.append(modules.get((), generator, lambda g=generator: Maker(g)()))  # type: ignore[misc]
    assert made[0].module is not made[1].module


def _through_data(net: Net) -> None:
    net.layer.weight.data[0, 0] += 1


def _in_place(net: Net) -> None:
    with torch.no_grad():
        net.layer.bias.zero_()


def _gradient(net: Net) -> None:
    net.layer(torch.ones(3)).sum().backward()


CHANGES: dict[str, Callable[[Net], object]] = {
    "a weight, in place": _in_place,
    "a weight, past autograd's counter": _through_data,
    "a gradient": _gradient,
    "a buffer": lambda net: net.seen.add_(1),  # type: ignore[operator]
    "the mode": lambda net: net.train(False),
    "the mode of a part": lambda net: net.layer.eval(),
    "the dtype": lambda net: net.double(),
    "frozen": lambda net: net.requires_grad_(False),
    "another part": lambda net: setattr(net, "layer", nn.Linear(3, 3)),
    "one part more": lambda net: net.add_module("more", nn.Identity()),
    "a list": lambda net: net.sizes.append(1),
    "kept by a call": lambda net: setattr(net, "kept", torch.ones(1)),
    "a value": lambda net: setattr(net, "kept", 1),
    "a method": lambda net: setattr(net, "forward", lambda x: x),
    "a hook": lambda net: net.layer.register_forward_hook(lambda *_: None),
    "an object": lambda net: setattr(net, "kept", object()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_was_changed_is_made_anew(change: Callable[[Net], object]) -> None:
    checks = Checks()
    first = checks.run()
    assert isinstance(first, Net)
    change(first)
    assert checks.run() is not first
    assert checks.made == 2


def _drawing_elsewhere() -> nn.Module:
    net = Net()
    net.kept = random.random()
    return net


def _with_an_object() -> nn.Module:
    net = Net()
    net.kept = object()
    return net


@pytest.mark.parametrize("make", [_drawing_elsewhere, _with_an_object])
def test_what_cannot_be_known_is_not_kept(make: Callable[[], nn.Module]) -> None:
    checks = Checks()
    assert checks.run(make=make) is not checks.run(make=make)


def test_arguments_that_are_no_plain_values_are_not_kept() -> None:
    checks = Checks()
    made_of = ("Net", {"layer": nn.Identity()})
    assert checks.run(made_of) is not checks.run(made_of)


def test_the_longest_unused_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sum(p.numel() for p in Net().parameters()) + 2
    monkeypatch.setattr(drawn_modules, "MAX_NUMBERS_KEPT", 2 * size)
    checks = Checks()
    one, two = checks.run(seed=1), checks.run(seed=2)
    assert checks.run(seed=1) is one
    checks.run(seed=3)
    assert checks.run(seed=1) is one
    assert checks.run(seed=2) is not two


def test_a_name_says_what_it_was_made_of() -> None:
    checks = Checks()
    checks.run()
    checks.run(seed=2)
    checks.modules.take_back()
    names = [*checks.modules._kept]
    assert [kept.made.name for kept in checks.modules._kept.values()] == names
    assert len({*names}) == 2
