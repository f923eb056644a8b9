"""Timing of alternatives in turn, so that a noisy machine is noisy for both."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One line of the result."""

    name: str
    value: str
    target: str
    holds: bool | None

    def __str__(self) -> str:
        mark = {True: "ok  ", False: "MISS", None: "    "}[self.holds]
        return f"{mark} {self.name:<58} {self.value:>16}   {self.target}"


def seconds(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def command(arguments: Sequence[str], exits: tuple[int, ...] = (0,)) -> Callable[[], None]:
    """A whole process, its output thrown away."""

    def run() -> None:
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in exits:
            raise RuntimeError(f"{arguments} exited {done.returncode}: {done.stderr[-2000:]}")

    return run


def together(commands: Sequence[Sequence[str]]) -> Callable[[], None]:
    """Several processes at the same time; done when the last one is."""

    def run() -> None:
        started = [
            subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.DEVNULL)
            for arguments in commands
        ]
        if any([process.wait() for process in started]):
            raise RuntimeError(f"{commands[0]} failed")

    return run


def alternating(
    first: Callable[[], object], second: Callable[[], object], runs: int
) -> tuple[list[float], list[float]]:
    """Both in turn, after one of each that does not count."""
    seconds(first), seconds(second)
    pairs = [(seconds(first), seconds(second)) for _ in range(runs)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def ratio(name: str, a: list[float], b: list[float], target: float) -> Row:
    """The median of the pairwise ratios a / b against its target."""
    middle = statistics.median(x / y for x, y in zip(a, b, strict=True))
    detail = f"{statistics.median(a):.2f} s / {statistics.median(b):.2f} s"
    return Row(f"{name}  ({detail})", f"{middle:.2f} x", f"<= {target} x", middle <= target)


def limit(name: str, values: list[float], target_ms: float) -> Row:
    """The median in milliseconds against its target."""
    middle = statistics.median(values) * 1e3
    return Row(name, f"{middle:.1f} ms", f"<= {target_ms:g} ms", middle <= target_ms)
