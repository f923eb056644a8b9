"""Grade assignments in PyTorch automatically: the engine, which knows no subject."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    check: Callable[..., None]
    data_file: Callable[[str], Path]
    notebook: Callable[..., None]
    trying: Callable[[], AbstractContextManager[None]]

__version__ = "1.0.0"


def __getattr__(name: str) -> object:
    """Import what notebooks use when it is first used: only those who check wait for torch."""
    # By name: nothing that imports the package reaches torch through these lines.
    if name == "check":
        return importlib.import_module("grader.live.check").check
    if name == "data_file":
        return importlib.import_module("grader.live.data").data_file
    if name in ("notebook", "trying"):
        return getattr(importlib.import_module("grader.live.notebook"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
