"""The edits that a lens tries besides: what each makes of a line, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.validate.data import read_course
from grader.validate.edits.generation import WIDER_OPERATORS, mutants
from grader.validate.lens.candidates import Candidates
from tests.unit.validate.test_edits import LAYER, program

ROOT = Path(__file__).resolve().parents[3]


def made(body: str, operator: str) -> set[str]:
    """What an operator writes in place of what stood there, on one line."""
    source = body if body.startswith("class") else program(body)
    found = mutants(source, operators=WIDER_OPERATORS)
    return {mutant.after for mutant in found if mutant.operator == operator}


TOKEN = """\
class Token(nn.Module):
    # BEGIN SOLUTION
    def __init__(self, width: int, depth: int = 3, *, deep: bool = False) -> None:
        self.token = nn.Parameter(torch.zeros(width))
        self.width = width * depth
        self.first = f(width, device=depth)
        self.second = g(1, device=depth)

    def forward(self, x):
        return x + self.token
    # END SOLUTION
"""


@pytest.mark.parametrize(
    ("body", "operator", "after"),
    [
        (TOKEN, "argument ignored", {"1", "2", "4", "8", "16", "3"}),
        (TOKEN, "argument negated", {"-width", "-depth"}),
        (TOKEN, "another argument", {"width", "depth"}),
        (TOKEN, "keyword left out", {""}),
        ("return f(x, dim=1)", "keyword left out", set()),
        ("x = 1\nreturn x", "argument ignored", set()),
        (TOKEN, "result is nothing", {"torch.zeros_like(self.token)"}),
        ("return f(x)", "result is nothing", {"_value(f(x), lambda t: t.new_zeros(t.shape))"}),
        ("return x.shape", "result is nothing", set()),
        ("a = x @ y", "centred", {"_value(x @ y, lambda t: t - t.mean(0, keepdim=True))"}),
        (
            "return x.permute(2, 0, 1)",
            "partly reshaped",
            {
                "(x).permute(0, 2, 1).reshape((x.permute(2, 0, 1)).shape)",
                "(x).permute(1, 0, 2).reshape((x.permute(2, 0, 1)).shape)",
                "(x).permute(2, 1, 0).reshape((x.permute(2, 0, 1)).shape)",
            },
        ),
        ("return x.permute(order)", "partly reshaped", set()),
        (
            "return torch.cat([x, y], dim=1), (x, y)",
            "elements exchanged",
            {"[y, x]", "(y, x)", "((x, y), torch.cat([x, y], dim=1))"},
        ),
        ("a, b = f(x)", "elements exchanged", set()),
        (
            "return f(x, mode='bicubic')",
            "another word",
            {"'nearest'", "'bilinear'", "'area'"},
        ),
        ("return f(x, 'mode')", "another word", set()),
        ("return x * 2 + y", "computed in place", {"x.mul_(2)"}),
        ("a = f(x)\nreturn a * 2", "computed in place", set()),
        ("return x + f(g(x))", "residual of what goes in", {"g(x) + f(g(x))"}),
        ("return x + f(x)", "residual of what goes in", set()),
        ("a = x @ y", "float32 written down", {"_value(x @ y, lambda t: t.float())"}),
        ("a, b = x, y", "names exchanged", {"b, a"}),
        ("a, b, c = x.shape", "names exchanged", {"b, a, c", "c, b, a", "a, c, b"}),
        ("a = x", "names exchanged", set()),
        ("a = f(x)\nb = f(y)", "results exchanged", {"b = f(x) a = f(y)"}),
        ("a = b = f(x)\nc = f(y)", "results exchanged", set()),
        ("a = f(x)\nreturn a", "results exchanged", set()),
        ("return f(x)", "another name", {"y", "mask"}),
        ("a = x\nreturn a", "another name", {"x", "y", "mask"}),
        ("return x\na = y", "another name", {"y", "mask", "x"}),
        (LAYER, "layer is nothing", {"nn.Identity()"}),
        (LAYER, "layer without bias", {"nn.Linear(width, width, bias=False)"}),
        (LAYER, "input added", {"x + self.first(x)"}),
        ("return f(x, mask)", "argument inverted", {"~x", "~mask"}),
        ("return f(x, mask)", "argument transposed", {"x.mT", "mask.mT"}),
        ("return f(x, mask)", "argument detached", {"x.detach()", "mask.detach()"}),
        ("return Block(x)", "argument inverted", set()),
        ("return x.softmax(dim=-1)", "axis from the other end", {"0", "2", "3"}),
        ("return x.sum(0)", "axis from the other end", {"-2", "-3"}),
        ("return f(x, 1)", "axis from the other end", set()),
        (
            "return torch.softmax(x, -1)",
            "future hidden",
            {"(lambda t: t.masked_fill(torch.ones_like(t).triu(1) > 0, -torch.inf))(x)"},
        ),
        (
            "a = x @ y\nif mask:\n    return torch.softmax(a, -1)\nreturn torch.softmax(a, 0)",
            "future hidden",
            {
                "(lambda t: t.masked_fill(torch.ones_like(t).triu(1) > 0, -torch.inf))(x @ y)",
                "(lambda t: t.masked_fill(torch.ones_like(t).triu(1) > 0, -torch.inf))(a)",
            },
        ),
        ("return torch.exp(x)", "future hidden", set()),
        ("return torch.softmax(x, -1)", "other way round", set()),
        ("return len(x)", "other way round", set()),
        ("return torch.ones(3).tril()", "another triangle", {"torch.ones(3).tril(diagonal=1)"}),
        ("return torch.triu(x)", "another triangle", {"torch.triu(x, diagonal=-1)"}),
        ("return torch.triu(x, 1)", "another triangle", set()),
        ("a = x\nb = y", "steps exchanged", {"b = y a = x"}),
        ("a = x\nreturn a", "steps exchanged", set()),
        ("x = f(x)", "step done twice", {"x = f(x) x = f(x)"}),
        ("a = f(x)", "step done twice", set()),
        ("for a, b in zip(x, y):\n    a", "loop at once", {"a, b = x, y a"}),
        ("for a in x:\n    a", "loop at once", {"a = x a"}),
        ("while x:\n    a", "loop at once", set()),
        ("return x @ y * mask", "another product", {"(x) * (y)"}),
        (LAYER, "activation added", {"torch.relu(self.first(x))"}),
        ("return torch.exp(x)", "activation added", set()),
        ("return x @ y", "result scaled", {"(x @ y) / (x).shape[-1] ** 0.5"}),
    ],
)
def test_what_an_operator_makes(body: str, operator: str, after: set[str]) -> None:
    found = made(body, operator)
    assert after <= found
    assert after or not found


def test_an_argument_is_changed_wherever_it_is_used_and_nowhere_else() -> None:
    found = [one for one in mutants(TOKEN, operators=WIDER_OPERATORS) if one.after == "-depth"]
    text, *in_a_statement = [one.source for one in found]
    assert len(in_a_statement) == 3
    assert "self.width = width * (-depth)" in in_a_statement[0]
    assert "f(width, device=depth)" in in_a_statement[0]
    assert "self.width = width * (-depth)" in text
    assert "f(width, device=(-depth))" in text
    assert "g(1, device=(-depth))" in text
    assert "depth: int = 3" in text
    assert (found[0].before, found[0].line) == ("depth", 5)


def test_a_tensor_is_taken_otherwise_wherever_it_is_used() -> None:
    source = (
        "def f(x: torch.Tensor, mask: torch.Tensor | None = None, n: int = 1):\n"
        "    # BEGIN SOLUTION\n    y = x @ x\n    return g(y, mask, n)\n    # END SOLUTION\n"
    )
    found = [*mutants(source, operators=WIDER_OPERATORS)]
    turned = [one for one in found if one.operator == "argument turned" and one.before == "x"]
    assert "(x.mT) @ (x.mT)" in turned[0].source
    firsts = {one.after for one in found if one.operator == "the first for all"}
    assert {"x[:1].expand_as(x)", "None if mask is None else mask[:1].expand_as(mask)"} <= firsts
    assert not [one for one in found if one.operator == "argument turned" and one.before == "n"]


def test_a_keyword_is_left_out_of_all_calls() -> None:
    found = [
        one
        for one in mutants(TOKEN, operators=WIDER_OPERATORS)
        if one.operator == "keyword left out"
    ]
    [one] = found
    assert one.before == "device=depth"
    assert "self.first = f(width)\n        self.second = g(1)" in one.source


def test_a_layer_is_gone_through_along_other_axes_and_from_the_end() -> None:
    assert made("return f(x, mask=mask)", "other way round") == {
        "f((x).transpose(0, 1), mask=mask).transpose(0, 1)",
        "f((x).transpose(1, 2), mask=mask).transpose(1, 2)",
        "f((x).flip(0), mask=mask).flip(0)",
        "f((x).flip(1), mask=mask).flip(1)",
    }


def test_a_name_that_comes_later_is_not_used_before() -> None:
    assert made("return x\na = y", "another name") == {"y", "mask", "x"}
    assert "later" not in made("a = x\nlater = y", "another name")


def test_an_exercise_has_wider_edits_that_its_suite_is_not_proven_on() -> None:
    """Both come for the exercise's own definitions; none of the wider ones is there already."""
    data = read_course(find_course(ROOT), ("a2.causal_mask",))
    candidates = Candidates(data, "a2.causal_mask")
    assert {one.definition for one in candidates.wider} <= {
        one.definition for one in candidates.single
    }
    assert candidates.wider
    assert not {one.source for one in candidates.wider} & {one.source for one in candidates.single}


def test_a_wider_edit_can_be_one_of_a_pair() -> None:
    data = read_course(find_course(ROOT), ("a4.patchify",))
    candidates = Candidates(data, "a4.patchify")
    exchanged = next(one for one in candidates.wider if "names exchanged" in one.edits[0])
    beside = [one for one in candidates.single if one.place == exchanged.place and one.lines[0]]
    both = candidates.both(beside[0], exchanged)
    assert both is not None
    assert both.edits[1] == exchanged.edits[0]
    assert "columns, rows = " in both.source or "(columns, rows) = " in both.source
