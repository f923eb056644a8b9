"""Write what was measured beside the peers: `docs/benchmarks.md`, its numbers, and its picture."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import matplotlib

from .job import checks
from .measuring import FEW, MANY, MANY_FAST, Measured

matplotlib.use("svg")
BEGIN, END = "<!-- make bench: peers -->", "<!-- end of peers -->"
OURS, PEER, FLOOR = "#1b6ca8", "#b9c0c7", "#3f7d4e"


def write(docs: Path, rows: Sequence[Measured]) -> None:
    """Write the table, the picture and the numbers into the folder of the docs."""
    page = docs / "benchmarks.md"
    text = page.read_text(encoding="utf-8")
    before, _begin, rest = text.partition(BEGIN)
    _old, _end, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{after}", encoding="utf-8")
    path = docs / "benchmarks.json"  # holds other figures as well
    numbers = json.loads(path.read_text(encoding="utf-8"))
    numbers |= {"machine": machine(), "rows": [asdict(row) for row in rows]}
    path.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    draw(docs / "pictures" / "benchmarks.svg", rows)


def machine() -> dict[str, str]:
    """Return what a reader needs to know of the machine, and nothing that names it."""
    import os

    import torch

    cores = str(os.cpu_count())
    return {"cores": cores, "python": platform.python_version(), "torch": torch.__version__}


def table(rows: Sequence[Measured]) -> str:
    """Return the rows as Markdown, each with its ratio to the plain loop."""
    floor = floor_of(rows)
    facts = machine()
    lines = [
        f"{len(checks())} checks of six pieces; {facts['cores']} cores, Python {facts['python']}, "
        f"torch {facts['torch']}; medians of {len(rows[0].another)} rounds. One more submission: "
        f"(run of many - run of {FEW}) / difference, with {MANY_FAST} for the plain loop and "
        f"`grader batch`, {MANY} for the others.",
        "",
        "| Form | one alone, ms | one more, ms | CPU of one more, ms | times the plain loop | "
        "spread of rounds | memory, MB |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in sorted(rows, key=Measured.wall_ms):
        lines.append(
            f"| {row.name} | {row.alone_ms():.0f} | {row.wall_ms():.0f} | {row.cpu_ms():.0f} | "
            f"{row.wall_ms() / floor.wall_ms():.1f} | {row.spread():.0%} | {row.memory_mb:.0f} |"
        )
    return "\n".join(lines)


def floor_of(rows: Sequence[Measured]) -> Measured:
    """Return the row of the plain loop."""
    return next(row for row in rows if row.name.startswith("plain loop"))


def draw(path: Path, rows: Sequence[Measured]) -> None:
    """Draw one bar a form: the wall time of one more submission, on a logarithmic scale."""
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "grader"
    ordered = sorted(rows, key=Measured.wall_ms, reverse=True)
    figure, axes = plt.subplots(figsize=(8, 0.42 * len(ordered) + 1))
    for row in ordered:
        kind = FLOOR if row.name.startswith("plain") else PEER
        axes.barh(row.name, row.wall_ms(), color=OURS if row.name.startswith("grader") else kind)
        axes.annotate(
            f" {row.wall_ms():.0f} ms", (row.wall_ms(), row.name), va="center", fontsize=9
        )
    axes.set_xscale("log")
    axes.set_xlabel("one more submission of forty checks, ms (logarithmic)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
