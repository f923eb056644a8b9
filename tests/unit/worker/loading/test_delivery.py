"""The package works where it is delivered as text, in a bare interpreter without its files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LOADING = Path(__file__).parents[4] / "grader" / "worker" / "loading"
TEXT = LOADING.parents[1] / "text"
WIRE = LOADING.parents[1] / "wire"
MESSAGES = ("faults", "files", "frame", "load_plan", "load_report")
"""The modules of the wire that loading needs: none of them imports torch."""

RECEIVE = r"""
import importlib.abc, importlib.util, json, sys

sources = json.loads(sys.stdin.read())

class Delivered(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name not in sources:
            return None
        package = any(other.startswith(name + ".") for other in sources)
        return importlib.util.spec_from_loader(name, self, is_package=package)

    def exec_module(self, module):
        exec(compile(sources[module.__name__], module.__name__, "exec"), module.__dict__)

sys.meta_path.insert(0, Delivered())
before = set(sys.modules)
from grader.wire.load_plan import LoadPlan
from grader.worker.loading import load

foreign = {name.partition(".")[0] for name in set(sys.modules) - before}
foreign -= {"grader", *sys.stdlib_module_names}
source = b"from utils import N\nimport grader\ndef f(): return N + 1\n"
files = {"a1_attention.py": source, "utils.py": b"N = 2\n"}
plan = LoadPlan(files, {"a1_attention": "a1_attention.py"}, {"a1_attention": ("f",)}, {})
loaded = load(plan, lambda path, index: None)
loaded.reset()
notes = [note.kind for note in loaded.report.notes]
print(json.dumps([sorted(foreign), loaded.lookup("a1_attention", "f")(), notes]))
"""


def interpreters() -> list[str]:
    """This Python, and each other one here that the grader supports."""
    others = {Path(sys.executable).resolve()}
    for minor in (12, 13, 14):
        on_path = shutil.which(f"python3.{minor}")
        beside = sorted(Path(sys.base_prefix).parent.glob(f"3.{minor}.*/bin/python3.{minor}"))
        others |= {Path(path).resolve() for path in (on_path, *beside) if path}
    return [str(path) for path in sorted(others) if _runs(path)]


def _runs(path: Path) -> bool:
    # A shim of a version manager is there for every version that anybody ever chose.
    return subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: Path(path).name)
def test_it_loads_a_submission_without_files_site_or_torch(python: str) -> None:
    sources = {"grader": "", "grader.text": "", "grader.worker": "", "grader.wire": ""}
    for name in ("language", "particles"):
        sources[f"grader.text.{name}"] = (TEXT / f"{name}.py").read_text(encoding="utf-8")
    for name in MESSAGES:
        sources[f"grader.wire.{name}"] = (WIRE / f"{name}.py").read_text(encoding="utf-8")
    for path in sorted(LOADING.rglob("*.py")):
        parts = path.relative_to(LOADING.parents[2]).with_suffix("").parts
        sources[".".join(parts).removesuffix(".__init__")] = path.read_text(encoding="utf-8")
    done = subprocess.run(
        [python, "-I", "-S", "-B", "-c", RECEIVE],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        timeout=60,
    )

    assert done.stderr == ""
    foreign, value, notes = json.loads(done.stdout)
    assert foreign == []
    assert value == 3
    assert notes == ["note"]


@pytest.mark.parametrize("python", interpreters(), ids=lambda path: Path(path).name)
def test_every_supported_python_reads_all_of_the_grader(python: str) -> None:
    """Without a warning, such as one of a syntax that the next release will refuse."""
    read = "import pathlib, sys\nfor one in pathlib.Path(sys.argv[1]).rglob('*.py'):\n"
    read += "    compile(one.read_bytes(), str(one), 'exec', dont_inherit=True)"
    done = subprocess.run(
        [python, "-I", "-W", "error", "-c", read, str(LOADING.parents[1])],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
