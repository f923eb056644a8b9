"""Start each worker as a new process, where a process with torch cannot be forked (macOS).

To the judge it behaves like a zygote; a worker then costs one `import torch`.
"""

from __future__ import annotations

import os
import socket

from ..text.language import _
from ..wire.frame import Meta
from ..worker.isolation import WorkerConfig
from ..worker.jail.kernel import PR_SET_DUMPABLE, prctl
from ..worker.tiers import unconfined
from ..worker.zygote import WorkerSource
from .bootstrap import received, spawn, speak
from .start_orders import SpawnerOrder, SpawnOrder


def main(message: Meta) -> None:
    """Run the spawner process: serve the judge on the socket that its order names."""
    prctl(PR_SET_DUMPABLE, 0)
    own, bootstrap = received(message, SpawnerOrder)
    control = socket.socket(fileno=own.control)

    def start(sock_fd: int, output_fd: int, tally_fd: int, worker: WorkerConfig) -> int:
        order = SpawnOrder(sock_fd, output_fd, tally_fd, worker.limits, worker.scratch)
        return spawn(bootstrap, order, (sock_fd, output_fd, tally_fd))

    WorkerSource(control, own.scratch, start, use_scratch=True).serve()
    os._exit(0)


def worker_main(message: Meta) -> None:
    """Run a spawned worker."""
    from ..worker import dynamo
    from ..worker import main as worker

    order, bootstrap = received(message, SpawnOrder)
    speak(bootstrap)
    dynamo.install()
    reason = _(
        "--spawn starts each process by itself, and no jail can be built around such a process"
    )
    jail = unconfined(bootstrap.stack_fds, reason)
    own = WorkerConfig(order.limits, order.scratch)
    worker.run(order.socket, order.output, order.tally, own, jail)
