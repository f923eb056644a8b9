"""Runs pip, says what it is at, and keeps what it said for when it fails."""

import re
import subprocess
import sys
import time
from typing import List, NamedTuple


class CannotSetUp(Exception):
    """Why there is no environment, and what to type."""


class PipFailed(CannotSetUp):
    """pip gave up; `reason` is the line of its own that says most."""

    def __init__(self, said: str) -> None:
        lines = said.splitlines()
        errors = [line for line in lines if not line.startswith("WARNING")]
        # Why there was no connection stands only in the warnings, behind much else.
        broken = [_connection(line) for line in lines if "connection broken by" in line]
        words = broken[-1:] + errors
        # The last of several lines says most, but for one that only points to a manual.
        plain = [line for line in errors if "ResolutionImpossible" not in line]
        self.reason = (broken or plain or ["it said nothing"])[-1].replace("ERROR: ", "")
        super().__init__(
            "pip could not do it. Its own words:\n\n    "
            + "\n    ".join(words[-12:])
            + "\n\nOnce that is mended (most often: no network), run make again."
        )


def _connection(line: str) -> str:
    """What broke a connection, out of a warning that begins with how often it was tried."""
    return re.sub(r"<[^>]*>: ", "", line[line.index("connection broken by") :])


class Pip(NamedTuple):
    """The command that runs pip for one environment."""

    command: List[str]

    def run(self, arguments: List[str], doing: str = "") -> str:
        """What pip printed. Its warnings and errors are shown only if it failed."""
        command = [*self.command, "--disable-pip-version-check", "--no-input", *arguments]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True
        )
        out, err = _watched(process, doing)
        if process.returncode:
            raise PipFailed(err)
        return out


def say(line: str) -> None:
    print(line, flush=True)


def _watched(process: "subprocess.Popen[str]", doing: str) -> "tuple[str, str]":
    """What the process printed, with the seconds counted on a terminal meanwhile."""
    started = time.monotonic()
    counts = bool(doing) and sys.stdout.isatty()
    if doing:
        print(f"  {doing} ...", end="" if counts else "\n", flush=True)
    while True:
        try:
            out, err = process.communicate(timeout=1)
            break
        except subprocess.TimeoutExpired:
            if counts:
                seconds = time.monotonic() - started
                print(f"\r  {doing} ... {seconds:.0f} s", end="", flush=True)
    if counts:
        print(flush=True)
    return out, err
