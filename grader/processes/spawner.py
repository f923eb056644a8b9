"""Start each worker as a new process, where a process with torch cannot be forked (macOS).

To the judge it behaves like a zygote; a worker then costs one `import torch`.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from ..text.language import _
from ..worker.jail.kernel import PR_SET_DUMPABLE, prctl
from ..worker.tiers import unconfined
from ..worker.zygote import WorkerSource
from .bootstrap import Bootstrap, spawn, speak


def main(config: dict[str, Any], bootstrap: Bootstrap) -> None:
    """Run the spawner process: serve the judge on the socket named in `config`."""
    prctl(PR_SET_DUMPABLE, 0)
    control = socket.socket(fileno=config["control"])

    def start(sock_fd: int, output_fd: int, tally_fd: int, worker: dict[str, Any]) -> int:
        job = {
            "socket": sock_fd,
            "output": output_fd,
            "tally": tally_fd,
            "worker": worker,
            "stack_fds": bootstrap["stack_fds"],
        }
        return spawn(
            bootstrap, "grader.processes.spawner:worker_main", job, (sock_fd, output_fd, tally_fd)
        )

    WorkerSource(control, config["scratch"], start, use_scratch=True).serve()
    os._exit(0)


def worker_main(config: dict[str, Any], bootstrap: Bootstrap) -> None:
    """Run a spawned worker."""
    from ..worker import dynamo
    from ..worker import main as worker

    speak(bootstrap)
    dynamo.install()
    reason = _(
        "--spawn starts each process by itself, and no jail can be built around such a process"
    )
    jail = unconfined(config["stack_fds"], reason)
    worker.run(config["socket"], config["output"], config["tally"], config["worker"], jail)
