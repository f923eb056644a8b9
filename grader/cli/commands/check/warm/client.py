"""Ask the process that stays ready to grade, and start one if there is none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from grader.cli.commands.check.warm.place import socket_path
from grader.cli.commands.check.warm.request import WarmRequest
from grader.text.language import language_in_use

START_S = 20.0
"""The longest wait for a process that was started to take a connection."""
POLL_S = 0.01
SERVE = "from grader.cli.commands.check.warm.server import run; run()"


def ask(
    path: Path | None, files: tuple[tuple[str, Path], ...], course_folder: Path | None, **given: Any
) -> int | None:
    """Have the submission graded by the process that stays ready, and return the exit code.

    None if there is no such process and none can be started, or if it ended before it was done:
    then the submission is still to be graded.
    """
    place = socket_path(language_in_use(), spawn=given["spawn"])
    if place is None:
        return None
    request = WarmRequest(
        cwd=str(Path.cwd()),
        environment=dict(os.environ),
        umask=_umask(),
        encodings=(sys.stdout.encoding, sys.stderr.encoding),
        path=None if path is None else str(path),
        files=tuple((name, str(file)) for name, file in files),
        course_folder=None if course_folder is None else str(course_folder),
        **given,
    )
    code = _code(place, request)
    # A process whose own files have changed ends without one; the next is of the new files.
    return _code(place, request) if code is None else code


def _code(place: Path, request: WarmRequest) -> int | None:
    connection = _connected(place) or _started(place, spawn=request.spawn)
    if connection is None:
        return None
    sys.stdout.flush()
    with connection:
        try:
            socket.send_fds(connection, [request.encoded()], [1, 2])
            answer = connection.makefile("rb").readline()
        except OSError:
            return None
    return int(answer) if answer.strip() else None


def _connected(place: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(place))
    except OSError:
        connection.close()
        return None
    return connection


def _started(place: Path, *, spawn: bool) -> socket.socket | None:
    """Start a process that stays ready, and return a connection to it."""
    words = [sys.executable, "-P", "-c", SERVE, str(place), language_in_use(), str(int(spawn))]
    null = subprocess.DEVNULL
    process = subprocess.Popen(
        words, stdin=null, stdout=null, stderr=null, cwd="/", start_new_session=True
    )
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if connection := _connected(place):
            return connection
        if process.poll() is not None:
            return _connected(place)  # another one was quicker
        time.sleep(POLL_S)
    return None


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
