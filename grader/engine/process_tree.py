"""Start the process tree before it is known what is to be graded.

Importing torch takes longer than all else together and needs to know nothing: a command that grades
a single submission starts it first and reads the course meanwhile.

Process: parent
Started by: you, on the command line
Knows: the course and its rubric, the files of all submissions as bytes, the results. Never imports
    torch, never runs a suite or a submission
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from ..processes.bootstrap import Bootstrap, pack
from ..text.language import _
from ..text.typed import here
from .lanes import Lane, Starter, must_exec, starter


class TorchMissing(Exception):
    """torch, or another package for grading, is not installed. The message says what to do."""


@dataclass
class ProcessTree:
    """A process tree that was started: a context manager around the starter of lanes."""

    bootstrap: Bootstrap
    by_exec: bool
    scratch: str
    """Path of a folder that is made by the first worker that needs it: most tiers leave nothing on
    disk even if killed."""
    errors: IO[bytes]
    """A file that takes the standard error of our own processes, unless GRADER_DEBUG is set."""
    starter: Starter
    running: bool = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self, lanes: Iterable[Lane] = ()) -> None:
        """End everything, with the lanes that were started from it.

        Only the first call has an effect.
        """
        if not self.running:
            return
        self.running = False
        self.starter.close()
        for lane in lanes:
            lane.kill()
        for fd in self.bootstrap.stack_fds:
            os.close(fd)
        self.errors.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def again(self, lanes: Iterable[Lane]) -> None:
        """End the starter and these lanes, and start a new starter."""
        self.starter.close()
        for lane in lanes:
            lane.kill()
        self.starter = _starter(self.bootstrap, self.scratch, self.errors, self.by_exec)

    def last_errors(self) -> str:
        self.errors.seek(0)
        return self.errors.read()[-4000:].decode("utf-8", "replace").strip()


def begin(*, spawn: bool) -> ProcessTree:
    """Start the process tree; with `spawn`, by exec only. Raises TorchMissing."""
    try:
        bootstrap = pack()
    except ModuleNotFoundError as error:
        raise TorchMissing(
            _(
                "{module} is not installed for {python}. Next: {command}",
                module=error.name,
                python=sys.executable,
                command=here().command("doctor"),
            )
        ) from None
    scratch = str(Path(tempfile.gettempdir()) / f"grader-{secrets.token_hex(16)}")
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the tree
    by_exec = must_exec(spawn)
    return ProcessTree(
        bootstrap, by_exec, scratch, errors, _starter(bootstrap, scratch, errors, by_exec)
    )


def _starter(bootstrap: Bootstrap, scratch: str, errors: IO[bytes], by_exec: bool) -> Starter:
    errors_fd = 2 if os.environ.get("GRADER_DEBUG") else errors.fileno()
    return starter(bootstrap, scratch, errors_fd, by_exec=by_exec)
