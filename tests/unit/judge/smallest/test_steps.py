"""Steps show what no single call shows by its value, on both sides alike."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from grader.course.course import find_course
from grader.grade.counterexample import Counterexample
from grader.judge.reference.references import References
from grader.judge.smallest.difference import clear_difference
from grader.judge.smallest.small_calls import (
    Fixed,
    Numbers,
    SmallCall,
    SmallCalls,
    load_small_calls,
)
from grader.judge.smallest.steps import run_steps, used_names
from tests.unit.judge.smallest.test_search import module_of, numbers_in, searched

ROOT = Path(__file__).resolve().parents[4]
TWO = {"x": Fixed("1 2", (1, 2))}
PLAIN = SmallCall("scaled", {"x": Numbers("1 D")}, {"scaled": "1 D"})
COURSE = SmallCalls(
    (
        PLAIN,
        SmallCall(
            "scaled",
            TWO,
            {"unchanged": ""},
            steps=("before = x.clone()", "scaled(x)", "shown = x.equal(before)"),
        ),
        SmallCall(
            "scaled", TWO, {"error": ""}, steps=("shown = scaled(x[0])",), raises="ValueError"
        ),
        SmallCall(
            "Mapped",
            {},
            {"parameters": ""},
            steps=("module = Mapped(2)", "shown = sum(p.numel() for p in module.parameters())"),
        ),
        SmallCall(
            "dropped",
            TWO,
            {"answers": ""},
            steps=("shown = torch.cat([dropped(x) for _ in range(24)]).unique()",),
        ),
    )
)
REFERENCE = """
import torch
from torch import nn

def scaled(x):
    if x.dim() != 2:
        raise ValueError("two axes")
    return x * 2

def dropped(x):
    return (torch.rand_like(x) < 0.5) * 2.0

class Mapped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.map = nn.Linear(width, width)

    def forward(self, x):
        return self.map(x)
"""
CHECKED = "    if x.dim() != 2: raise ValueError\n"


def shown(student: str, target: str) -> Counterexample | None:
    return searched(student, target, course=COURSE, reference=REFERENCE)


@pytest.mark.parametrize("target", ["scaled", "Mapped", "dropped"])
def test_right_programs_have_no_counterexample(target: str) -> None:
    assert shown("", target) is None


def test_an_argument_that_is_changed_is_shown() -> None:
    example = shown(f"def scaled(x):\n{CHECKED}    return x.mul_(2)", "scaled")

    assert example is not None
    assert example.call == "before = x.clone(); scaled(x); x.equal(before)"
    assert example.words == ("unchanged: yours False, expected True",)


def test_an_error_that_is_missing_is_shown_with_its_name() -> None:
    example = shown("def scaled(x): return x * 2", "scaled")

    assert example is not None
    assert example.words == ("expected: ValueError",)
    assert (example.instead, example.expected.text) == ("no error", "ValueError")
    assert numbers_in(example) == 2


def test_another_error_than_the_one_stated_is_named() -> None:
    example = shown("def scaled(x):\n    assert x.dim() == 2\n    return x * 2", "scaled")

    assert example is not None
    assert example.instead.startswith("raised AssertionError")


def test_a_more_particular_error_is_right() -> None:
    student = "class Odd(ValueError): pass\ndef scaled(x):\n    if x.dim() != 2: raise Odd\n"

    assert shown(f"{student}    return x * 2", "scaled") is None


def test_parameters_that_are_missing_are_counted() -> None:
    student = """
class Mapped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = [nn.Linear(width, width)]

    def forward(self, x):
        return self.layers[0](x)
"""
    example = shown(student, "Mapped")

    assert example is not None
    assert example.words == ("parameters: yours 0, expected 6",)
    assert numbers_in(example) == 0


def test_what_is_drawn_at_random_is_shown_by_the_values_that_come() -> None:
    example = shown("def dropped(x): return (torch.rand_like(x) < 0.5) * 1.0", "dropped")

    assert example is not None and example.yours is not None
    assert (example.yours.text, example.expected.text) == ("[0, 1]", "[0, 2]")


def test_a_plain_call_is_shown_before_steps() -> None:
    example = shown("def scaled(x): return x * 3", "scaled")

    assert example is not None
    assert example.call == "scaled(x)"


def test_the_snippet_reproduces_the_steps() -> None:
    student = f"def scaled(x):\n{CHECKED}    return x.mul_(2)"
    example = shown(student, "scaled")
    own = module_of(f"{REFERENCE}\n{student}").__dict__

    assert example is not None
    exec(example.snippet, own)
    assert own["shown"] is False


def test_numbers_and_lengths_become_tensors() -> None:
    assert run_steps(("shown = x.shape",), {"x": torch.zeros(2, 3)}).tolist() == [2, 3]
    assert run_steps(("shown = 7",), {}).item() == 7


def test_names_inside_of_a_function_are_used_too() -> None:
    steps = ("shown = [scaled(one) for one in (lambda: given)()]",)
    assert {"scaled", "given"} <= used_names(steps)


def test_the_numbers_of_parameters_that_the_course_states_are_the_references() -> None:
    course = find_course(ROOT)
    references = References(course.root, course.rubric.assignments.values())
    modules = [references.module(stem) for stem in course.rubric.assignments.values()]
    stated = [
        call
        for call in load_small_calls(course.root, course.rubric.exercises).calls
        if call.steps and dict(call.returns) == {"parameters": ""}
    ]
    for call in stated:
        owner = next(one for one in modules if hasattr(one, call.target))
        names = {call.target: getattr(owner, call.target)}
        limit = run_steps(call.steps, names)
        without_limit = call.steps[1].partition(", ")[2].removesuffix(")")
        all_of_them = run_steps((call.steps[0], f"shown = {without_limit}"), names)
        assert (call.target, limit.item()) == (call.target, all_of_them.item())
    assert len(stated) > 20


def test_whole_numbers_differ_clearly_however_little() -> None:
    assert clear_difference(torch.tensor(480), torch.tensor(483)) is not None
    assert clear_difference(torch.tensor(480.0), torch.tensor(483.0)) is None
