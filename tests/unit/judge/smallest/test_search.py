"""The search finds the smallest clearly wrong call, says its arithmetic, and wrongs nobody."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest
import torch

from grader.grade.counterexample import Counterexample
from grader.judge.checks.namespace import Student
from grader.judge.checks.probe import Probe
from grader.judge.reference.memo import Memo, Reference
from grader.judge.smallest.candidates import Candidate
from grader.judge.smallest.in_words import counterexample
from grader.judge.smallest.search import MOST_S, Budget, smallest
from grader.judge.smallest.sides import OutOfCalls, Sides
from grader.judge.smallest.small_calls import Mask, Numbers, Size, SmallCall, SmallCalls
from tests.support.clients import STEM, Definitions, local_client

COURSE = SmallCalls(
    (
        SmallCall(
            "scores",
            {"query": Numbers("S D"), "key": Numbers("L D")},
            {"scores": "S L"},
            sums={"scores": ("query", "key")},
        ),
        SmallCall("shares", {"x": Numbers("S L"), "mask": Mask("S L")}, {"weights": "S L"}),
        SmallCall("Mapped", {"x": Numbers("1 D")}, {"output": "1 D"}, made=(Size("D"),)),
    ),
    {"S": "query", "L": "key", "D": "feature"},
)
REFERENCE = """
import torch
from torch import nn

def scores(query, key):
    return query @ key.T

def shares(x, mask):
    return x.masked_fill(~mask, -torch.inf).softmax(-1)

class Mapped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.map = nn.Linear(width, width)

    def forward(self, x):
        return self.map(x)
"""


def module_of(source: str) -> types.ModuleType:
    module = types.ModuleType("reference")
    exec(source, module.__dict__)
    return module


def searched(
    student: str,
    target: str,
    clock: Callable[[], float] = lambda: 0.0,
    *,
    course: SmallCalls = COURSE,
    reference: str = REFERENCE,
) -> Counterexample | None:
    """Search among the small calls of one target, with the student's text in this process."""
    client, module = local_client(f"{reference}\n{student}")
    right = Reference(module_of(reference), Memo())
    knows: Any = Definitions(module)
    own = Student(client, knows, STEM, right.is_module)
    budget, changed = Budget(clock), lambda: client.changed
    sides = Sides(own, right, Probe(0, own, right, Memo(), client.known), budget.spend, changed)
    result = smallest(course.of([target]), sides, budget)
    return None if result is None else counterexample(result, sides.stored(result.filled), course)


def numbers_in(example: Counterexample) -> int:
    return sum(len(one.entries) for one in example.inputs)


@pytest.mark.parametrize("target", ["scores", "shares", "Mapped"])
def test_a_right_program_has_no_counterexample(target: str) -> None:
    assert searched("", target) is None


def test_a_forgotten_product_is_shown_on_two_numbers_with_its_arithmetic() -> None:
    example = searched("def scores(query, key): return (query @ key.T) * 2", "scores")

    assert example is not None
    assert example.call == "scores(query, key)"
    assert [one.text for one in example.inputs] == ["[[1]]", "[[1]]"]
    assert example.words == (
        "query 0, key 0: yours 2, expected 1",
        "the right one is 1·1 = 1",
    )


def test_a_wrong_row_is_shown_as_a_sum_and_says_what_the_mask_hides() -> None:
    example = searched("def shares(x, mask): return x.softmax(-1)", "shares")

    assert example is not None
    assert numbers_in(example) == 4
    assert example.words == ("query 0: yours 0.5 + 0.5, expected 1 + 0: key 1: hidden by the mask",)


def test_a_transposed_answer_says_both_shapes() -> None:
    example = searched("def scores(query, key): return (query @ key.T).T", "scores")

    assert example is not None
    assert example.words == ("yours has the shape (2, 1), expected (1, 2)",)
    assert example.wrong == -1


def test_an_exception_is_told_without_its_message() -> None:
    example = searched("def scores(query, key): raise ValueError('secret')", "scores")

    assert example is not None
    assert example.yours is None
    assert example.instead.startswith("raised ValueError")
    assert "secret" not in example.snippet


def test_weights_of_a_module_are_identities_under_the_students_own_names() -> None:
    student = """
class Mapped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.map = nn.Linear(width, width)

    def forward(self, x):
        return self.map(x) * 3
"""
    example = searched(student, "Mapped")

    assert example is not None
    assert [(one.name, one.text) for one in example.weights] == [
        ("map.weight", "[[1]]"),
        ("map.bias", "[0]"),
    ]
    assert numbers_in(example) == 1


@pytest.mark.parametrize(
    ("target", "student"),
    [
        ("scores", "def scores(query, key): return query @ key.T * 3"),
        ("shares", "def shares(x, mask): return x.softmax(0)"),
        ("Mapped", "class Mapped(nn.Linear):\n    def __init__(self, w): super().__init__(w, w)"),
    ],
    ids=["function", "with-a-mask", "a-module-that-is-right"],
)
def test_the_snippet_reproduces_the_answer_from_the_students_own_code(
    target: str, student: str, capsys: pytest.CaptureFixture[str]
) -> None:
    example = searched(student, target)
    own = module_of(f"{REFERENCE}\n{student}").__dict__

    if example is None:
        assert target == "Mapped"
        return
    exec(example.snippet, own)

    assert example.yours is not None
    shown = own["shown"].flatten().tolist()
    assert shown == pytest.approx([float(one) for one in example.yours.entries], abs=1e-4)


def test_a_difference_that_rounding_could_make_is_none() -> None:
    assert searched("def scores(query, key): return query @ key.T * 1.001", "scores") is None


def test_an_answer_that_another_call_changes_is_not_shown() -> None:
    student = "calls = []\ndef scores(query, key):\n    return torch.rand(len(query), len(key)) + 9"

    assert searched(student, "scores") is None


def test_a_search_on_a_machine_that_is_too_busy_shows_nothing() -> None:
    ticks = iter(range(10_000))

    wrong = "def scores(query, key): return query @ key.T * 2"
    assert searched(wrong, "scores", lambda: next(ticks) * MOST_S) is None


def test_a_budget_ends_after_its_calls() -> None:
    budget = Budget(lambda: 0.0)

    with pytest.raises(OutOfCalls):
        for _call in range(1000):
            budget.spend()


def test_right_answers_that_are_not_finite_accuse_nobody() -> None:
    from grader.judge.smallest.difference import clear_difference

    right = torch.tensor([torch.nan])
    assert clear_difference(torch.tensor([1.0]), right) is None
    assert clear_difference(torch.tensor([1.0]), torch.tensor([2.0])) is not None


def test_numbers_that_are_to_differ_differ_in_every_pattern() -> None:
    call = SmallCall("scores", {"x": Numbers("S D", distinct=True)}, {"scores": "S"})

    for pattern in range(5):
        (filled,) = Candidate(call, {"S": 2, "D": 3}, pattern).arguments()
        assert len(filled.unique()) == 6
