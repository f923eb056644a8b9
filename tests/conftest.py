"""How many tests run at the same time, and in which language: whatever this machine speaks."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from grader.language import ENGLISH, use_language

# Of processes that tests start, too; before anything of ours reads it.
os.environ["LANGUAGE"] = ENGLISH

MOST = 4
"""Each of them may grade in two processes of its own."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    return max(1, min(MOST, os.cpu_count() or 1))


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """What one test speaks, no other one does."""
    yield
    use_language(ENGLISH)
