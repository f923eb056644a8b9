"""What a class costs on more cores than this machine has: a model of a few measured costs.

A batch has a parent, which reads hand-ins and writes results, and lanes, which grade. Lanes share
nothing, so that their rate grows with the cores; the parent is one process, and its own time for a
submission bounds the rate of a machine. Machines share nothing until `grader merge`.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import matplotlib

from tests.bench.measure import ROOT, Row, seconds
from tests.bench.peers.forms import environment
from tests.bench.peers.job import submissions
from tests.bench.peers.measuring import descendants, descendants_s, memory_kb
from tests.bench.peers.ours import STEM, write_course

matplotlib.use("svg")
FEW, MANY = 20, 120
CORES = (2, 8, 64)
MACHINES = (1, 16)
"""Machines of the largest number of cores."""
CLASSES = (10_000, 1_000_000)
PEERS = ("gradescope-utils", "pytest, a process each", "nbgrader autograde", "otter check")
OURS_ALONE = "grader batch -j 1, tier full"
BEGIN, END = "<!-- make bench: scaling -->", "<!-- end of scaling -->"
TICKS = os.sysconf("SC_CLK_TCK")
OURS, PEER = "#1b6ca8", "#b9c0c7"


@dataclass(frozen=True)
class Costs:
    """What one more submission costs a batch, and what it costs to begin."""

    start_s: float
    """Wall time of a batch until it grades."""
    cpu_s: float
    """Processor time of all processes for one submission."""
    parent_s: float
    """The share of it that the parent needs, one submission after the other."""
    merge_s: float
    """Wall time that `grader merge` needs for one submission of a part."""
    fixed_mb: float
    lane_mb: float
    """Memory of the tree, and of each lane in it."""

    def rate(self, cores: int, machines: int = 1) -> float:
        """Return the submissions graded in a second, with a lane for each core."""
        return machines * min(cores / self.cpu_s, 1 / self.parent_s)

    def seconds(self, count: int, cores: int, machines: int = 1) -> float:
        """Return the time for a class of `count`, with the merging of parts."""
        merging = self.merge_s * count if machines > 1 else 0.0
        return self.start_s + count / self.rate(cores, machines) + merging

    def memory_mb(self, cores: int) -> float:
        return self.fixed_mb + cores * self.lane_mb

    def bound(self, cores: int, machines: int = 1) -> str:
        """Return what takes most of the time of a large class."""
        if machines > 1 and self.merge_s > 1 / self.rate(cores, machines):
            return "merging"
        return "the parent" if cores >= self.saturated_cores else "cores"

    @property
    def saturated_cores(self) -> int:
        """Return the number of cores at which the parent is what bounds the rate."""
        return math.ceil(self.cpu_s / self.parent_s)


@dataclass(frozen=True)
class _Run:
    wall_s: float
    cpu_s: float
    parent_s: float
    memory_mb: float


def scaling(runs: int, *, write: bool) -> Iterator[Row]:
    """Measure the costs, compare what they foretell with what is measured, and write the page."""
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as name:
        place = Path(name)
        write_course(_new(place / "course"))
        for group, count in (("few", FEW), ("many", MANY)):
            for id, source, _right in submissions(count):
                (_new(place / group / id) / f"{STEM}.py").write_text(source, encoding="utf-8")
        one, both = _costs(place, 1, runs), _costs(place, 2, runs)
        merge_s = _merge_s(place)
    costs = Costs(
        start_s=one.start_s,
        cpu_s=one.cpu_s,
        parent_s=one.parent_s,
        merge_s=merge_s,
        fixed_mb=2 * one.memory_mb - both.memory_mb,
        lane_mb=both.memory_mb - one.memory_mb,
    )
    foretold, found = 2 / costs.cpu_s, 1 / both.each_s
    yield Row("scaling: CPU of one more submission", f"{costs.cpu_s * 1e3:.0f} ms", "", None)
    yield Row("scaling: of it the parent", f"{costs.parent_s * 1e3:.1f} ms", "", None)
    yield Row("scaling: merging one", f"{costs.merge_s * 1e3:.2f} ms", "", None)
    yield Row("scaling: memory, and of each lane", _memory(costs), "", None)
    detail = f"{found:.2f} a second, foretold {foretold:.2f}"
    yield Row("scaling: two lanes on two cores", detail, "within 25 %", found > 0.75 * foretold)
    if write:
        _write(ROOT / "docs", costs, found)


# ---- measuring ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Lanes:
    start_s: float
    each_s: float
    cpu_s: float
    parent_s: float
    memory_mb: float


def _costs(place: Path, lanes: int, runs: int) -> _Lanes:
    pairs = [(_graded(place, "few", lanes), _graded(place, "many", lanes)) for _ in range(runs)]
    more = MANY - FEW
    each = statistics.median((many.wall_s - few.wall_s) / more for few, many in pairs)
    cpu = statistics.median((many.cpu_s - few.cpu_s) / more for few, many in pairs)
    parent = statistics.median((many.parent_s - few.parent_s) / more for few, many in pairs)
    begun = statistics.median(few.wall_s for few, _many in pairs) - FEW * each
    return _Lanes(begun, each, cpu, parent, max(many.memory_mb for _few, many in pairs))


def _graded(place: Path, group: str, lanes: int) -> _Run:
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "grader", "batch", str(place / group), "--out", str(out)]
    command += ["--course", str(place / "course"), "-j", str(lanes), "--quiet"]
    started, before, parent_s, memory_mb = time.perf_counter(), descendants_s(), 0.0, 0.0
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment(sys.executable), stdout=subprocess.DEVNULL
    )
    turns = 0
    while process.poll() is None:
        parent_s = max(parent_s, _own_s(process.pid))
        if turns % 25 == 0:
            tree = (process.pid, *descendants(process.pid))
            memory_mb = max(memory_mb, sum(map(memory_kb, tree)) / 1024)
        turns += 1
        time.sleep(0.02)
    wall_s = time.perf_counter() - started
    return _Run(wall_s, descendants_s() - before, parent_s, memory_mb)


def _own_s(pid: int) -> float:
    """Return the processor time of a process without its children; 0 if it has ended."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    return 0.0


def _merge_s(place: Path) -> float:
    """Return the time that merging takes for one submission, start-up apart."""
    times = []
    for group in ("few", "many"):
        part, whole = place / f"part-{group}", place / f"whole-{group}"
        command = [sys.executable, "-m", "grader", "batch", str(place / group), "--quiet"]
        command += ["--course", str(place / "course"), "--out", str(part), "--shard", "1/1"]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
        merging = [sys.executable, "-m", "grader", "merge", str(whole), str(part)]

        def merge(command: Sequence[str] = merging, whole: Path = whole) -> None:
            shutil.rmtree(whole, ignore_errors=True)
            subprocess.run(command, cwd=ROOT, capture_output=True, check=True)

        times.append(min(seconds(merge) for _ in range(3)))
    return max(0.0, (times[1] - times[0]) / (MANY - FEW))


def _new(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _memory(costs: Costs) -> str:
    return f"{costs.fixed_mb:.0f} + {costs.lane_mb:.0f} MB"


# ---- the page ----------------------------------------------------------------------------------


def _write(docs: Path, costs: Costs, found: float) -> None:
    peers = _peers(docs, costs)
    page = docs / "scaling.md"
    before, _begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _old, _end, after = rest.partition(END)
    text = "\n".join([*_measured(costs, found), "", *_foretold(costs), "", *_beside(costs, peers)])
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    (docs / "scaling.json").write_text(json.dumps(asdict(costs), indent=1) + "\n", encoding="utf-8")
    _draw(docs / "pictures" / "scaling.svg", costs, peers)


def _peers(docs: Path, costs: Costs) -> dict[str, float]:
    """Return the processor time of one more submission in other forms, in seconds.

    By their ratios to this grader in the run in which both were measured.
    """
    rows = json.loads((docs / "benchmarks.json").read_text(encoding="utf-8"))["rows"]
    named = {row["name"]: [use["cpu_s"] for use in row["another"]] for row in rows}
    ours = statistics.median(named[OURS_ALONE])
    return {
        name: statistics.median(named[name]) / ours * costs.cpu_s for name in PEERS if name in named
    }


def _measured(costs: Costs, found: float) -> list[str]:
    return [
        "| Measured | Value |",
        "|---|---:|",
        f"| start of a batch | {costs.start_s:.1f} s |",
        f"| processor time of one more submission of 40 checks | {costs.cpu_s * 1e3:.0f} ms |",
        f"| of it the parent, one after the other | {costs.parent_s * 1e3:.1f} ms |",
        f"| merging one submission of a part | {costs.merge_s * 1e3:.2f} ms |",
        f"| memory of a batch, and of each lane more | {_memory(costs)} |",
        f"| two lanes, a second: foretold, found | {2 / costs.cpu_s:.2f}, {found:.2f} |",
    ]


def _foretold(costs: Costs) -> list[str]:
    lines = [
        "| Machines and cores | a second | memory each | "
        + " | ".join(f"{count:,}" for count in CLASSES)
        + " | what bounds it |",
        "|---|---:|---:|" + "---:|" * len(CLASSES) + "---|",
    ]
    for machines, cores in [(1, cores) for cores in CORES] + [(MACHINES[-1], CORES[-1])]:
        bound = costs.bound(cores, machines)
        times = " | ".join(_time(costs.seconds(n, cores, machines)) for n in CLASSES)
        lines.append(
            f"| {machines} x {cores} | {costs.rate(cores, machines):.0f} | "
            f"{costs.memory_mb(cores) / 1024:.1f} GB | {times} | {bound} |"
        )
    return lines


def _beside(costs: Costs, peers: dict[str, float]) -> list[str]:
    heads = " | ".join(f"{count:,}" for count in CLASSES)
    lines = [f"| Core-hours for | {heads} |", "|---|" + "---:|" * len(CLASSES)]
    for name, each in {"grader batch": costs.cpu_s, **peers}.items():
        hours = " | ".join(f"{each * count / 3600:,.1f}" for count in CLASSES)
        lines.append(f"| {name} | {hours} |")
    return lines


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _draw(path: Path, costs: Costs, peers: dict[str, float]) -> None:
    """Draw the rate of one machine by its cores, on logarithmic scales."""
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "grader"
    figure, axes = plt.subplots(figsize=(8, 4.2))
    cores = [2**n for n in range(9)]
    axes.plot(cores, [costs.rate(n) for n in cores], color=OURS, marker="o", label="grader batch")
    for style, (name, each) in zip(("-", "--", "-.", ":"), peers.items(), strict=False):
        axes.plot(cores, [n / each for n in cores], color=PEER, linestyle=style, label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(cores, [str(n) for n in cores])
    axes.set_xlabel("cores of one machine, a lane for each")
    axes.set_ylabel("submissions a second")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
