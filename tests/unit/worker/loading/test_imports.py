"""The files of a submission find each other, and nothing of theirs hides a real module."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import pytest

from grader.wire.load_report import ModuleReport, TargetReport
from grader.worker.loading import Loaded
from tests.unit.worker.loading.samples import FILE, STEM, Load, notes, problems, target

UTILS = "def scale(x): return 2 * x\nWIDTH = 3\n"
TWO = {STEM: FILE, "a3_multi_head": "a3_multi_head.py"}


def call(loaded: Loaded, name: str = "f", stem: str = STEM) -> Any:
    function: Any = loaded.lookup(stem, name)
    return function()


@pytest.mark.parametrize(
    "line",
    [
        "from utils import scale",
        "import utils\nscale = utils.scale",
        "import utils as u\ndef scale(x): return u.scale(x)",
        "from .utils import scale",
        "from . import utils\nscale = utils.scale",
        "from utils import *",
        "from assignments.utils import scale",
        "import assignments.utils as u\nscale = u.scale",
        "import importlib\nscale = importlib.import_module('utils').scale",
        "scale = __import__('utils').scale",
        "try:\n    from utils import scale\nexcept ImportError:\n    pass",
        "def scale(x):\n    from utils import scale\n    return scale(x)",
        "def scale(x):\n    from . import utils\n    return utils.scale(x)",
    ],
)
def test_a_helper_file_is_found_in_every_form(load: Load, line: str) -> None:
    loaded = load({FILE: f"{line}\ndef f(): return scale(21)\n", "utils.py": UTILS}, "f")

    assert call(loaded) == 42
    assert problems(loaded) == []
    loaded.reset()
    assert call(loaded) == 42


@pytest.mark.parametrize(
    "line",
    [
        "from a1_attention import f",
        "from assignments.a1_attention import f",
        "from .a1_attention import f",
        "import a1_attention as a\nf = a.f",
        "import assignments.a1_attention as a\nf = a.f",
        "from assignments import a1_attention\nf = a1_attention.f",
        "from . import a1_attention as a\nf = a.f",
        "from a1_attention import *",
        "import assignments.a1_attention\nf = assignments.a1_attention.f",
    ],
)
@pytest.mark.parametrize(
    "paths",
    [
        pytest.param((FILE, "a3_multi_head.py"), id="side-by-side"),
        pytest.param(("assignments/a1_attention.py", "assignments/a3_multi_head.py"), id="folder"),
        pytest.param(("week1/my a1 (2).py", "week3/a3.py"), id="elsewhere"),
    ],
)
def test_one_assignment_imports_another(load: Load, line: str, paths: tuple[str, str]) -> None:
    files = {paths[0]: "def f(): return 5\n", paths[1]: f"{line}\ndef g(): return f() + 1\n"}
    entries = dict(zip(TWO, paths, strict=True))
    targets = {STEM: ("f",), "a3_multi_head": ("g",)}
    loaded = load(files, entries=entries, targets=targets)

    assert call(loaded, "g", "a3_multi_head") == 6
    assert loaded.lookup("a3_multi_head", "f") is loaded.lookup(STEM, "f")
    assert problems(loaded) == []


@pytest.mark.parametrize(
    "line",
    [
        "from model.parts.head import merge",
        "import model.parts.head\nmerge = model.parts.head.merge",
        "import model.parts.head as h\nmerge = h.merge",
        "from model.parts import head\nmerge = head.merge",
        "from model import merge",
        "from model import *",
        "from .model.parts.head import merge",
    ],
)
@pytest.mark.parametrize("parts_init", [True, False], ids=["package", "plain-folder"])
def test_sub_packages_are_found(load: Load, line: str, parts_init: bool) -> None:
    files = {
        FILE: f"{line}\ndef f(): return merge()\n",
        "model/__init__.py": "from .parts.head import merge\n__all__ = ['merge']\n",
        "model/parts/head.py": "from ..shared import BASE\ndef merge(): return BASE + 2\n",
        "model/shared.py": "BASE = 40\n",
    }
    if parts_init:
        files["model/parts/__init__.py"] = ""
    loaded = load(files, "f")

    assert call(loaded) == 42
    assert problems(loaded) == []


def test_a_helper_beside_an_assignment_in_a_folder_is_found(load: Load) -> None:
    files = {"hw/a1_attention.py": "import utils\ndef f(): return utils.scale(1)\n"}
    files["hw/utils.py"] = UTILS
    loaded = load(files, "f", entries={STEM: "hw/a1_attention.py"})

    assert call(loaded) == 2


@pytest.mark.parametrize("first", [STEM, "a3_multi_head"])
def test_an_import_cycle_works_as_in_python(load: Load, first: str) -> None:
    files = {
        FILE: "import a3_multi_head\ndef f(): return a3_multi_head.g() + 1\n",
        "a3_multi_head.py": "import a1_attention\ndef g(): return 1\ndef h(): "
        "return a1_attention.f()\n",
    }
    entries = {first: TWO[first], **TWO}
    loaded = load(files, entries=entries, targets={STEM: ("f",), "a3_multi_head": ("h",)})

    assert call(loaded, "h", "a3_multi_head") == 2
    assert problems(loaded) == []
    loaded.reset()
    assert call(loaded, "h", "a3_multi_head") == 2


@pytest.mark.parametrize("name", ["random", "math", "torch", "numpy", "einops", "types"])
def test_a_file_cannot_hide_a_real_module(load: Load, name: str) -> None:
    before = sys.modules.get(name)
    files = {FILE: f"import {name} as real\nfrom . import {name} as own\ndef f(): return own.X\n"}
    files[f"{name}.py"] = "X = 'own'\n"
    loaded = load(files, "f")

    assert call(loaded) == "own"
    assert getattr(loaded.lookup(STEM, "real"), "X", None) is None
    assert before is None or sys.modules[name] is before


def test_an_assignment_may_be_called_like_a_real_module(load: Load) -> None:
    files = {"queue.py": "import queue\nclass Queue: pass\nQ = queue.Queue\n"}
    loaded = load(files, entries={"queue": "queue.py"}, targets={"queue": ("Queue", "Q")})

    assert loaded.lookup("queue", "Q") is importlib.import_module("queue").Queue
    assert loaded.lookup("queue", "Queue") is not importlib.import_module("queue").Queue


def test_a_broken_helper_costs_what_needs_it_only(load: Load) -> None:
    files = {
        FILE: "from utils import scale, broken\nimport utils\ndef f(): return utils.scale(1)\n",
        "utils.py": "def scale(x): return x\ndef broken(:\n    pass\nX = 1 / 0\n",
    }
    loaded = load(files, "f")

    assert call(loaded) == 1
    assert [(file, line) for file, line, _ in problems(loaded)] == [
        ("utils.py", 2),
        ("utils.py", 4),
        (FILE, 1),
    ]


def test_what_another_file_imports_is_needed(load: Load) -> None:
    files = {
        FILE: "from utils import TABLE\nimport more\ndef f(): return TABLE[0] + more.SIZE\n",
        "utils.py": "TABLE = list(range(5, 6))\nunused = print('never')\n",
        "more.py": "SIZE = len('ab')\nunused = print('never')\n",
    }
    loaded = load(files, "f")

    assert call(loaded) == 7
    assert [line for line, _ in notes(loaded)] == [2, 2]


def test_a_helper_imported_late_is_loaded_in_full_and_not_announced(load: Load) -> None:
    source = "def f():\n    import importlib\n    return importlib.import_module('ut' + 'ils').N\n"
    loaded = load({FILE: source, "utils.py": "N = len('abc')\n"}, "f")
    loaded.graded = True
    announced = len(load.progress)

    assert call(loaded) == 3
    assert len(load.progress) == announced
    assert loaded.graded is True


def test_the_importing_statement_is_announced_again_after_the_import(load: Load) -> None:
    source = "def load():\n    import utils\n    return utils.N\nT = load()\ndef f(): return T\n"
    load({FILE: source, "utils.py": "N = len('abc')\n"}, "f")

    assert load.progress == [(FILE, 1), ("utils.py", 0), (FILE, 1)]


def test_a_relative_import_that_leaves_the_submission_is_a_problem(load: Load) -> None:
    loaded = load("from ..secret import key\ndef f(): return 1\n", "f")

    assert "there is no file for `..secret` in the submission" in problems(loaded)[0][2]
    assert call(loaded) == 1


def test_a_missing_assignment_file_is_named(load: Load) -> None:
    source = (
        "from assignments.a2_masking import CausalAttention\ndef f(): return CausalAttention(1)\n"
    )
    loaded = load(source, "f")
    loaded.graded = True

    assert "no module `assignments.a2_masking`" in problems(loaded)[0][2]
    with pytest.raises(ModuleNotFoundError, match=r"a2_masking\.CausalAttention"):
        call(loaded)


def test_a_misspelt_module_comes_with_a_suggestion(load: Load) -> None:
    loaded = load("import eniops\n")

    assert "(did you mean `einops`?)" in problems(loaded)[0][2]


def test_an_entry_that_is_not_there_is_missing_and_nothing_else(load: Load) -> None:
    loaded = load({FILE: "def f(): return 1\n"}, targets={STEM: ("f",), "a2_masking": ("g",)})

    assert loaded.report.modules["a2_masking"] == ModuleReport(
        "", {"g": TargetReport(why="the submission has no file for a2_masking")}
    )
    with pytest.raises(LookupError, match="no file for a2_masking"):
        loaded.lookup("a2_masking", "g")
    assert target(load("def f(): pass\n", "f"), "f")["kind"] == "function"


def test_closing_leaves_the_interpreter_as_it_was() -> None:
    before = set(sys.modules), list(sys.meta_path), random.getstate()
    loading = Load()
    loading({FILE: "import utils\ndef f(): pass\n", "utils.py": UTILS}, "f")
    loading.close()

    assert (set(sys.modules), list(sys.meta_path), random.getstate()) == before
