"""Edits that are learnt from known mistakes: what becomes a rule, and where a rule is tried."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.validate.data import read_course
from grader.validate.edits.generation import mutants
from grader.validate.edits.learnt import LearntRule, operators, rules
from grader.validate.lens.candidates import MOST_LEARNT, CandidateEdit, Candidates
from tests.unit.validate.test_edits import program

TOY = Path(__file__).resolve().parents[2] / "toy_course"


def function(*lines: str) -> ast.AST:
    return ast.parse("\n    ".join(["def f(a, b):", *lines])).body[0]


def rule(right: list[str], wrong: list[str], id: str = "known") -> tuple[LearntRule, ...]:
    return rules([(id, function(*right), function(*wrong))])


def made(learnt: tuple[LearntRule, ...], body: str) -> set[str]:
    """What rules write in a function of x, y and mask, on one line."""
    return {one.after for one in mutants(program(body), operators=operators(learnt))}


@pytest.mark.parametrize(
    ("right", "wrong", "body", "after"),
    [
        # a result that is changed: tried on whole values and on operands
        (["return a"], ["return a.float()"], "return f(x)", {"f(x).float()", "x.float()"}),
        # names are open, and so are whole numbers that stay
        (
            ["return a.sum(dim=1) / b"],
            ["return a.sum(dim=1) / b.numel()"],
            "return x.sum(dim=-2) / y",
            {"y.numel()"},
        ),
        (
            ["return a.sum(dim=1).exp()"],
            ["return a.mean(dim=1).exp()"],
            "return x.sum(dim=-2) / y",
            {"x.mean"},
        ),
        # what does not stay must be there
        (["return a ** -0.5"], ["return a ** 0.5"], "return x ** -0.5", {"0.5"}),
        (["return a ** -0.5"], ["return a ** 0.5"], "return x ** -0.25", set()),
        # statements, with names of their own
        (
            ["c = a * b", "return c.sum()"],
            ["c = a * b", "c = c / 2", "return c.sum()"],
            "return x * y",
            {"x = x / 2 return x * y", "result_ = x * y x = x / 2 return result_"},
        ),
        (
            ["return a * b"],
            ["for c in (a,):", "    c.mul_(2.0)", "return a * b"],
            "return x",
            {"for c in (x,): c.mul_(2.0) return x"},
        ),
        # an added step that makes a value anew: tried on every value, and after what it uses
        (
            ["c = a * b", "return c.sum()"],
            ["c = a * b", "c = c.relu()", "return c.sum()"],
            "return f(x) @ y",
            {"(f(x) @ y).relu()", "y.relu()"},
        ),
        (
            ["c = a * b", "return c"],
            ["c = a * b", "c.mul_(2.0)", "return c"],
            "z = f(x)\nw = g(z)\nreturn w + y",
            {"z = f(x) z.mul_(2.0)"},
        ),
        # one name for another goes with what is around it
        (["return a @ b"], ["return b @ b"], "return x @ y", {"y @ y"}),
        (["return a @ b"], ["return b @ b"], "return x * y", set()),
        # another signature, another definition: about one exercise alone
        (["return a"], ["raise ValueError(a)"], "return x", set()),
    ],
)
def test_a_rule_is_tried_where_the_same_form_stands(
    right: list[str], wrong: list[str], body: str, after: set[str]
) -> None:
    found = made(rule(right, wrong), body)
    assert after <= found
    assert after or not found


def test_an_edit_says_of_which_known_mistake_it_is() -> None:
    learnt = rule(["return a"], ["return a.float()"], "heads.in_float32")
    (first, *_others) = mutants(program("return x"), operators=operators(learnt))
    assert first.operator == "as heads.in_float32"


def test_rules_that_say_where_they_belong_come_first_and_then_the_commonest() -> None:
    right = function("c = a + b", "return c.sum(dim=1)")
    pairs = [
        ("rare", right, function("c = a + b", "return c.sum(dim=1).abs()")),
        ("often", function("return a"), function("return a.half()")),
        ("often_too", function("return b"), function("return b.half()")),
        ("specific", function("return (a @ b).exp()"), function("return (a @ b).exp() - 1")),
    ]
    learnt = rules(pairs)
    found = [(one.id, one.times) for one in learnt]
    assert found == [("specific", 1), ("rare", 1), ("often", 2)]


def test_a_course_learns_edits_that_neither_the_bank_nor_the_grammar_has_there() -> None:
    candidates = Candidates(read_course(find_course(TOY), ("f1.blur",)), "f1.blur")
    learnt = [one.source for one in candidates.learnt]

    assert 0 < len(learnt) <= MOST_LEARNT
    assert len(learnt) == len(set(learnt))
    assert not {one.source for one in (*candidates.single, *candidates.wider)} & set(learnt)


def test_what_is_kept_between_calls_is_not_judged_by_one_check() -> None:
    kept = CandidateEdit("f1", "blur", "", ("kept from the first call: a -> b",), (1,))
    other = CandidateEdit("f1", "blur", "", ("another axis: 0 -> 1",), (1,))
    assert kept.remembers
    assert not other.remembers
