"""What targets need runs; loops and calls that nothing graded depends on do not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.worker.loading.samples import FILE, STEM, Load, notes, problems, target

LOG = "LOG = []\ndef log(x):\n    LOG.append(x)\n    return x\n"


def ran(load: Load, source: str) -> list[object]:
    """What `log` was called with while loading; `f` is the target and does not need LOG."""
    loaded = load(LOG + source, "f")
    found: Any = loaded.lookup(STEM, "f")
    module: list[object] = found.__globals__["LOG"]
    return module


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("log(1)", id="call"),
        pytest.param("x = log(1)", id="assigned-call"),
        pytest.param("print(f(log(1)))", id="print-of-the-target"),
        pytest.param("for i in range(3): log(i)", id="for"),
        pytest.param("while log(0): pass", id="while"),
        pytest.param("x = [log(i) for i in (1, 2)]", id="comprehension"),
        pytest.param("assert log(1)", id="assert"),
        pytest.param("x = f(log(1)) + 2", id="arithmetic"),
        pytest.param("if True:\n    log(1)", id="in-if"),
        pytest.param("try:\n    log(1)\nexcept ValueError:\n    log(2)", id="in-try"),
        pytest.param("with open(log('x')) as h:\n    log(1)", id="in-with"),
        pytest.param("match 3:\n    case 3: log(1)", id="in-match"),
        pytest.param("def train(n=2):\n    for i in range(n): log(i)\ntrain()", id="training"),
        pytest.param("# demo\nx = 1\ny = x.real + 2", id="demo"),
    ],
)
def test_a_demonstration_does_not_run(load: Load, statement: str) -> None:
    source = f"def f(x=0): return x\n{statement}\n"

    assert ran(load, source) == []


@pytest.mark.parametrize(
    ("source", "value"),
    [
        pytest.param("T = log(3)\ndef f(): return T", 3, id="assigned"),
        pytest.param("T = log(3)\ndef g(): return T\ndef f(): return g()", 3, id="through-helper"),
        pytest.param("S = log(2)\nT = [S, log(1)]\ndef f(): return sum(T)", 3, id="through-values"),
        pytest.param("T = log(3)\nclass A:\n    t = T\ndef f(): return A.t", 3, id="class-body"),
        pytest.param("T = log(3)\ndef f(t=T): return t", 3, id="default"),
        pytest.param(
            "T = {}\nfor i in range(4): T[i] = log(i)\ndef f(): return T[3]", 3, id="loop"
        ),
        pytest.param("T = []\nT.append(log(3))\ndef f(): return T[0]", 3, id="method"),
        pytest.param("T = [0]\nT[0] += log(3)\ndef f(): return T[0]", 3, id="augmented-item"),
        pytest.param("class A: pass\nA.t = log(3)\ndef f(): return A.t", 3, id="attribute"),
        pytest.param(
            "class A: pass\nsetattr(A, 't', log(3))\ndef f(): return A.t", 3, id="setattr"
        ),
        pytest.param(
            "T = {}\ndef put(k): T[k] = log(k)\nput(3)\ndef f(): return T[3]", 3, id="registry"
        ),
        pytest.param(
            "def fill(t): t[0] = log(3)\nT = [0]\nfill(T)\ndef f(): return T[0]", 3, id="argument"
        ),
        pytest.param(
            "def setup():\n    global T\n    T = log(3)\ndef main(): setup()\nmain()\n"
            "def f(): return T",
            3,
            id="global-through-two-calls",
        ),
        pytest.param("if log(True):\n    def f(): return 3", 3, id="condition"),
        pytest.param(
            "try:\n    T = log(3)\nexcept OSError:\n    T = 4\ndef f(): return T", 3, id="try"
        ),
        pytest.param("import random\nrandom.seed(log(3))\ndef f(): return LOG[0]", 3, id="seed"),
        pytest.param(
            "def f(): return 0\nf = (lambda g: lambda: log(3))(f)", 3, id="wrapped-target"
        ),
        pytest.param("def f(): return T\nT, U = log(3), 4", 3, id="tuple-set-later"),
        pytest.param(
            "try:\n    log(1)[0]\nexcept TypeError:\n    T = 3\ndef f(): return T", 3, id="handler"
        ),
        pytest.param(
            "S = log(True)\nif S:\n    T = 3\nelse:\n    T = 4\ndef f(): return T",
            3,
            id="if-header",
        ),
        pytest.param(
            "from io import StringIO\nwith StringIO('333') as h:\n    T = len(h.read())\n"
            "def f(): return T",
            3,
            id="with-header",
        ),
        pytest.param(
            "S = log([3])\nmatch S:\n    case [T]:\n        log(9)\ndef f(): return T",
            3,
            id="match-header",
        ),
        pytest.param(
            "S = log(3)\nif S:\n    if S:\n        T = log(S)\ndef f(): return T", 3, id="nested"
        ),
    ],
)
def test_what_a_target_needs_runs(load: Load, source: str, value: object) -> None:
    loaded = load(LOG + source, "f")
    function: Any = loaded.lookup(STEM, "f")

    assert function() == value
    assert problems(loaded) == []


def test_a_local_variable_does_not_make_a_demonstration_needed(load: Load) -> None:
    source = "def f(x=1):\n    scores = x\n    return scores\nscores = log(1)\nx = log(2)\n"

    assert ran(load, source) == []


def test_an_attribute_does_not_make_a_demonstration_needed(load: Load) -> None:
    source = "scale = log(1)\nclass f:\n    def g(self): return self.scale\n"
    loaded = load(LOG + source, "f")

    assert "was not run (first: `scale = log(1)`)" in notes(loaded)[0][1]


def test_definitions_inside_a_condition_survive_the_demonstration_beside_them(load: Load) -> None:
    source = "if True:\n    def f(): return 1\n    log(1)\n    for i in range(9): log(i)\n"

    assert ran(load, source) == []


def test_one_note_says_what_was_left_out(load: Load) -> None:
    loaded = load("def f(): return 1\nprint(f())\nfor i in range(3):\n    f()\n", "f")

    assert notes(loaded) == [
        (2, "2 statements were not run (first: `print(f())`): no exercise needs the result")
    ]


def test_a_statement_that_lacks_a_left_out_result_is_no_problem(load: Load) -> None:
    loaded = load("import math\nx = math.sqrt(2)\ny = x + 1\nz = y * 2\ndef f(): pass\n", "f")

    assert problems(loaded) == []
    assert (3, "`y = x + 1` was not run: it uses `x`, which was left out") in notes(loaded)
    assert (4, "`z = y * 2` was not run: it uses `y`, which was left out") in notes(loaded)


def test_what_uses_a_blank_left_empty_is_no_second_problem(load: Load) -> None:
    loaded = load("keys = ### your code\nfirst = keys[0]\ndef f(): pass\n", "f")

    assert [line for _, line, _ in problems(loaded)] == [1]
    assert notes(loaded) == [
        (2, "`first = keys[0]` was not run: it uses `keys`, which was left out")
    ]


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        pytest.param("# %%\n# demo\nb = 1 / 0\n\n# %%\nc = 1\n", ["c"], id="first-line-of-a-cell"),
        pytest.param("# %% demo\nb = 1 / 0\n# %%\nc = 1\n", ["c"], id="tagged-cell"),
        pytest.param(
            "# %%\nc = 1\n\n# Demo:\nb = 1 / 0\ndef d(): pass\n", ["c", "d"], id="section"
        ),
        pytest.param("# demo of nothing\nc = 1\n", ["c"], id="only-a-comment"),
    ],
)
def test_a_section_marked_as_a_demonstration_is_left_out(
    load: Load, source: str, kept: list[str]
) -> None:
    loaded = load(source, "b", *kept)
    kinds = {name: target(loaded, name)["kind"] for name in ["b", *kept]}

    assert kinds.pop("b") == "missing"
    assert "missing" not in kinds.values()
    assert problems(loaded) == []


def test_a_training_script_costs_nothing(load: Load) -> None:
    source = """
    import torch
    from torch import nn, optim
    from torch.utils.data import DataLoader

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    EPOCHS = 10 ** 9

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 3)
        def forward(self, x):
            return self.layer(x.to(device))

    model = Net().to(device)
    optimiser = optim.Adam(model.parameters())
    for epoch in range(EPOCHS):
        optimiser.zero_grad()
        model(torch.randn(1, 2)).sum().backward()
        optimiser.step()
    torch.save(model.state_dict(), "/nowhere/model.pt")
    print("done", epoch)
    """
    loaded = load(source, "Net")
    net: Any = loaded.lookup(STEM, "Net")

    assert problems(loaded) == []
    assert repr(net()).startswith("Net(\n  (layer): Linear(")
    assert net.__module__ == STEM
    assert all(path == FILE for path, _ in load.progress)
