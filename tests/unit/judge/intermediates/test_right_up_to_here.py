"""The last right line of a wrong program is named; of a right or another one nothing is said."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from grader.grade.evidence import Where
from grader.grade.right_lines import RightAnswer, RightLines
from grader.judge.calls.client import LocalClient
from grader.judge.checks.namespace import Student
from grader.judge.checks.probe import Probe
from grader.judge.intermediates.draws import RecordingSides
from grader.judge.intermediates.right_up_to_here import right_up_to_here
from grader.judge.reference.memo import Memo, Reference
from grader.judge.smallest.small_calls import Mask, Numbers, Size, SmallCall
from tests.support.clients import STEM, Definitions, local_client

FOLDER = Path("/course/reference")
CALLS = {
    "mix": SmallCall(
        "mix",
        {"query": Numbers("S D"), "key": Numbers("L D"), "mask": Mask("S L")},
        {"shares": "S L"},
    ),
    "Mapped": SmallCall("Mapped", {"x": Numbers("B T D")}, {"output": "B T D"}, made=(Size("D"),)),
}
REFERENCE = """
import torch
from torch import nn

def mix(query, key, mask, shift=1):
    scores = query @ key.T / 5
    hidden = scores.masked_fill(~mask, -torch.inf)
    return hidden.softmax(-1) + shift

class Mapped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)

    def forward(self, x):
        one = self.first(x)
        two = self.second(x)
        return one.relu() + two
"""
ELSEWHERE = """
class Mapped(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)

    def forward(self, x):
"""


def reference(text: str) -> Reference:
    module = ModuleType("reference")
    code = compile(textwrap.dedent(text), str(FOLDER / "reference.py"), "exec")
    exec(code, module.__dict__)
    return Reference(module, Memo())


def lines(
    target: str,
    student: str,
    calls: Sequence[SmallCall] | None = None,
    right_text: str = REFERENCE,
) -> RightLines | None:
    """Return what is said of a student's text, in this process."""
    torch.manual_seed(0)
    text = "import torch\nfrom torch import nn\n" + textwrap.dedent(student)

    class TextClient(LocalClient):
        def own_text(self, where: Where, start: int, end: int) -> str:
            return text.split("\n")[(where.line or 1) - 1][start:end]

    client, module = local_client(text, TextClient)
    right, knows = reference(right_text), Definitions(module)
    definitions: Any = knows
    own = Student(client, definitions, STEM, right.is_module)
    probe = Probe(0, own, right, Memo(), client.known)
    sides = RecordingSides(client, own, right, probe, FOLDER)
    return right_up_to_here(calls or [CALLS[target]], sides, 5, None)


def told(target: str, student: str) -> tuple[Any, ...]:
    result = lines(target, student)
    assert result is not None
    last = result.values[-1]
    after = None if result.nothing_from is None else result.nothing_from.line
    return last.where.line, last.text, tuple(last.likeness), after


def test_the_last_right_name_is_told_and_where_nothing_matches_any_more() -> None:
    student = """
    def mix(q, k, allowed):
        raw = torch.einsum("sd,ld->sl", q, k)
        scaled = raw / 5
        wrong = scaled.masked_fill(allowed, -1.0)
        return wrong.softmax(-1) + 1
    """
    assert told("mix", student) == (6, "scaled", (), 7)


def test_a_value_that_is_stored_otherwise_is_right_all_the_same() -> None:
    student = """
    def mix(q, k, allowed):
        turned = k @ q.T
        return turned.softmax(0).T
    """
    assert told("mix", student) == (5, "turned", ("transposed",), 6)


def test_a_line_that_changes_nothing_is_not_told_as_right() -> None:
    student = """
    def mix(q, k, allowed):
        scores = q @ k.T / 5
        scores = scores.masked_fill(allowed & ~allowed, -torch.inf)
        return scores.softmax(-1) + 1
    """
    assert told("mix", student) == (5, "scores", (), 7)


def test_a_multiple_of_an_earlier_value_is_no_merit_of_its_own_line() -> None:
    student = """
    def mix(q, k, allowed):
        scores = q @ k.T / 5
        return torch.sigmoid(1.7 * scores)
    """
    assert told("mix", student) == (5, "scores", (), 6)


def test_a_product_that_is_right_but_for_a_factor_is_not_told() -> None:
    student = """
    def mix(q, k, allowed):
        gates = torch.sigmoid(1.7 * (q @ k.T))
        return gates * 2
    """
    assert told("mix", student) == (5, "q @ k.T", (), 6)


def test_a_name_that_a_line_halves_is_told_before_that_line() -> None:
    student = """
    def mix(q, k, allowed):
        scores = q @ k.T / 5
        scores = scores * 0.5
        return scores.softmax(-1)
    """
    assert told("mix", student)[:3] == (5, "scores", ())


def test_a_multiple_of_what_was_given_is_not_compared_with_a_view_of_it() -> None:
    right = REFERENCE + "\ndef first(x):\n    row = x[:, 0]\n    return row.exp() + x.sum()\n"
    student = """
    def first(x):
        row = x[:, 0] / 2
        return row.exp() + x.sum()
    """
    call = SmallCall("first", {"x": Numbers("S T D")}, {"sums": "S D"})
    assert lines("mix", student, [call], right) is None


def test_a_line_has_to_be_right_on_further_draws_too() -> None:
    student = """
    def mix(q, k, allowed, calls=[]):
        calls.append(q)
        scores = q @ k.T / 5
        hidden = scores.masked_fill(~allowed, -torch.inf if len(calls) < 4 else -1.0)
        return hidden.softmax(-1)
    """
    assert told("mix", student) == (6, "scores", (), 7)


def test_a_forgotten_factor_is_told_as_one() -> None:
    student = """
    def mix(q, k, allowed):
        hidden = (q @ k.T).masked_fill(~allowed, -torch.inf)
        return hidden.softmax(-1) + 1
    """
    assert told("mix", student) == (5, "hidden", ("scaled",), 6)


def test_a_loop_over_rows_shares_no_intermediate_and_nothing_is_said() -> None:
    student = """
    def mix(q, k, allowed):
        rows = []
        for n in range(len(q)):
            total = torch.tensor([sum(a * b for a, b in zip(q[n], key)) for key in k])
            rows.append(total.exp() / total.exp().sum())
        return torch.stack(rows)
    """
    assert lines("mix", student) is None


@pytest.mark.parametrize(
    "body",
    [
        "return q @ k.T",
        "inner = q.clone()\n        other = k.T.contiguous()\n        return inner @ other * 0",
        "inner = q * 3\n        return torch.zeros(len(q), len(k))",
        "inner = torch.ones(len(q), len(k))\n        return inner.tril()",
        "return torch.rand(len(q), len(k))",
    ],
    ids=["nothing but a product", "copies of inputs", "a multiple of one", "constants", "chance"],
)
def test_inputs_constants_and_chance_are_no_right_values(body: str) -> None:
    result = lines("mix", f"\n    def mix(q, k, allowed):\n        {body}\n    ")

    assert result is None or result.values[-1].kind.value == "part"


def test_lines_of_a_right_answer_are_told_with_the_call_that_is_right() -> None:
    student = """
    def mix(q, k, allowed):
        q = q.detach()
        scores = q @ k.T / 5
        hidden = scores.masked_fill(~allowed, -torch.inf)
        return hidden.softmax(-1) + 1
    """
    result = lines("mix", student)

    assert result is not None
    inputs = ("query (3, 4)", "key (5, 4)", "mask (3, 5)")
    assert result.right_answer == RightAnswer("mix(query, key, mask)", inputs)
    assert [one.where.line for one in result.values] == [6, 7, 8, 8, 8]
    assert result.nothing_from is None


def test_the_call_of_a_module_is_told_as_it_is_typed() -> None:
    student = ELSEWHERE + "        return self.first(x).relu() + self.second(x)\n"
    result = lines("Mapped", student)

    assert result is not None
    assert result.right_answer == RightAnswer("Mapped(5)(x)", ("x (3, 4, 5)",))


def test_an_answer_that_is_right_on_one_draw_alone_is_not_called_right() -> None:
    student = """
    def mix(q, k, allowed, made=[]):
        scores = q @ k.T / 5
        hidden = scores.masked_fill(~allowed, -torch.inf)
        made.append(hidden.softmax(-1) + 1)
        return made[0]
    """
    result = lines("mix", student)

    assert result is not None
    assert result.right_answer is None


def test_who_ignores_a_mask_is_not_called_right() -> None:
    call = SmallCall("mix", {**CALLS["mix"].given, "mask": Mask("1 L")}, {"shares": "S L"})
    student = """
    def mix(q, k, allowed):
        scores = q @ k.T / 5
        return scores.softmax(-1) + 1
    """
    result = lines("mix", student, [call])

    assert result is not None
    assert result.right_answer is None


def test_an_answer_that_is_right_by_chance_is_not_called_right() -> None:
    student = """
    def mix(q, k, allowed, calls=[]):
        calls.append(q)
        scores = q @ k.T / 5
        hidden = scores.masked_fill(~allowed, -torch.inf)
        return hidden.softmax(-1) + (1 if len(calls) < 6 else 2)
    """
    assert lines("mix", student) is None


@pytest.mark.parametrize("body", ["q.T", "(q > 0).long()", "q > 0"])
def test_the_line_that_returns_a_right_answer_is_told_whatever_it_is(body: str) -> None:
    call = SmallCall("turned", {"query": Numbers("S D")}, {"turned": "D S"})
    right = REFERENCE + f"\ndef turned(q):\n    return {body}\n"
    student = f"def turned(q):\n    a = q\n    return {body}\n"

    result = lines("mix", student, [call], right)

    assert result is not None
    assert result.right_answer == RightAnswer("turned(query)", ("query (3, 4)",))
    assert [(one.where.line, one.kind.value) for one in result.values] == [(5, "returned")]


def test_a_call_is_not_called_right_if_one_like_it_is_wrong() -> None:
    student = """
    def mix(q, k, allowed):
        scores = q @ k.T / 5
        return torch.zeros(3, 5) if bool((q > 0).all()) else R(scores, allowed)
    def R(scores, allowed):
        return scores.masked_fill(~allowed, -torch.inf).softmax(-1) + 1
    """
    above_0 = {**CALLS["mix"].given, "query": Numbers("S D", positive=True)}
    calls = [CALLS["mix"], replace(CALLS["mix"], given=above_0)]

    both, first = lines("mix", student, calls), lines("mix", student, calls[:1])

    assert both is not None and first is not None
    assert (both.right_answer, first.right_answer is None) == (None, False)


def test_lines_of_a_wrong_answer_are_told_before_those_of_a_right_one() -> None:
    student = """
    def mix(q, k, allowed, shift=1):
        scores = q @ k.T / 5
        hidden = scores.masked_fill(~allowed, -torch.inf)
        return hidden.softmax(-1) + 1
    """
    shifted = replace(CALLS["mix"], options={"shift": 2})
    result = lines("mix", student, [CALLS["mix"], shifted])

    assert result is not None
    assert (result.values[-1].text, result.right_answer) == ("hidden", None)


def test_the_lines_of_a_module_are_compared_with_the_same_weights() -> None:
    student = ELSEWHERE + (
        "        a = self.first(x)\n        b = self.second(x)\n        return a + b\n"
    )
    result = lines("Mapped", student)

    assert result is not None
    assert [(one.where.line, one.text) for one in result.values] == [(11, "a"), (12, "b")]


def test_a_name_that_the_reference_uses_otherwise_is_not_called_right() -> None:
    student = ELSEWHERE + (
        "        two = self.first(x)\n        one = self.second(x)\n"
        "        return one.relu() + two\n"
    )
    assert lines("Mapped", student) is None


def test_an_exception_leaves_the_lines_before_it() -> None:
    student = """
    def mix(q, k, allowed):
        scores = q @ k.T / 5
        raise ValueError("not yet")
    """
    assert told("mix", student) == (5, "scores", (), None)
