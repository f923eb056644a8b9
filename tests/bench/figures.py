"""Keep figures with a target, and put them into the page and the numbers of the benchmarks."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.bench.measure import Row
from tests.bench.peers.page import machine

BEGIN, END = "<!-- make bench: faults -->", "<!-- end of faults -->"
KEY = "faults"
"""The place of these figures in `benchmarks.json`: group -> machine and figures."""
GROUPS = ("watch-all", "faults")
"""The benchmarks that measure them, in the order of the page."""


HEAD = (
    "| Measured | Median | Middle half (samples) | Target | Met |",
    "|---|---:|---:|---:|---|",
)


@dataclass(frozen=True)
class Figure:
    """One thing that was measured several times, and the most that it should be."""

    name: str
    samples: tuple[float, ...]
    unit: str
    most: float | None
    """The target; None for a figure that only explains another one."""
    about: str = ""
    """What else a reader has to know of it."""

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def holds(self) -> bool | None:
        return None if self.most is None else self.median <= self.most

    @property
    def value(self) -> str:
        return f"{rounded(self.median)} {self.unit}"

    @property
    def spread(self) -> str:
        """Return where the middle half of the samples is, and how many there are."""
        if len(self.samples) < 2:
            return ""
        low, _middle, high = statistics.quantiles(self.samples, n=4, method="inclusive")
        return f"{rounded(low)} to {rounded(high)} ({len(self.samples)})"

    @property
    def target(self) -> str:
        return "" if self.most is None else f"<= {self.most:g} {self.unit}"

    def row(self) -> Row:
        """Return the figure as a line of `make bench`."""
        more = "; ".join(part for part in (self.spread, self.about) if part)
        return Row(self.name, self.value, f"{self.target}  {more}".strip(), self.holds)


def rounded(value: float) -> str:
    """Return a number with as many digits as anybody reads.

    >>> rounded(0.1234), rounded(12.34), rounded(123.4), rounded(-0.001)
    ('0.12', '12.3', '123', '0.00')
    """
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{round(value, digits) + 0.0:.{digits}f}"


def load() -> float:
    """Return how many processes want a processor, to be asked before anything is measured."""
    return os.getloadavg()[0]


def keep(docs: Path, group: str, figures: Sequence[Figure], busy: float) -> None:
    """Put a group of figures into the page and the numbers, in place of what it measured before.

    `busy`: the machine's `load` when it began.
    """
    path, page = docs / "benchmarks.json", docs / "benchmarks.md"
    numbers = json.loads(path.read_text(encoding="utf-8"))
    facts = {**machine(), "load": f"{busy:.1f}"}
    new = {"machine": facts, "figures": [asdict(one) for one in figures]}
    numbers[KEY] = {**numbers.get(KEY, {}), group: new}
    path.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    before, _begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _old, _end, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{table(numbers[KEY])}\n{END}{after}", encoding="utf-8")


def table(groups: Mapping[str, Any]) -> str:
    """Return what the numbers hold of these figures as Markdown."""
    measured = [group for group in GROUPS if group in groups]
    lines = [_facts(group, groups[group]["machine"]) for group in measured]
    lines += ["", *HEAD]
    for group in measured:
        lines += map(_line, _figures(groups[group]["figures"]))
    return "\n".join(lines)


def _facts(group: str, machine: Mapping[str, str]) -> str:
    return (
        f"`{group}`: {machine['cores']} cores, Python {machine['python']}, "
        f"torch {machine['torch']}; load average {machine['load']} when it began."
    )


def _figures(numbers: Iterable[Mapping[str, Any]]) -> Iterable[Figure]:
    return (Figure(**{**one, "samples": tuple(one["samples"])}) for one in numbers)


def _line(figure: Figure) -> str:
    name = f"{figure.name} ({figure.about})" if figure.about else figure.name
    met = {True: "yes", False: "**no**", None: ""}[figure.holds]
    target = figure.target.replace("<=", "at most")
    return f"| {name} | {figure.value} | {figure.spread} | {target} | {met} |"
