"""Submissions made by machine answer as they should, whatever the answer is made of."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.course.uses import touched, uses_of
from grader.validate.wrapping import BLANKS, blank_source, drawing_source, reshaped_source
from tests.unit.samples import RUBRIC

REFERENCE = """\
import torch


def pair(x, scale=2.0):
    return x * scale, {"sum": x.sum(-1), "count": x.numel(), "kept": x > 0, "name": "x"}


class Net(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x)

    def step(self, x):
        return self._inside(x)

    def _inside(self, x):
        return x + 1
"""


def run(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    return names


@pytest.mark.parametrize(
    ("blank", "values", "count"),
    [
        ("zeros", [0.0, 0.0], 0),
        ("ones", [1.0, 1.0], 1),
        ("a constant with a gradient", [0.5, 0.5], 2),
        ("its input", [3.0, 4.0], 1),
    ],
)
def test_every_number_is_replaced_and_its_kind_kept(
    blank: str, values: list[float], count: int
) -> None:
    pair = run(blank_source(REFERENCE, ["pair"], blank))["pair"]
    doubled, rest = pair(torch.tensor([3.0, 4.0]))
    assert doubled.tolist() == values
    assert (rest["count"], rest["name"], rest["kept"].tolist()) == (count, "x", [False, False])


def test_another_shape_holds_the_same_numbers() -> None:
    pair = run(reshaped_source(REFERENCE, ["pair"]))["pair"]
    doubled, rest = pair(torch.tensor([3.0, 4.0]))
    assert doubled.tolist() == [[6.0, 8.0]]
    assert (rest["count"], rest["name"], rest["kept"].tolist()) == (2, "x", [[True, True]])


def test_random_numbers_differ_and_keep_the_shape() -> None:
    pair = run(blank_source(REFERENCE, ["pair"], "random numbers"))["pair"]
    x = torch.ones(2, 3, dtype=torch.float64)
    first, second = pair(x)[0], pair(x)[0]
    assert (first.shape, first.dtype) == (x.shape, x.dtype)
    assert not torch.equal(first, second)


def test_a_constant_carries_a_gradient_of_zero() -> None:
    pair = run(blank_source(REFERENCE, ["pair"], "a constant with a gradient"))["pair"]
    x = torch.tensor([torch.inf, 4.0], requires_grad=True)
    (gradient,) = torch.autograd.grad(pair(x)[0].sum(), x)
    assert gradient.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("blank", BLANKS)
def test_a_class_keeps_its_parameters_and_answers_blankly(blank: str) -> None:
    """In every public method; and what a target is not, stays right."""
    names = run(blank_source(REFERENCE, ["Net"], blank))
    net = names["Net"](3, 3)
    assert [name for name, _ in net.named_parameters()] == ["weight", "bias"]
    x = torch.tensor([[1.0, 2.0, 3.0]])
    right = torch.nn.functional.linear(x, net.weight, net.bias)
    assert not torch.allclose(net(x), right)
    assert not torch.allclose(net.step(x), x + 1)
    assert names["pair"](x)[0].tolist() == [[2.0, 4.0, 6.0]]


def test_random_draws_change_no_answer() -> None:
    names = run(drawing_source(REFERENCE, ["pair", "Net"]))
    torch.manual_seed(1)
    before = torch.get_rng_state()
    net = names["Net"](3, 3)
    assert not torch.equal(before, torch.get_rng_state())
    x = torch.tensor([[1.0, 2.0, 3.0]])
    assert torch.equal(net(x), torch.nn.functional.linear(x, net.weight, net.bias))
    assert names["pair"](x, scale=3.0)[0].tolist() == [[3.0, 6.0, 9.0]]


def test_a_reference_that_must_draw_draws_anew_in_each_call() -> None:
    """A suite may ask that two calls differ, as of dropout."""
    drop = run(drawing_source("import torch\ndef drop(): return torch.rand(5)\n", ["drop"]))["drop"]
    torch.manual_seed(1)
    assert not torch.equal(drop(), drop())


@pytest.mark.parametrize(
    ("definition", "slugs"),
    [
        (("s1_sums", "add"), ["s1.add", "s2.mean"]),
        (("s1_sums", "_carry"), ["s1.add", "s2.mean"]),
        (("s2_means", "Mean"), ["s2.mean"]),
        (("s2_means", "unused"), []),
    ],
)
def test_an_edit_reaches_whoever_uses_it(definition: tuple[str, str], slugs: list[str]) -> None:
    """At any distance, and in another file."""
    references = {
        "s1_sums": "TABLE = _carry(1)\ndef _carry(x): ...\ndef add(x, y): return TABLE\n",
        "s2_means": (
            "from s1_sums import add as plus\n\ndef unused(x): ...\n"
            "class Mean:\n    def all(self, x): return plus(x, x)\n"
        ),
    }
    assert touched(RUBRIC, uses_of(references), definition) == slugs
