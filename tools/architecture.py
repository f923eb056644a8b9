"""Draws the pictures of docs/architecture.md from the code: `make architecture`; `--check` says if
they are stale.

The source tree comes from the imports, the process tree from the docstrings of the modules that
become a process: these hold the lines `Process:`, `Started by:` and `Knows:`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.unit.test_architecture import (  # noqa: E402
    FLOORS,
    files_imported,
    floor_of,
    modules,
    parsed,
)

PAGE = ROOT / "docs" / "architecture.md"
_BLOCK = "<!-- make architecture: {name} -->\n{body}\n<!-- end of {name} -->"


@dataclass(frozen=True)
class Process:
    """A kind of process, as the module that it begins in tells of it."""

    name: str
    module: str
    started_by: str
    how: str
    knows: str


def packages(tree: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return which packages each package imports, from the top floor down."""
    found: dict[str, set[str]] = {name: set() for name in FLOORS}
    for name, targets in files_imported(tree).items():
        own = floor_of(name)
        if own:
            found[own] |= {floor_of(target) for target in targets} - {own, ""}
    return found


def reduced(graph: Mapping[str, Iterable[str]]) -> list[tuple[str, str]]:
    """Return the arrows that no longer way implies.

    >>> reduced({"a": ["b", "c"], "b": ["c"], "c": []})
    [('a', 'b'), ('b', 'c')]
    """
    below = {name: _below(graph, name) for name in graph}
    return [
        (name, target)
        for name, targets in graph.items()
        for target in sorted(targets)
        if not any(target in below[other] for other in targets if other != target)
    ]


def _below(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    return {start}.union(*(_below(graph, target) for target in graph[start]))


def processes(tree: Mapping[str, Path]) -> list[Process]:
    """Return every kind of process, the parent first, each after the one that starts it."""
    found = {process.name: process for process in _told(tree)}
    ordered: list[Process] = []
    waiting = [process for process in found.values() if process.started_by not in found]
    while waiting:
        process = waiting.pop(0)
        ordered.append(process)
        waiting += [one for one in found.values() if one.started_by == process.name]
    return ordered


def _told(tree: Mapping[str, Path]) -> Iterator[Process]:
    for name, path in tree.items():
        lines = dict(
            re.findall(r"^(Process|Started by|Knows): (.+(?:\n {4}.+)*)", _docstring(path), re.M)
        )
        if "Process" in lines:
            starter, _, how = lines["Started by"].partition(", ")
            knows = " ".join(lines["Knows"].split())
            yield Process(lines["Process"], name, starter, how, knows)


def _docstring(path: Path) -> str:
    return ast.get_docstring(parsed(path)) or ""


def blocks() -> dict[str, str]:
    """Return what stands between the markers of the page, by name."""
    tree = modules()
    graph = packages(tree)
    kinds = processes(tree)
    return {
        "source tree": _mermaid([f"{a} --> {b}" for a, b in reduced(graph)]),
        "packages": _package_table(tree, graph),
        "process tree": _mermaid([f"{p.started_by} -- {p.how} --> {p.name}" for p in kinds]),
        "processes": _process_table(tree, kinds),
    }


def _mermaid(arrows: Iterable[str]) -> str:
    return "\n".join(["```mermaid", "flowchart TB", *(f"    {arrow}" for arrow in arrows), "```"])


def _package_table(tree: Mapping[str, Path], graph: Mapping[str, set[str]]) -> str:
    rows = [
        (
            f"`{name}/`",
            _docstring(tree[f"grader.{name}"]).partition("\n")[0],
            ", ".join(f"`{target}`" for target in FLOORS if target in graph[name]) or "nothing",
        )
        for name in FLOORS
    ]
    return _table(("Package", "What it does", "Imports"), rows)


def _process_table(tree: Mapping[str, Path], kinds: Iterable[Process]) -> str:
    rows = [
        (p.name, f"`{tree[p.module].relative_to(ROOT)}`", f"{p.started_by}, {p.how}", p.knows)
        for p in kinds
    ]
    return _table(("Process", "Begins in", "Started by", "Knows"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _column in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def drawn(page: str) -> str:
    """Return the page with every block drawn anew.

    Raises:
        ValueError: a block's markers are missing.
    """
    for name, body in blocks().items():
        start, end = _BLOCK.format(name=name, body="\0").split("\0")
        before, found, rest = page.partition(start)
        _old, ended, after = rest.partition(end)
        if not found or not ended:
            raise ValueError(f"{PAGE.name}: no place for {name!r}")
        page = before + start + body + end + after
    return page


def main() -> int:
    """Write the page, or say with `--check` that it is stale."""
    page = PAGE.read_text(encoding="utf-8")
    if "--check" in sys.argv:
        return int(drawn(page) != page)
    PAGE.write_text(drawn(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
