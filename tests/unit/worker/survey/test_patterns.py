"""Shapes of code: what fits, what does not, and which of several lines is meant."""

from __future__ import annotations

import ast

import pytest

from grader.wire.load_plan import Wanted
from grader.wire.survey_report import encoded_survey
from grader.worker.loading.source.module_map import ModuleMap
from grader.worker.loading.source.statements import Scripts
from grader.worker.survey import survey
from grader.worker.survey.patterns import Patterns, pattern


@pytest.mark.parametrize(
    ("shape", "code", "expected"),
    [
        ("softmax(...)", "torch.softmax(s, dim=-1)", True),
        ("softmax(...)", "s.softmax(-1)", True),
        ("softmax(...)", "F.log_softmax(s)", False),
        ("softmax(_)", "softmax(s)", True),
        ("softmax(_)", "softmax(s, -1)", False),
        ("_.sum(_)", "x.sum(-1)", True),
        ("_.sum(_)", "x.sum(-1, keepdim=True)", False),
        ("_.sum(dim=_)", "x.sum(dim=-1)", True),
        ("_ / _number", "s / 8", True),
        ("_ / _number", "s / d", False),
        ("_ / _name", "s / self.d", True),
        ("_ ** 0.5", "d ** 0.5", True),
        ("_ ** 0.5", "d ** 2", False),
        ("-1e-9", "-0.000000001", True),
        ("masked_fill(_, 0)", "s.masked_fill(m, 0.0)", True),
        ("masked_fill(_, 0)", "s.masked_fill(m, False)", False),
        ("_ * -inf", "m * -torch.inf", True),
        ("(_ @ _).reshape(...)", "(w @ v).reshape(b, t, -1)", True),
        ("(_ @ _).reshape(...)", "(w @ v).transpose(1, 2).reshape(b, t, -1)", False),
        ("_[:, None, :, None]", "m[:, None, :, None]", True),
        ("_[:, None, :, None]", "m[:, None, None, :]", False),
        ("Linear(..., bias=_)", "nn.Linear(3, 4, bias=False)", True),
        ("Linear(..., bias=_)", "nn.Linear(3, 4)", False),
        ("head_dim = _", "self.head_dim = d", True),
        ("if mask: ...", "if mask:\n    x = 1\nelse:\n    x = 2", True),
        ("if mask: ...", "if mask is not None:\n    x = 1", False),
        ("_name = [_ for _ in _]", "self.heads = [Head() for _ in range(3)]", True),
        ("_ < _", "i < j", True),
        ("_ < _", "i <= j", False),
        ("[_] * _", "[block] * depth", True),
        ("_ += _", "x += y", True),
        ("_ += _", "x -= y", False),
    ],
)
def test_a_shape_fits_what_looks_like_it(shape: str, code: str, expected: bool) -> None:
    node = ast.parse(code).body[0]
    found = node.value if isinstance(node, ast.Expr) else node

    assert (("one", 0, False) in Patterns({"one": [shape]}).matching(found, True)) is expected


def line_of(source: str, *shapes: str) -> int | None:
    files = {"a1.py": source.encode()}
    wanted = Wanted({"a1": ("f",)}, {}, (), {"one": shapes})
    starts = {"a1": "a1.py"}
    told = encoded_survey(survey(wanted, starts, ModuleMap(files, starts), Scripts(files)))
    place = told["a1"]["f"]["places"].get("one")
    return None if place is None else place[2]


SOURCE = """
def f(s, m):
    s = s.masked_fill(m, 1)
    s.masked_fill(m, 2)
    s = s.masked_fill(m, 3)
    return s
""".lstrip()


@pytest.mark.parametrize(
    ("shapes", "line"),
    [
        pytest.param(["masked_fill(...)"], 2, id="the first"),
        pytest.param(["masked_fill(...)  # last"], 4, id="the last"),
        pytest.param(["masked_fill(...);"], 3, id="thrown away"),
        pytest.param(["softmax(...)", "masked_fill(_, 3)"], 4, id="the next best"),
        pytest.param(["masked_fill(_, 3)", "masked_fill(...)"], 4, id="the best"),
        pytest.param(["softmax(...)"], None, id="nothing"),
    ],
)
def test_the_line_that_is_meant(shapes: list[str], line: int | None) -> None:
    assert line_of(SOURCE, *shapes) == line


def test_helpers_are_looked_through_after_the_target() -> None:
    source = "def g(s): return s.softmax(0)\ndef f(s):\n    return g(s)\n"

    assert line_of(source, "softmax(...)") == 1
    assert line_of(source + "def h(s): return s.exp()\n", "exp(...)") is None


def test_a_pattern_that_is_no_code_is_refused() -> None:
    with pytest.raises(SyntaxError):
        pattern("softmax(")
