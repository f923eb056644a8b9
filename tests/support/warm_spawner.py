"""Fork the workers of a spawner, in place of starting each by exec: shipped into its process.

A spawner was started by exec, has imported all that its workers import, and computes nothing. So
does a worker that was exec'd, until it is told what to load: a fork of the one is the other,
without an `import torch` of its own. What an exec would undo is undone here.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict

from grader.processes.bootstrap import Bootstrap
from grader.processes.start_orders import SpawnOrder
from grader.worker.jail.kernel import PR_SET_DUMPABLE, prctl


def spawn(bootstrap: Bootstrap, order: SpawnOrder, _fds: tuple[int, ...]) -> int:
    """Fork a worker and return its pid; it closes the descriptors that it is not to have."""
    from grader.processes.spawner import worker_main

    pid = os.fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            prctl(PR_SET_DUMPABLE, 1)
            del sys.modules[__name__]
            worker_main({**bootstrap.encoded(), "order": asdict(order)})
        finally:
            os._exit(1)
    return pid
