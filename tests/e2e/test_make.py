"""`make check` sets up what a student needs, and `make lint` or `make test` the rest on top.

The Makefile and its set-up as they are, in a folder where the packages are small wheels from an
index on this machine that offers CUDA first, with an index of CPU builds beside it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.package_index import Index, Wheel, serving

ROOT = Path(__file__).resolve().parents[2]
CUDA = (Wheel("torch", "2.13.0", ("nvidia-cudnn-cu13",)), Wheel("nvidia-cudnn-cu13", "9.20"))
CPU = Wheel("torch", "2.13.0+cpu", ("sympy",))
STUDENT = Wheel("rich", "15.0.0")
DEVELOPER = Wheel("ruff", "0.17.6", scripts={name: "#!/bin/sh\n" for name in ("ruff", "mypy")})
GRADER = Wheel(
    "attention-grader",
    "1.0.0",
    ("rich", "torch>=2.6; extra == 'torch'", "ruff; extra == 'dev'"),
    ("torch", "dev"),
    {"grader": '#!/bin/sh\necho "total  0 / 263 points"\nexit 1\n'},
)
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = f"""
import shutil

def build_editable(folder, config_settings=None, metadata_directory=None):
    shutil.copy({GRADER.file!r}, folder)
    return {GRADER.file!r}
"""


@dataclass(frozen=True)
class Clone:
    """A clone in which nothing was set up yet."""

    folder: Path
    usual: Index
    cpu: Index

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        home = self.folder.parent
        kept = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
        for name in ("TORCH", "TORCH_INDEX", "PYTHON", "MAKEFLAGS", "MAKELEVEL"):
            kept.pop(name, None)
        pip = {"CONFIG_FILE": os.devnull, "INDEX_URL": self.usual.url, "NO_CACHE_DIR": "1"}
        return subprocess.run(
            ["make", "--no-print-directory", *arguments, f"CPU_INDEX={self.cpu.url}"],
            cwd=self.folder,
            env={
                **kept,
                **{f"PIP_{name}": value for name, value in pip.items()},
                "PATH": f"{home / 'bin'}:/usr/bin:/bin",
                "HOME": str(home),
                "NO_PROXY": "127.0.0.1",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def installed(self) -> set[str]:
        """The packages in `.venv`, without pip's own."""
        found = {path.name for path in self.folder.glob(".venv/lib/*/site-packages/*.dist-info")}
        names = {name.removesuffix(".dist-info") for name in found}
        return {name for name in names if not name.startswith(("pip-", "setuptools-"))}


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Clone]:
    folder = tmp_path / "a course"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tools" / "set_up", folder / "tools" / "set_up", ignore=ignore)
    (folder / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (folder / "backend.py").write_text(BACKEND, encoding="utf-8")
    (folder / "constraints.txt").write_text("torch==2.13.0\nrich==15.0.0\n", encoding="utf-8")
    GRADER.write(folder)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    base = getattr(sys, "_base_executable", sys.executable)
    python.write_text(f'#!/bin/sh\nexec "{base}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    usual = (*CUDA, STUDENT, DEVELOPER, Wheel("sympy", "1.14.0"))
    with serving(tmp_path / "usual", *usual) as own, serving(tmp_path / "cpu", CPU) as cpu:
        yield Clone(folder, own, cpu)


def test_check_ends_with_the_report_and_lint_adds_its_tools(clone: Clone) -> None:
    checked = clone.make("check")

    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.splitlines()[0].startswith("Setting up .venv, once: about 230 MB")
    assert f"Taking PyTorch's own build for CPUs, from {clone.cpu.url}" in checked.stdout
    assert checked.stdout.splitlines()[-1] == "total  0 / 263 points"
    student = {"attention_grader-1.0.0", "rich-15.0.0", "sympy-1.14.0", "torch-2.13.0+cpu"}
    assert clone.installed == student
    assert clone.cpu.downloaded == [CPU.file]
    assert not {wheel.file for wheel in CUDA} & set(clone.usual.downloaded)

    asked = len(clone.usual.asked)
    assert clone.make("check").stdout == "total  0 / 263 points\n"
    assert len(clone.usual.asked) == asked

    linted = clone.make("lint")
    assert linted.returncode == 0, linted.stdout
    assert linted.stdout.startswith("Adding what tests and lint need to .venv, once")
    assert clone.installed == student | {"ruff-0.17.6"}
    assert clone.cpu.downloaded == [CPU.file]
    assert clone.make("lint", "check").stdout == "total  0 / 263 points\n"
