"""What the words of an exception tell, in the words that Python and torch really use."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
import torch
from einops import rearrange
from torch import nn

from grader.grade.evidence import Outcome
from grader.judge.checks.check_trace import CheckTrace
from grader.judge.diagnose.knowledge import Knowledge
from grader.judge.diagnose.observed import observed_causes
from grader.judge.diagnose.raised import (
    KINDS,
    may_mean_the_same,
    raised_finding,
    raised_kind,
    raised_the_same,
)

NOTHING: Any = None
NOT_CALLED: Any = nn.GELU()
A_NUMBER: Any = 3
X: Any = torch.zeros(2, 3)
Y = torch.zeros(4, 3)
ONES = torch.ones(2, 3, dtype=torch.bool)
WEIGHT = torch.zeros(3, requires_grad=True)


def saved() -> torch.Tensor:
    result = WEIGHT.exp()
    result += 1
    total: Any = result.sum()
    total.backward()
    return result


RAISING: list[tuple[str, Callable[[], object]]] = [
    ("view", lambda: X.t().view(6)),
    ("in_place", lambda: WEIGHT.add_(1)),
    ("in_place", saved),
    ("in_place", lambda: torch.zeros(1).expand(3).add_(1)),
    ("overflow", lambda: X.half().masked_fill(ONES, -1e9)),
    ("none", lambda: X + NOTHING),
    ("none", lambda: torch.logical_and(ONES, NOTHING)),
    ("elements", lambda: X.reshape(4, 4)),
    ("elements", lambda: rearrange(X, "(h w) d -> h w d", h=1, w=1)),
    ("elements", lambda: X.unflatten(1, (2, 2))),
    ("elements", lambda: X.split([1, 1], 1)),
    ("elements", lambda: torch.cat([X, torch.zeros(2, 4)])),
    ("elements", lambda: nn.LayerNorm(4)(X)),
    ("broadcast", lambda: X + torch.zeros(4)),
    ("broadcast", lambda: X.expand(3, 4)),
    ("broadcast", lambda: torch.einsum("ij,jk->ik", X, Y)),
    ("mask_as_index", lambda: X[ONES[:1]]),
    ("mask_as_index", lambda: X.numpy()[ONES[:1].numpy()]),
    ("axes", lambda: X.numpy().transpose(0, 2, 1)),
    ("product", lambda: X @ Y),
    ("product", lambda: torch.bmm(X[None], Y[None])),
    ("broadcast", lambda: X.numpy().__setitem__(0, Y.numpy()[0, :2])),
    ("dtypes", lambda: X.scatter(0, torch.zeros(1, 3).long(), X.double())),
    ("dtypes", lambda: X.half() @ X.double().t()),
    ("not_integer", lambda: nn.Embedding(3, 2)(X)),
    ("not_integer", lambda: range(X.mean().item())),
    ("between_brackets", lambda: X[X]),
    ("between_brackets", lambda: X.numpy()[X.numpy()]),
    ("not_float", lambda: torch.softmax(torch.arange(3), 0)),
    ("not_bool", lambda: X.masked_fill(X, 0)),
    ("truth", lambda: bool(X)),
    ("history", lambda: WEIGHT.numpy()),
    ("axes", lambda: X.transpose(0, 3)),
    ("axes", lambda: X[0, 0, 0]),
    ("axes", lambda: torch.bmm(X, X)),
    ("axes", lambda: rearrange(X, "b t d -> b d t")),
    ("index", lambda: X[5]),
    ("index", lambda: nn.Embedding(3, 2)(torch.tensor(5))),
    ("one_number", lambda: X.item()),
    ("device", lambda: X + X.to("meta")),
    ("arguments", lambda: X.softmax()),
    ("zero", lambda: 1 / int(X.mean() * 0)),
    ("empty", lambda: max([])),
    ("empty", lambda: reduce(torch.mul, [])),
    ("empty", lambda: torch.stack([])),
    ("name", lambda: X.rows),
    ("not_tensor", lambda: torch.dropout(NOT_CALLED, 0.1, True)),
    ("not_tensor", lambda: torch.relu(A_NUMBER)),
]


@pytest.mark.parametrize(("kind", "run"), RAISING)
def test_the_words_of_a_library_tell_the_kind(kind: str, run: Callable[[], object]) -> None:
    with pytest.raises(Exception) as raised:
        run()
    found = raised_kind(str(raised.value))
    assert found is not None
    assert found.id == f"raised.{kind}"


def test_every_kind_is_tried_and_tells_no_number() -> None:
    assert {kind.id for kind in KINDS} == {f"raised.{kind}" for kind, _ in RAISING}
    assert [
        kind.id for kind in KINDS if any(map(str.isdigit, kind.text.replace("them 1", "")))
    ] == []


def test_an_assert_of_the_code_itself_is_told_by_its_type() -> None:
    finding = raised_finding("height and width are alike", "AssertionError")
    assert finding is not None
    assert finding.id == "raised.assertion"
    assert raised_finding("height and width are alike", "ValueError") is None


@pytest.mark.parametrize("message", ["", "emb_size 30 is no multiple of 4", "no text"])
def test_other_words_tell_nothing(message: str) -> None:
    assert raised_finding(message) is None


TRANSPOSED = (
    "The size of tensor a (4) must match the size of tensor b (7) at non-singleton dimension 2",
    "The expanded size of the tensor (7) must match the existing size (4) at non-singleton "
    "dimension 1.  Target sizes: [2, 4, 7].  Tensor sizes: [7, 4]",
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (*TRANSPOSED, True),
        (TRANSPOSED[0], TRANSPOSED[0].replace("(7)", "(6)"), False),
        (TRANSPOSED[0], "mat1 and mat2 shapes cannot be multiplied (4x7 and 7x4)", False),
        ("float32 is on meta", "float32 is on meta", False),
        ("a matrix of 4 times 7", "a matrix of 4 times 7", False),
    ],
    ids=["the same lengths", "another length", "another kind", "no length", "no kind"],
)
def test_two_messages_say_the_same_if_they_speak_of_the_same_lengths(
    one: str, other: str, same: bool
) -> None:
    assert raised_the_same(one, other) is raised_the_same(other, one) is same


def test_the_lengths_of_a_product_count() -> None:
    product = "mat1 and mat2 shapes cannot be multiplied ({0}x3 and 4x{1})"
    assert raised_the_same(product.format(2, 5), product.format(2, 5))
    for others in ((3, 5), (2, 6), (22, 5)):
        assert not raised_the_same(product.format(2, 5), product.format(*others))


@pytest.mark.parametrize(
    ("other", "may"),
    [
        ("The size of tensor a (5) must match the size of tensor b (7)", True),
        ("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", True),
        ("mat1 and mat2 shapes cannot be multiplied (12x10 and 12x12)", False),
        ("Boolean value of Tensor with more than one value is ambiguous", False),
        ("98 is no multiple of 15", False),
    ],
)
def test_sizes_that_do_not_fit_are_told_in_several_ways(other: str, may: bool) -> None:
    sizes = "The size of tensor a (6) must match the size of tensor b (5)"
    assert may_mean_the_same(sizes, other) is may
    assert may_mean_the_same(other, sizes) is may
    assert may_mean_the_same(other, other)


class OneCheck:
    """As much of a check as is asked for here."""

    id, hidden = "one", True


def test_a_check_that_ended_in_an_exception_says_what_it_means() -> None:
    check: Any = OneCheck()
    words = "view size is not compatible with input tensor's size and stride (2, 3)"
    trace = CheckTrace(Outcome.STUDENT_ERROR, ("RuntimeError",), words)
    causes = observed_causes(Knowledge(), {check: trace}, {}, lambda _: None)
    assert causes["one"].id == "raised.view"
    assert causes["one"].is_observation
    assert causes["one"].text.endswith("use reshape")
