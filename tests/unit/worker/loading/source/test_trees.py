"""Walking trees finds what Python's own walk finds, contexts and operators aside."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from grader.worker.loading.source.trees import children, walk

LEFT_OUT = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
EVERYTHING = """
@decorated(1)
async def f(a: int, /, b=2, *args: str, c, d=4, **kwargs) -> "x":
    global g
    async with a as (b, *c), d:
        await a
    async for i, in [j async for j in k if l if m]:
        yield from {**n, o: p}
    else:
        return lambda q, *, r=1: (yield)

class C(B, metaclass=M):
    x: int = 1
    y[0], z.w = s[1:2, ::3], not -t
    del u, v[0]
    x += 1 if a < b <= c and d is not e else f"{g!r:>{h}} text"

try:
    import a.b as c, d
    from ..e import (f as g, h)
except (A, B) as error:
    raise E(error) from None
except* C:
    pass
finally:
    while (n := n - 1): break
    else: assert n, "none"

match p:
    case {"a": 1, **rest} | [Q(x, y=2), *_] if r: ...
    case None | -1.5 | "s" as t: nonlocal_ = {1, 2}
"""


def found(tree: ast.AST) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if not isinstance(node, LEFT_OUT)]


@pytest.mark.parametrize(
    "source",
    [
        EVERYTHING.replace("except* C:\n    pass\n", ""),
        EVERYTHING.replace("except (A, B) as error:\n    raise E(error) from None\n", ""),
        textwrap.dedent(inspect.getsource(ast)),
    ],
    ids=["everything", "groups", "a large file"],
)
def test_all_nodes_are_found_once(source: str) -> None:
    tree = ast.parse(source)
    assert sorted(map(id, walk(tree))) == sorted(map(id, found(tree)))


def test_children_stand_in_the_order_of_the_text() -> None:
    tree = ast.parse(EVERYTHING.replace("except* C:\n    pass\n", ""))
    for node in found(tree):
        wanted = [c for c in ast.iter_child_nodes(node) if not isinstance(c, LEFT_OUT)]
        assert children(node) == wanted
