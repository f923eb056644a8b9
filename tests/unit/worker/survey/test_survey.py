"""What a submission's text says: uses under any spelling, loops, and nobody accused for nothing."""

# ruff: noqa: E501 - in a table of programs each is one line

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from grader.wire.load_plan import Wanted
from grader.wire.survey_report import encoded_survey
from grader.worker.loading.source.module_map import ModuleMap
from grader.worker.loading.source.statements import Scripts
from grader.worker.survey import survey

NAMES = (
    "torch.nn.functional.gelu",
    "torch.nn.Bilinear",
    "torch.Tensor.softmax",
    "timm",
)
TOP = """
import importlib
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.functional import gelu as g
from torch.nn.functional import *
import helper
from helper import smooth
import timm
alias = F.gelu
"""
HELPER = b"from torch.nn.functional import gelu\ndef smooth(x):\n    return gelu(x)\n"


def found(source: str, **files: bytes) -> dict[str, Any]:
    """What the target `f` of a file says."""
    every = {"a1.py": source.encode(), "helper.py": HELPER, **files}
    wanted = Wanted({"a1": ("f",)}, {"f": ("shown",)}, NAMES, {})
    starts = {"a1": "a1.py"}
    report = survey(wanted, starts, ModuleMap(every, starts), Scripts(every))
    result: dict[str, Any] = encoded_survey(report)["a1"]["f"]
    return result


def used(source: str) -> set[str]:
    return {name for name, *_ in found(TOP + source)["uses"]}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x): return F.gelu(x)", id="plainly"),
        pytest.param("def f(x): return g(x)", id="imported under another name"),
        pytest.param("def f(x): return gelu(x)", id="from a star import"),
        pytest.param("def f(x): return getattr(F, 'ge' + 'lu')(x)", id="getattr"),
        pytest.param("def f(x): return vars(F)['gelu'](x)", id="vars"),
        pytest.param("def f(x): return F.__dict__['gelu'](x)", id="dict"),
        pytest.param("def f(x): return alias(x)", id="alias at the top"),
        pytest.param("def f(x):\n    h = torch.nn\n    h = h.functional\n    return h.gelu(x)", id="alias inside"),
        pytest.param("def f(x):\n    from torch.nn import functional as q\n    return q.gelu(x)", id="import inside"),
        pytest.param("def f(x): return __import__('torch').nn.functional.gelu(x)", id="__import__"),
        pytest.param("def f(x): return importlib.import_module('torch.nn.functional').gelu(x)", id="importlib"),
        pytest.param("def f(x): return torch._C._nn.gelu(x)", id="by another path"),
        pytest.param("def f(x): return torch.ops.aten.gelu.default(x)", id="as an operation"),
        pytest.param("def f(x): return helper.smooth(x)", id="in another file"),
        pytest.param("def f(x): return smooth(x)", id="imported from another file"),
        pytest.param("def f(x): return list(map(F.gelu, x))", id="handed on"),
        pytest.param("def f(x): return (lambda y: F.gelu(y))(x)", id="in a lambda"),
        pytest.param("def f(x, how=F.gelu): return how(x)", id="as a default"),
        pytest.param("@F.gelu\ndef f(x): return x", id="as a decorator"),
        pytest.param("class f:\n    def shown(self, x): return F.gelu(x)", id="in a method that is called"),
        pytest.param("class f:\n    how = F.gelu", id="in a class"),
        pytest.param("class f:\n    def forward(self, x): return self._h(x)\n    def _h(self, x): return g(x)", id="in a helping method"),
        pytest.param("class Base:\n    def forward(self, x): return g(x)\nclass f(Base): pass", id="in a base class"),
        pytest.param("def f(x): return F.gelu(x)\nold = f\ndef f(x): return old(x)", id="in what was kept"),
        pytest.param("class f:\n    def forward(self, x): return g(x)\nclass f(f): pass", id="in what is built on"),
        pytest.param("class f: pass\nf.forward = lambda self, x: F.gelu(x)", id="put in later"),
        pytest.param("def f(x): return h(x)\nif True:\n    h = F.gelu\nelse:\n    h = None", id="under a condition"),
        pytest.param("try:\n    from torch.nn.functional import gelu as h\nexcept ImportError:\n    h = None\ndef f(x): return h(x)", id="tried"),
    ],
)  # fmt: skip
def test_a_use_is_found_under_any_spelling(source: str) -> None:
    assert used(source) == {"torch.nn.functional.gelu"}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("class f(nn.Module):\n    def __init__(self): self.b = nn.Bilinear(1, 1, 1)", "torch.nn.Bilinear"),
        ("class f(nn.Bilinear): pass", "torch.nn.Bilinear"),
        ("def f(x): return nn.modules.linear.Bilinear(1, 1, 1)", "torch.nn.Bilinear"),
        ("def f(x): return x.softmax(-1)", "torch.Tensor.softmax"),
        ("def f(x): return timm.create_model('vit')", "timm"),
    ],
)  # fmt: skip
def test_classes_methods_and_modules_are_found(source: str, name: str) -> None:
    assert used(source) == {name}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x):\n    # F.gelu(x)\n    return x", id="a comment"),
        pytest.param("def f(x):\n    'F.gelu(x)'\n    return x", id="a docstring"),
        pytest.param("def f(x): return x\ndef other(x): return F.gelu(x)", id="code nobody reaches"),
        pytest.param("def f(x: nn.Bilinear) -> nn.Bilinear: return x", id="an annotation"),
        pytest.param("def f(x): return isinstance(x, nn.Bilinear)", id="isinstance"),
        pytest.param("def f(x): return type(x) is nn.Bilinear", id="a type compared"),
        pytest.param("def f(x):\n    match x:\n        case nn.Bilinear(): return 1", id="a pattern"),
        pytest.param("def f(g): return g(1)", id="a parameter of that name"),
        pytest.param("def f(x):\n    gelu = abs\n    return gelu(x)", id="a variable of that name"),
        pytest.param("def gelu(x): return x\ndef f(x): return gelu(x)", id="an own function of that name"),
        pytest.param("def f(x): return x.gelu()", id="an own method of that name"),
        pytest.param("def f(x): return F.gelu(x)\ndef f(x): return x", id="an earlier version"),
        pytest.param("def f(x): return F.gelu(x)\nprint(f(1))\ndef f(x): return x", id="an earlier version, tried out"),
        pytest.param("def f(x): return x\n# demo\nf = F.gelu", id="a demonstration"),
        pytest.param("class f:\n    def forward(self, x): return x\n    def old(self, x): return g(x)", id="a method nobody calls"),
        pytest.param("def f(x): return F.gelu_(x) if False else F.relu(x)", id="a longer name"),
    ],
)  # fmt: skip
def test_who_uses_nothing_is_accused_of_nothing(source: str) -> None:
    assert used(source) == set()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("def f(x):\n    for y in x: pass", "for y in x"),
        ("def f(x):\n    while x: pass", "while x"),
        ("def f(x): return [y for y in x]", "[y for y in x]"),
        ("def f(x): return sum(y for y in x)", "(y for y in x)"),
        ("def f(x): return {y: y for y in x}", "{y: y for y in x}"),
        ("def f(x): return list(map(abs, x))", "map(abs, x)"),
        ("import functools\ndef f(x): return functools.reduce(max, x)", "functools.reduce(max, x)"),
        ("def f(x): return h(x)\ndef h(x): return [y for y in x]", "[y for y in x]"),
        (
            "from functools import reduce\ndef f(x): return reduce(lambda total, row: row + abs(row), x)",
            "reduce(lambda total, row: row + abs(row), x)",
        ),
        ("def f(x): return list(map(lambda y, g: g(y), x, x))", "map(lambda y, g: g(y), x, x)"),
    ],
)
def test_loops_are_found_in_a_target_and_its_helpers(source: str, text: str) -> None:
    assert [row[0] for row in found(source)["loops"]] == [text]


def test_a_function_that_calls_itself_is_a_loop() -> None:
    assert found("def f(x): return f(x[1:])")["again"] == [["f calls itself", "a1.py", None, 1]]


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): return x @ x\ndef g(x):\n    for y in x: pass",
        "def f(x): return x\nfor step in range(3): f(step)",
        "def f(x): return x.map(abs)",
        "from functools import reduce\ndef f(x, *g): return reduce(lambda y, step: step(y), g, x)",
    ],
)
def test_loops_of_others_are_not_ones_own(source: str) -> None:
    assert (found(source)["loops"], found(source)["again"]) == ([], [])


def test_long_lists_of_numbers_and_exec_are_told() -> None:
    told = found(f"def f(x):\n    exec('pass')\n    return {list(range(20))}")

    assert told["numbers"] == [[20, "a1.py", None, 3]]
    assert told["opaque"] == [["exec('pass')", "a1.py", None, 2]]


def test_a_place_in_a_notebook_has_its_cell() -> None:
    sources = ("import torch", "\ndef f(x): return torch.nn.functional.gelu(x)")
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in sources]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    files = {"a1.ipynb": json.dumps(notebook).encode()}
    wanted = Wanted({"a1": ("f",)}, {}, NAMES, {})
    told = encoded_survey(
        survey(wanted, {"a1": "a1.ipynb"}, ModuleMap(files, {"a1": "a1.ipynb"}), Scripts(files))
    )

    assert told["a1"]["f"]["uses"][0][2:] == ["a1.ipynb", 2, 2]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x):\n" + "    x = x.T\n" * 3000 + "    return x.T", id="one name, often"),
        pytest.param("def f(x):\n" + "    a = b.c\n    b = a.d\n" * 500 + "    return a.b", id="in circles"),
        pytest.param("a = b.c\nb = a.d\ndef f(x): return a.b.c", id="in circles at the top"),
        pytest.param("def f(x): return " + "x + " * 800 + "1", id="a long sum"),
        pytest.param("def f(x): return " + "[" * 80 + "1" + "]" * 80, id="nested lists"),
        pytest.param("def f(x): return x" + ".T" * 900, id="a long chain"),
        pytest.param("def f(x): pass\n" + "".join(f"def f{i}(x): return f{i + 1}(x)\n" for i in range(2000)) + "f = f0", id="a long way"),
    ],
)  # fmt: skip
def test_hostile_text_takes_little_time(source: str) -> None:
    started = time.process_time()
    found(source)

    assert time.process_time() - started < 3


def test_a_number_of_too_many_digits_hides_nothing() -> None:
    """Python reads it as sixteens and refuses to write it as tens."""
    said = found(f"{TOP}def f(x): return [exec(F.gelu(x + 0x{'f' * 5000})) for _ in x]")

    assert [name for name, *_ in said["uses"]] == ["torch.nn.functional.gelu"]
    assert [row[-1] for kind in ("loops", "opaque") for row in said[kind]] == [12, 12]
