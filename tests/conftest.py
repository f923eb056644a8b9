"""How many tests run at the same time."""

from __future__ import annotations

import os

import pytest

MOST = 4
"""Each of them may grade in two processes of its own."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    return max(1, min(MOST, os.cpu_count() or 1))
