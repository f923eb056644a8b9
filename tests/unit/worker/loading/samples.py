"""Submissions in memory: loading them, and reading what the loading said."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from grader.submission.notebook import reduced
from grader.wire.load_plan import LoadPlan
from grader.worker.loading import Loaded, load

FILE = "a1_attention.py"
STEM = "a1_attention"
NOTEBOOK = f"{STEM}.ipynb"


class Load:
    """Calling it loads; `progress` holds what the trusted side was told."""

    def __init__(self) -> None:
        self.progress: list[tuple[str, int]] = []
        self._open: list[Loaded] = []

    def __call__(
        self,
        files: str | bytes | Mapping[str, str | bytes],
        *targets: str,
        entries: Mapping[str, str] | None = None,
        skip: frozenset[tuple[str, int]] = frozenset(),
        **more: Any,
    ) -> Loaded:
        named = files if isinstance(files, Mapping) else {FILE: files}
        data = {
            path: textwrap.dedent(text).encode() if isinstance(text, str) else text
            for path, text in named.items()
        }
        entries = {STEM: FILE} if entries is None else entries
        wanted = more.get("targets", {stem: () for stem in entries})
        wanted = {**wanted, STEM: targets} if targets else wanted
        plan = LoadPlan(data, entries, wanted, more.get("stubs", {}), skip)
        loaded = load(plan, lambda path, index: self.progress.append((path, index)))
        self._open.append(loaded)
        return loaded

    def close(self) -> None:
        for loaded in reversed(self._open):
            loaded.close()


def problems(loaded: Loaded) -> list[tuple[str, int | None, str]]:
    """The problems of a submission as (file, line, text)."""
    notes = loaded.report.notes
    return [(n.file, n.line, n.text) for n in notes if n.kind == "problem"]


def notes(loaded: Loaded) -> list[tuple[int | None, str]]:
    """The notes of a submission as (line, text)."""
    return [(n.line, n.text) for n in loaded.report.notes if n.kind == "note"]


def target(loaded: Loaded, name: str) -> dict[str, Any]:
    """The report's entry for a target of the first assignment."""
    return asdict(loaded.report.modules[STEM].targets[name])


def notebook(*cells: str | Mapping[str, object]) -> bytes:
    """A notebook as the worker gets it; a string is a code cell, `#md` a markdown one."""
    whole = [
        cell
        if isinstance(cell, Mapping)
        else {
            "cell_type": "markdown" if cell.startswith("#md") else "code",
            "metadata": {},
            "source": cell,
        }
        for cell in cells
    ]
    return reduced(json.dumps({"cells": whole, "metadata": {}, "nbformat": 4}).encode())


def called(loaded: Loaded, name: str = "f") -> Any:
    function: Any = loaded.lookup(STEM, name)
    return function()
