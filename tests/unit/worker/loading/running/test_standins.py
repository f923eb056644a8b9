"""Absent modules are inert at load time, and an error in graded code."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from grader.worker.loading.running.standins import Gate, Standin
from tests.unit.worker.loading.samples import STEM, Load, notes, problems, target

COURSE_CELL = """
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
plt.style.use("ggplot")
import torch
import torch.nn as nn
import torchvision.transforms as transforms
from torchvision.transforms import Compose, Resize, ToTensor
from einops.layers.torch import Rearrange, Reduce
from torchsummary import summary
from PIL import Image
from tqdm.notebook import tqdm
from sklearn import model_selection, metrics
from IPython.display import display as show
from torch.utils.tensorboard import SummaryWriter
import grader, reference.a1_attention, tests.suites
%s
"""


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def thing(gate: Gate) -> Any:
    return Standin("matplotlib.pyplot", gate, "`matplotlib` is not available while grading")


def test_the_import_cell_of_the_course_loads_with_one_note_a_module(load: Load) -> None:
    loaded = load(COURSE_CELL % "def f(): return 1", "f")

    assert problems(loaded) == []
    named = [text.split("`")[1] for _, text in notes(loaded) if "does nothing" in text]
    assert named == [
        "pandas", "matplotlib", "torchvision", "torchsummary", "PIL", "tqdm", "sklearn",
        "IPython", "tensorboard", "grader", "reference", "tests",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "definition",
    [
        pytest.param("class A(transforms.Lambda): pass", id="base-class"),
        pytest.param("class A(nn.Module, transforms.Mixin): pass", id="second-base-class"),
        pytest.param("@tqdm\nclass A: pass", id="decorator"),
        pytest.param("@plt.rc(figsize=3)\nclass A: pass", id="decorator-with-options"),
        pytest.param("class A:\n    def f(self, i: Image.Image | None): pass", id="annotation"),
        pytest.param("class A:\n    palette = plt.cm.viridis(3)[2] + 1", id="class-attribute"),
        pytest.param("class A:\n    def f(self, to=Compose([ToTensor()])): pass", id="default"),
        pytest.param("if plt.x > 3 or len(plt.y) < 1:\n    class A: pass", id="condition"),
        pytest.param("with plt.ioff():\n    class A: pass", id="context"),
    ],
)
def test_definitions_that_mention_a_stand_in_load(load: Load, definition: str) -> None:
    loaded = load(COURSE_CELL % definition, "A")

    assert problems(loaded) == []
    assert target(loaded, "A")["kind"] == "class"


@pytest.mark.parametrize(
    "use",
    [
        "thing()",
        "thing.plot([1], label='x')",
        "thing + 1",
        "1 @ thing",
        "-thing",
        "thing[0]",
        "thing < 2",
        "float(thing)",
        "int(thing)",
        "len(thing)",
        "list(thing)",
        "3 in thing",
        "thing.__enter__()",
        "range(thing)",
        "thing.__setitem__(0, 1)",
    ],
)
def test_every_use_is_inert_until_graded_code_runs(gate: Gate, thing: Any, use: str) -> None:
    code = compile(use, "use", "eval")
    eval(code)
    gate.graded = True

    with pytest.raises(ModuleNotFoundError, match="`matplotlib` is not available while grading"):
        eval(code)


@pytest.mark.parametrize(
    ("harmless", "value"),
    [
        ("isinstance(3, thing.Figure)", False),
        ("issubclass(int, thing.Figure)", False),
        ("bool(thing)", True),
        ("thing.plot is thing.plot", True),
        ("copy.deepcopy(thing) is thing", True),
        ("repr(thing.plot)", "<stand-in for matplotlib.pyplot.plot>"),
        ("hasattr(thing, '__torch_function__')", False),
    ],
)
def test_looking_at_one_is_no_use(gate: Gate, thing: Any, harmless: str, value: object) -> None:
    gate.graded = True

    assert eval(harmless, {"thing": thing, "copy": copy}) == value


def test_making_a_class_that_derives_from_one_is_a_use(load: Load) -> None:
    source = "from torchvision import Base\nclass A(Base):\n    def __init__(self): pass\n"
    loaded = load(source, "A")
    made: Any = loaded.lookup(STEM, "A")
    made()
    loaded.graded = True

    with pytest.raises(ModuleNotFoundError, match=r"`torchvision.Base` is used here"):
        made()


def test_a_decorated_function_stays_what_it_was(thing: Any) -> None:
    def function() -> None: ...

    assert thing(function) is function


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import torchvision\n    HAS = True\nexcept ImportError:\n    HAS = False",
        (
            "try:\n    from tqdm import tqdm\n    HAS = True\n"
            "except (OSError, ModuleNotFoundError):\n    HAS = False"
        ),
        "try:\n    import google.colab\n    HAS = True\nexcept:\n    HAS = False",
        (
            "from contextlib import suppress\nHAS = False\nwith suppress(ImportError):\n"
            "    import pandas\n    HAS = True"
        ),
        (
            "def probe():\n    try:\n        import seaborn\n    except Exception:\n"
            "        return False\n    return True\nHAS = probe()"
        ),
    ],
)
def test_code_that_expects_a_module_to_be_absent_is_told_so(load: Load, source: str) -> None:
    loaded = load(source, "HAS")

    assert loaded.lookup(STEM, "HAS") is False
    assert loaded.report.notes == ()


def test_a_target_that_comes_from_an_absent_module_is_missing(load: Load) -> None:
    loaded = load("from torchvision.ops import f\n", "f")

    assert target(loaded, "f")["kind"] == "missing"
    with pytest.raises(LookupError, match="comes from a module that is not available"):
        loaded.lookup(STEM, "f")


def test_magics_of_exported_notebooks_do_nothing(load: Load) -> None:
    source = """
    get_ipython().system('pip install einops')
    get_ipython().run_line_magic('matplotlib', 'inline')
    x = 3
    display(x)
    breakpoint()
    def f(): return x
    """

    assert problems(load(source, "f")) == []
