"""The worked examples in the hand-outs are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

REFERENCE = Path(__file__).resolve().parents[2] / "reference"


@pytest.mark.parametrize("stem", sorted(path.stem for path in REFERENCE.glob("a[0-9]*_*.py")))
def test_examples_give_what_they_show(stem: str) -> None:
    results = doctest.testmod(importlib.import_module(f"reference.{stem}"))

    assert results.attempted > 0
    assert results.failed == 0
