"""Starts each worker as a new process where forking a warm torch is not to be had (macOS).

Plays the zygote's part towards the judge; a worker then costs one `import torch`.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from ..language import _
from ..parcel import Parcel, spawn, speak
from .jail.kernel import PR_SET_DUMPABLE, prctl
from .tiers import unconfined
from .zygote import WorkerSource


def main(config: dict[str, Any], parcel: Parcel) -> None:
    """Entry of the spawner process: serve the judge on the socket named in `config`."""
    prctl(PR_SET_DUMPABLE, 0)
    control = socket.socket(fileno=config["control"])

    def start(sock_fd: int, output_fd: int, worker: dict[str, Any]) -> int:
        job = {
            "socket": sock_fd,
            "output": output_fd,
            "worker": worker,
            "stack_fds": parcel["stack_fds"],
        }
        return spawn(parcel, "grader.worker.spawner:worker_main", job, (sock_fd, output_fd))

    WorkerSource(control, config["scratch"], start, use_scratch=True).serve()
    os._exit(0)


def worker_main(config: dict[str, Any], parcel: Parcel) -> None:
    """Entry of a spawned worker."""
    from . import dynamo
    from . import main as worker

    speak(parcel)
    dynamo.install()
    reason = _("--spawn starts each process anew, where no jail can be built around it")
    jail = unconfined(config["stack_fds"], reason)
    worker.run(config["socket"], config["output"], config["worker"], jail)
