"""In a code cell stands what a definition does, and the shapes; the text says the rest."""

from __future__ import annotations

import ast

import pytest

from grader.handouts.short_docstrings import Definition, short, with_short_docstrings
from grader.worker.loading import definition_digest


def shortened(source: str) -> str:
    (node,) = ast.parse(source).body
    assert isinstance(node, Definition)
    return "\n".join(with_short_docstrings(node, source.split("\n"), 0))


@pytest.mark.parametrize(
    ("docstring", "kept"),
    [
        pytest.param("One.", "One.", id="one line"),
        pytest.param("One,\ntwo.\n\nMore.", "One,\ntwo.", id="first paragraph"),
        pytest.param(
            "One.\n\nShapes\n    a, b     (D,), any\n    n        a number\n"
            "    returns  (D,) or (B, D)",
            "One.\n\n    a, b (D,) -> (D,) | (B, D)",
            id="shapes without words",
        ),
        pytest.param(
            "One.\n\nShapes\n    returns  (T, L) bool, as (see there) says\n",
            "One.\n\n    -> (T, L)",
            id="only what comes out",
        ),
        pytest.param("One.\n\nShapes\n    x  any\n", "One.", id="no shape"),
    ],
)
def test_what_is_kept(docstring: str, kept: str) -> None:
    assert short(docstring) == kept


def test_a_function_keeps_all_but_its_docstring() -> None:
    source = 'def f(\n    x,\n):\n    r"""Do \\d.\n\n    More.\n    """\n    # why\n    raise E'

    assert shortened(source) == 'def f(\n    x,\n):\n    r"""Do \\d."""\n    # why\n    raise E'


def test_a_class_has_one_docstring_with_the_shapes_of_its_method() -> None:
    source = '''class A:
    """Do "this"

    More.
    """

    def __init__(self):
        """Make it.

        All of it.
        """
        raise E

    def forward(self, x):
        """Return it.

        Shapes
            x        (B, T)
            returns  (B,)
        """
        raise E

    def nothing(self):
        """Say nothing."""
'''

    assert (
        shortened(source)
        == '''class A:
    """Do "this"

        x (B, T) -> (B,)
    """

    def __init__(self):
        raise E

    def forward(self, x):
        raise E

    def nothing(self):
        """Say nothing."""
'''
    )


@pytest.mark.parametrize(
    "source",
    ['def f(): "One."', "def f():\n    return 1", 'def f():\n    """Say "no" """'],
    ids=["on one line", "without any", "that ends in a quote"],
)
def test_the_same_program_is_left(source: str) -> None:
    (before,), (after,) = ast.parse(source).body, ast.parse(shortened(source)).body

    assert definition_digest(before) == definition_digest(after)
