"""A public function of the judge that takes or gives tensors says in which shapes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.unit.test_architecture import modules, parsed

SHAPE = re.compile(r"\((?:[A-Z*…]|\.\.\.|width|entries)[\w*…., ]*\)|\bshapes?\b")
"""An axis list such as `(B, T, D)` or `(..., L)`, or a sentence about shapes: "of any shape"."""


def takes_or_gives_tensors(function: ast.FunctionDef) -> bool:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    annotations = [*(argument.annotation for argument in named), function.returns]
    return any("Tensor" in ast.unparse(each) for each in annotations if each is not None)


def without_shapes(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    """Yield the public functions whose annotations name tensors, and whose docstring no shape."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from without_shapes(node)
        elif isinstance(node, ast.FunctionDef) and takes_or_gives_tensors(node):
            text = ast.get_docstring(node) or ""
            if not node.name.startswith("_") and not SHAPE.search(text):
                yield f"{node.lineno}: {node.name}"


def test_every_function_with_tensors_states_shapes() -> None:
    judge = {name: path for name, path in modules().items() if name.startswith("grader.judge.")}
    found = {name: list(without_shapes(parsed(path))) for name, path in judge.items()}
    assert {name: functions for name, functions in found.items() if functions} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("def f(x: int): ...", [], id="no tensor"),
        pytest.param("def f(x: torch.Tensor): ...", ["1: f"], id="argument"),
        pytest.param("def f() -> dict[str, Tensor]: 'Return it.'", ["1: f"], id="result"),
        pytest.param("def f(x: Tensor): 'Turn x (B, T, D).'", [], id="axes"),
        pytest.param("def f(x: Tensor): 'Turn x, of any shape.'", [], id="any shape"),
        pytest.param("class C:\n    def f(self, x: Tensor): 'Turn x.'", ["2: f"], id="method"),
    ],
)
def test_a_function_without_shapes_is_found(source: str, found: list[str]) -> None:
    assert list(without_shapes(ast.parse(source))) == found
