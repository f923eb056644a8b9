"""The grammar of edits: what each kind makes of a line, and what is left alone."""

from __future__ import annotations

import ast

import pytest

from grader.validate.edits.generation import mutants

LAYER = """\
class Layer(nn.Module):
    # BEGIN SOLUTION
    def __init__(self, width):
        self.first = nn.Linear(width, width)
        self.second = nn.Dropout(0.5)

    def forward(self, x):
        return self.first(x)
    # END SOLUTION
"""


def program(body: str, signature: str = "f(x, y, mask=None)") -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"def {signature}:\n    # BEGIN SOLUTION\n{lines}\n    # END SOLUTION\n"


def made(body: str, operator: str) -> set[str]:
    """What an operator writes in place of what stood there."""
    return {m.after for m in mutants(program(body)) if m.operator == operator}


@pytest.mark.parametrize(
    ("body", "operator", "after"),
    [
        ("return x.softmax(dim=-1)", "another axis", {"-2", "-3", "1"}),
        ("return x.sum(1)", "another axis", {"0", "2", "3", "-1"}),
        ("return x * y.shape[-1] ** -0.5", "one operand left out", {"x", "y.shape[-1] ** -0.5"}),
        ("return x / y", "operands exchanged", {"(y) / (x)"}),
        ("return x ** -0.5", "another power", {"(x) ** (1)", "(x) ** (2)", "(x) ** (0.25)"}),
        ("return x < y", "another comparison", {"(x) <= (y)", "(x) > (y)"}),
        ("return x if mask else y", "condition decided", {"x", "y"}),
        ("return ~x", "inverted", {"x"}),
        ("return x or y", "inverted", {"(x) and (y)"}),
        ("return x @ y.mT", "transposed", {"y", "(x).mT @ (y.mT)", "((x) @ (y.mT)).mT"}),
        ("return f(x, mask=mask)", "argument left out", {"f(x)"}),
        ("return f(x, mask=mask)", "argument is nothing", {"None"}),
        ("return f(x, y)", "arguments exchanged", {"f(y, x)"}),
        ("return x.transpose(1, 2)", "arguments exchanged", set()),
        ("return torch.triu(x)", "another function", {"torch.tril"}),
        ("return torch.relu(x)", "call left out", {"x"}),
        ("return x.contiguous()", "call left out", {"x"}),
        ("return x[1:y]", "another slice", {"1 + 1:y", "1 - 1:y", "1:", ":y", ":", "y:"}),
        ("x = x + y", "in place", {"x += y; x = x"}),
        ("x = x + y", "statement left out", {"pass"}),
        ("raise ValueError('3')", "another error", {"RuntimeError", "ValueError('wrong')"}),
        ("return x, y", "another result", {"y, x", "x", "y"}),
        ("return [f(1) for _ in range(x)]", "layers shared", {"[f(1)] * len(list(range(x)))"}),
        ("return [f(i) for i in range(x)]", "layers shared", set()),
        ("x = y * 2", "kept from the first call", {"_first(lambda: y * 2)"}),
        ("x = y.all()", "detached", set()),
        ("mask = mask.masked_fill(x, float('-inf'))", "another fill", {"-1e9", "-1e4", "0.0"}),
    ],
)
def test_what_an_operator_makes(body: str, operator: str, after: set[str]) -> None:
    found = made(body, operator)
    assert after <= found
    assert after or not found


def test_another_layer_of_the_same_object_stands_in() -> None:
    found = {one.after for one in mutants(LAYER) if one.operator == "another attribute"}
    assert found == {"self.second"}


def test_every_mutant_is_another_program() -> None:
    source = program("scores = x @ y.mT / x.shape[-1] ** 0.5\nreturn scores.softmax(dim=-1) @ y")
    trees = [ast.dump(ast.parse(mutant.source)) for mutant in mutants(source)]
    assert len(trees) > 40
    assert len({*trees, ast.dump(ast.parse(source))}) == len(trees) + 1


def test_only_what_students_write_is_changed() -> None:
    source = "N = 2 + 3\n\n" + program("return x") + "\n\ndef given(x):\n    return x + 1\n"
    assert [mutant for mutant in mutants(source) if mutant.operator != "detached"] == [
        mutant for mutant in mutants(source) if mutant.operator == "half precision"
    ]


def test_a_mutant_knows_its_place() -> None:
    found = [m for m in mutants("# Σ\n" + program("return 'Σ', x + 1")) if m.after == "(x) - (1)"]
    (mutant,) = found
    assert (mutant.definition, mutant.line, mutant.operator) == ("f", 4, "another sign")
    assert "return 'Σ', ((x) - (1))" in mutant.source


def test_what_it_is_called_does_not_hang_on_where_it_stands() -> None:
    def names(source: str) -> list[tuple[str, str, str]]:
        return [(m.operator, m.before, m.after) for m in mutants(source)]

    body = "y = x * 2\nreturn y.sum(dim=-1)"
    assert names(program(body)) == names("import torch\n\n\n" + program(body))
