"""Share what took long between the processes of a test run."""

from __future__ import annotations

import fcntl
import os
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

T = TypeVar("T")


def shared(folder: Path, name: str, make: Callable[[], T]) -> T:
    """Return what `make` returns: made once, by whoever of a run comes first.

    Others wait for it, and read it from `folder`, which belongs to one run. If `make` raises, so
    does this, and the next one tries again.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / name.replace(" ", "-")
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return cast(T, pickle.loads(path.read_bytes()))
        made = make()
        descriptor, new = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            pickle.dump(made, file)
        Path(new).replace(path)
        return made
