"""Keep a process's memory from other processes of the same user, and out of core files."""

from __future__ import annotations

import resource

from ..worker.jail.kernel import PR_SET_DUMPABLE, prctl


def keep_private() -> None:
    """Let no ordinary user trace or read this process or its children, or have its core file."""
    prctl(PR_SET_DUMPABLE, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
