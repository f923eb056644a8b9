"""A function of the judge that takes or gives tensors says in which shapes.

A public one says it in its docstring, any other in its docstring or in a comment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import pytest

from tests.unit.test_architecture import modules, parsed

AXES = r"\((?:[A-Z*…1]|\.\.\.|width|entries|length|axes)[\w*…., ]*\)"
SHAPE = re.compile(AXES + r"|\bshapes?\b|\b0-d\b")
"""An axis list such as `(B, T, D)` or `(..., L)`, or a sentence about shapes: "of any shape"."""


def takes_or_gives_tensors(function: ast.FunctionDef) -> bool:
    arguments = function.args
    several = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *several]
    annotations = [*(argument.annotation for argument in named), function.returns]
    return any("Tensor" in ast.unparse(each) for each in annotations if each is not None)


def without_shapes(node: ast.AST, lines: Sequence[str]) -> Iterator[str]:
    """Yield the functions whose annotations name tensors, and whose words name no shape.

    What stands inside of a function that states some is taken to be clear.
    """
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.FunctionDef):
            yield from without_shapes(inner, lines)
        elif not SHAPE.search(_words(inner, lines)):
            if takes_or_gives_tensors(inner):
                yield f"{inner.lineno}: {inner.name}"
            yield from without_shapes(inner, lines)


def _words(function: ast.FunctionDef, lines: Sequence[str]) -> str:
    """Return the words in which a function may state shapes."""
    text = ast.get_docstring(function) or ""
    if not function.name.startswith("_") and takes_or_gives_tensors(function):
        return text
    own = lines[function.lineno - 1 : function.end_lineno]
    return "\n".join([text, *(line.partition("#")[2] for line in own)])


def test_every_function_with_tensors_states_shapes() -> None:
    judge = {name: path for name, path in modules().items() if name.startswith("grader.judge.")}
    found = {
        name: list(without_shapes(parsed(path), path.read_text(encoding="utf-8").splitlines()))
        for name, path in judge.items()
    }
    assert {name: functions for name, functions in found.items() if functions} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("def f(x: int): ...", [], id="no tensor"),
        pytest.param("def f(x: torch.Tensor): ...", ["1: f"], id="argument"),
        pytest.param("def f(*x: torch.Tensor): ...", ["1: f"], id="arguments"),
        pytest.param("def f() -> dict[str, Tensor]: 'Return it.'", ["1: f"], id="result"),
        pytest.param("def f(x: Tensor): 'Turn x (B, T, D).'", [], id="axes"),
        pytest.param("def f(x: Tensor): 'Turn x, of any shape.'", [], id="any shape"),
        pytest.param("class C:\n    def f(self, x: Tensor): 'Turn x.'", ["2: f"], id="method"),
        pytest.param("def f(x: Tensor):\n    # (N,)\n    pass", ["1: f"], id="public comment"),
        pytest.param("def _f(x: Tensor):\n    # (N,)\n    pass", [], id="comment"),
        pytest.param("def _f(x: Tensor):\n    # x\n    pass", ["1: _f"], id="no shape"),
        pytest.param("def f():\n    def _g(x: Tensor): ...", ["2: _g"], id="inner"),
    ],
)
def test_a_function_without_shapes_is_found(source: str, found: list[str]) -> None:
    assert list(without_shapes(ast.parse(source), source.splitlines())) == found
