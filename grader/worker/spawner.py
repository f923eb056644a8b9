"""Starts each worker as a new process where forking a warm torch is not to be had (macOS).

Plays the zygote's part towards the judge; a worker then costs one `import torch`.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from ..parcel import Parcel, spawn
from .zygote import WorkerSource


def main(config: dict[str, Any], parcel: Parcel) -> None:
    """Entry of the spawner process: serve the judge on the socket named in `config`."""
    control = socket.socket(fileno=config["control"])

    def start(sock_fd: int, output_fd: int, worker: dict[str, Any]) -> int:
        job = {"socket": sock_fd, "output": output_fd, "worker": worker}
        return spawn(parcel, "grader.worker.spawner:worker_main", job, (sock_fd, output_fd))

    WorkerSource(control, config["scratch"], start).serve()
    os._exit(0)


def worker_main(config: dict[str, Any], _: Parcel) -> None:
    """Entry of a spawned worker."""
    from . import main as worker

    worker.run(config["socket"], config["output"], config["worker"])
