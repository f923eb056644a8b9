"""Start each worker as a new process, where a process with torch cannot be forked (macOS).

To the judge it behaves like a zygote; a worker then costs one `import torch`.
"""

from __future__ import annotations

import os
import socket
from dataclasses import asdict, dataclass
from typing import Any

from ..text.language import _
from ..worker.isolation import WorkerConfig
from ..worker.jail.kernel import PR_SET_DUMPABLE, prctl
from ..worker.tiers import unconfined
from ..worker.zygote import WorkerSource
from .bootstrap import Bootstrap, spawn, speak


@dataclass(frozen=True)
class SpawnOrder:
    """The worker that is to be started: the numbers of its descriptors, its limits, its folder."""

    socket: int
    output: int
    tally: int
    limits: dict[str, int]
    scratch: str


def main(config: dict[str, Any], bootstrap: Bootstrap) -> None:
    """Run the spawner process: serve the judge on the socket named in `config`."""
    prctl(PR_SET_DUMPABLE, 0)
    control = socket.socket(fileno=config["control"])

    def start(sock_fd: int, output_fd: int, tally_fd: int, worker: WorkerConfig) -> int:
        order = SpawnOrder(sock_fd, output_fd, tally_fd, dict(worker.limits), worker.scratch)
        fds = (sock_fd, output_fd, tally_fd)
        return spawn(bootstrap, "grader.processes.spawner:worker_main", asdict(order), fds)

    WorkerSource(control, config["scratch"], start, use_scratch=True).serve()
    os._exit(0)


def worker_main(config: dict[str, Any], bootstrap: Bootstrap) -> None:
    """Run a spawned worker."""
    from ..worker import dynamo
    from ..worker import main as worker

    speak(bootstrap)
    dynamo.install()
    order = SpawnOrder(**config)
    reason = _(
        "--spawn starts each process by itself, and no jail can be built around such a process"
    )
    jail = unconfined(bootstrap["stack_fds"], reason)
    own = WorkerConfig(order.limits, order.scratch)
    worker.run(order.socket, order.output, order.tally, own, jail)
