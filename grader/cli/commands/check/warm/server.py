"""Run the process that stays ready: it grades for one `grader check --warm` after another.

Process: standby
Started by: parent, exec
Knows: what a parent knows, of one check after another. Ends when nobody has asked for a while,
    or when the grader's own files have changed
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import select
import socket
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from grader import __path__ as package
from grader.cli.cli import guarded
from grader.cli.commands.check.grading import run as check
from grader.cli.commands.check.warm.kept_engine import ClientGone, KeptEngine
from grader.cli.commands.check.warm.request import WarmRequest
from grader.cli.open_engine import OpenEngine
from grader.engine.engine import Tell
from grader.engine.process_tree import begin
from grader.files.state import state_of
from grader.text.language import use_language
from grader.text.news import News

IDLE_S = 600.0
"""The process ends if nobody has asked for so long."""
REQUEST_S = 5.0
"""The longest wait for a client that has connected to say what it wants."""
MOST_BYTES = 1 << 22


def run() -> None:
    """Run the process: the socket's path, the language and whether to spawn are its arguments."""
    place, language, spawn = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "1"
    use_language(language)
    with _listening(place) as listener:
        refused = None if listener is None else serve(listener, spawn=spawn)
    if refused is not None:
        refused.close()  # not before another process can take our place


def serve(listener: socket.socket, *, spawn: bool) -> socket.socket | None:
    """Grade for whoever connects, until nobody has for a while.

    Returns the client that we cannot serve, because the grader's own files have changed.
    """
    own = [Path(path) for path in package]
    state = state_of(*own)
    kept = KeptEngine(begin(spawn=spawn))
    listener.settimeout(IDLE_S)
    try:
        while True:
            client, _address = listener.accept()
            if state_of(*own) != state:
                return client
            with client:
                _answer(client, kept)
    except (ClientGone, TimeoutError):
        return None
    finally:
        kept.close()


@contextlib.contextmanager
def _listening(place: Path) -> Iterator[socket.socket | None]:
    """Listen at this place; None if another process does."""
    with place.with_suffix(".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield None
            return
        lock.truncate(0)
        print(os.getpid(), file=lock, flush=True)
        place.unlink(missing_ok=True)  # of one that was killed
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place))
            listener.listen()
            try:
                yield listener
            finally:
                place.unlink(missing_ok=True)


def _answer(client: socket.socket, kept: KeptEngine) -> None:
    """Grade what a client asks for, and tell it the exit code. Raises ClientGone."""
    try:
        request, streams = _received(client)
    except (OSError, ValueError, TypeError):
        return  # one that ended before it said what it wants
    with _surroundings(request, streams):
        opener = partial(_opener, kept, client)
        code = guarded(partial(check, **request.arguments(), opener=opener))
    with contextlib.suppress(OSError):
        client.sendall(b"%d\n" % code)


def _opener(kept: KeptEngine, client: socket.socket, tell: Tell | None) -> OpenEngine:
    """Return what lends the kept engine to this client, as long as it waits."""

    def hear(news: News | None) -> None:
        if select.select([client], [], [], 0)[0]:  # it says nothing more, but that it ended
            raise ClientGone
        if tell is not None:
            tell(news)

    return kept.opener(hear)


def _received(client: socket.socket) -> tuple[WarmRequest, list[int]]:
    """Return a client's request, with its output and its errors as descriptors."""
    client.settimeout(REQUEST_S)
    line, fds = b"", list[int]()
    try:
        while not line.endswith(b"\n") and len(line) < MOST_BYTES:
            data, more, _flags, _address = socket.recv_fds(client, MOST_BYTES, 2)
            fds += more
            line += data
            if not data:
                raise ConnectionError
        request = WarmRequest.of(line)
        if len(fds) != len(request.encodings):
            raise ConnectionError
    except BaseException:
        for fd in fds:
            os.close(fd)
        raise
    client.settimeout(None)
    return request, fds


@contextlib.contextmanager
def _surroundings(request: WarmRequest, streams: list[int]) -> Iterator[None]:
    """Be where the client is, and write where it writes."""
    os.environ.clear()
    os.environ.update(request.environment)
    os.umask(request.umask)
    os.chdir(request.cwd)
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
        os.close(stream)
    output, errors = (_stream(n, name) for n, name in enumerate(request.encodings, start=1))
    sys.stdout, sys.stderr = output, errors
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):  # such as a reader that has gone
            output.flush()
            errors.flush()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.close(null)
        os.chdir("/")


def _stream(number: int, encoding: str) -> io.TextIOWrapper:
    file = os.fdopen(number, "wb", closefd=False)
    return io.TextIOWrapper(
        file, encoding=encoding, errors="backslashreplace", line_buffering=os.isatty(number)
    )
