"""The process tree under way while nobody knows yet what is to be graded.

Importing torch takes longer than all else together and needs to know nothing: whoever grades a
single submission starts it first and reads the course meanwhile.
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

from .language import _
from .parcel import Parcel, pack
from .processes import Lane, Starter, must_exec, starter


class TorchMissing(Exception):
    """torch, or something else that grading needs, is not installed; says what to do."""


@dataclass
class Begun:
    """A context manager around what starts lanes, and what it stands on."""

    parcel: Parcel
    by_exec: bool
    scratch: str
    """Made by the first worker that needs it: most tiers leave nothing on disk even if killed."""
    errors: IO[bytes]
    """What our own processes complained about."""
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
        """End everything, with the lanes that were started from it. Once is enough."""
        if not self.running:
            return
        self.running = False
        self.starter.close()
        for lane in lanes:
            lane.kill()
        for fd in self.parcel["stack_fds"]:
            os.close(fd)
        self.errors.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def again(self, lanes: Iterable[Lane]) -> None:
        """Start anew what starts lanes; those started so far end."""
        self.starter.close()
        for lane in lanes:
            lane.kill()
        self.starter = _starter(self.parcel, self.scratch, self.errors, self.by_exec)

    def last_errors(self) -> str:
        self.errors.seek(0)
        return self.errors.read()[-4000:].decode("utf-8", "replace").strip()


def begin(*, spawn: bool) -> Begun:
    """Start the tree; with `spawn`, each process of it will be exec'd. Raises TorchMissing."""
    try:
        parcel = pack()
    except ModuleNotFoundError as error:
        raise TorchMissing(
            _(
                "{module} is not installed for {python}. Next: grader doctor",
                module=error.name,
                python=sys.executable,
            )
        ) from None
    scratch = str(Path(tempfile.gettempdir()) / f"grader-{secrets.token_hex(16)}")
    errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the tree
    by_exec = must_exec(spawn)
    return Begun(parcel, by_exec, scratch, errors, _starter(parcel, scratch, errors, by_exec))


def _starter(parcel: Parcel, scratch: str, errors: IO[bytes], by_exec: bool) -> Starter:
    told = 2 if os.environ.get("GRADER_DEBUG") else errors.fileno()
    return starter(parcel, scratch, told, by_exec=by_exec)
