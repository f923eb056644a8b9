"""Names of the rubric are looked up where they are: in the reference, and in libraries."""

from __future__ import annotations

from types import ModuleType

import pytest

from grader.judge.checks.rubric_names import unknown_names
from grader.messages.exercise_plan import ExercisePlan


@pytest.fixture
def reference() -> ModuleType:
    module = ModuleType("reference.t1_toy")
    exec("import math\n\ndef work(x):\n    return x\n\nclass Net:\n    pass\n", vars(module))
    return module


def unknown(
    reference: ModuleType, *banned: str, targets: tuple[str, ...] = ("work",)
) -> list[list[object]]:
    plan = ExercisePlan("t1.toy", "t1_toy", targets, (), frozenset(), banned=banned)
    rows = unknown_names([plan], {"t1_toy": reference})
    return [[[*row.trail[2:]], row.owner, row.name] for row in rows]


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.Tensor.softmax",
        "torch.nn.attention.flex_attention.flex_attention",
        "sorted",
        "math",
        "t1_toy.work",
        "a_library_that_is_not_here.attention",
    ],
)
def test_what_can_be_used_may_be_banned(reference: ModuleType, name: str) -> None:
    assert unknown(reference, name) == []


@pytest.mark.parametrize(
    ("name", "owner", "missing"),
    [
        ("torch.nn.functional.softmx", "torch.nn.functional", "softmx"),
        ("torch.nm.MultiheadAttention", "torch", "nm"),
        ("troch.bmm", "this machine", "troch"),
        ("scaled_dot_product_attention", "Python", "scaled_dot_product_attention"),
    ],
)
def test_a_banned_name_that_means_nothing_is_told(
    reference: ModuleType, name: str, owner: str, missing: str
) -> None:
    assert unknown(reference, "torch.bmm", name) == [[["banned", 1], owner, missing]]


def test_a_target_that_the_reference_lacks_is_told(reference: ModuleType) -> None:
    plan = ExercisePlan("t1.toy", "t1_toy", ("work", "Nett"), (), frozenset())
    (row,) = unknown_names([plan], {"t1_toy": reference})
    assert row.trail == ("exercises", "t1.toy", "targets", 1)
    assert row.options == ("Net", "work")
