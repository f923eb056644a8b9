"""A copy of this course to spoil."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    root = tmp_path / "course"
    for name in ("reference", "assignments", "tests/suites"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    shutil.copy(ROOT / "rubric.yaml", root)
    return root
