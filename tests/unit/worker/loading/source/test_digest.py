"""A definition's digest says whether somebody changed the code."""

from __future__ import annotations

import ast

import pytest

from grader.worker.loading import definition_digest

STUB = '''
def softmax(x, dim=-1):
    """Softmax."""
    raise NotImplementedError
'''


def digest(text: str) -> str:
    return definition_digest(ast.parse(text).body[0])


@pytest.mark.parametrize(
    "same",
    [
        pytest.param("\n\n\n" + STUB, id="moved"),
        pytest.param(STUB.replace("Softmax.", "어텐션"), id="docstring-changed"),
        pytest.param(STUB.replace('    """Softmax."""\n', ""), id="docstring-gone"),
        pytest.param(STUB.replace("raise", "# todo\n    raise"), id="comment"),
        pytest.param(STUB.replace("    ", "\t"), id="tabs"),
    ],
)
def test_layout_comments_and_docstrings_do_not_count(same: str) -> None:
    assert digest(same) == digest(STUB)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(STUB.replace("softmax", "softmax2"), id="name"),
        pytest.param(STUB.replace("dim=-1", "dim=1"), id="default"),
        pytest.param(STUB.replace("dim=-1", "dim=-1.0"), id="type-of-default"),
        pytest.param(STUB.replace("raise", "return"), id="body"),
        pytest.param("@wrap" + STUB, id="decorator"),
        pytest.param("async " + STUB.strip(), id="async"),
    ],
)
def test_any_change_of_code_counts(other: str) -> None:
    assert digest(other) != digest(STUB)


def test_docstrings_of_methods_do_not_count() -> None:
    plain = "class A:\n    def f(self):\n        return 1\n"
    documented = 'class A:\n    "A."\n    def f(self):\n        "F."\n        return 1\n'

    assert digest(documented) == digest(plain)


def test_lists_cannot_be_confused_with_one_another() -> None:
    assert digest("f([1], 2)") != digest("f([1, 2])")
    assert digest("x = 'a', 'b'") != digest("x = \"a', 'b\"")


def test_a_tree_of_any_depth_and_any_integer_has_a_digest() -> None:
    deep = ast.parse("0").body[0]
    assert isinstance(deep, ast.Expr)
    for _ in range(50_000):
        deep.value = ast.UnaryOp(ast.USub(), deep.value)
    huge = ast.Expr(ast.Constant(10**6000))

    assert len(definition_digest(deep)) == 64
    assert len(definition_digest(huge)) == 64
    _unravel(deep)


def _unravel(statement: ast.Expr) -> None:
    # freeing so deep a tree at once would overflow the stack of some Pythons
    while isinstance(statement.value, ast.UnaryOp):
        statement.value = statement.value.operand
