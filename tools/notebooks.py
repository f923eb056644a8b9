"""Runs every notebook with the reference pasted in, in a real kernel: `make notebooks`.

What the cells draw is kept under docs/pictures/notebooks/. With `--short` the training in them is
cut down and nothing is written.
"""

from __future__ import annotations

import ast
import base64
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course import find_course  # noqa: E402
from grader.stubs import BEGIN, END  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "notebooks"
TIMEOUT_S = 300
NOT_YET = "Not yet: this needs"
_LENGTH = re.compile(r"^(?P<name>epochs|steps) = \d+$", re.MULTILINE)

Notebook = dict[str, Any]


def stems() -> tuple[str, ...]:
    return tuple(find_course(ROOT).rubric.assignments.values())


def hand_out(stem: str) -> Notebook:
    """The notebook as students get it, each cell's source in one string."""
    notebook: Notebook = json.loads(
        (ROOT / "assignments" / f"{stem}.ipynb").read_text(encoding="utf-8")
    )
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def solution(stem: str) -> str:
    """The reference without its fences."""
    text = (ROOT / "reference" / f"{stem}.py").read_text(encoding="utf-8")
    return "".join(
        line for line in text.splitlines(keepends=True) if line.strip() not in (BEGIN, END)
    )


def solved(stem: str) -> Notebook:
    """The hand-out with each definition of the reference pasted over the hand-out's."""
    text = solution(stem)
    definitions = {
        node.name: ast.get_source_segment(text, node)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    notebook = hand_out(stem)
    for cell in notebook["cells"]:
        cell["source"] = definitions.get(cell["id"]) or cell["source"]
    return notebook


def shortened(notebook: Notebook) -> Notebook:
    """The same notebook, with one step of whatever it trains."""
    cells = [
        {**cell, "source": _LENGTH.sub(r"\g<name> = 1", cell["source"])}
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def joined(notebooks: Mapping[str, Notebook]) -> Notebook:
    """All of them as one, each beginning with nothing defined, for a single kernel."""
    cells: list[dict[str, Any]] = []
    for stem, notebook in notebooks.items():
        reset = {"cell_type": "code", "id": f"reset-{stem}", "source": "%reset -f"}
        cells.append({**reset, "metadata": {}, "outputs": [], "execution_count": None})
        cells += [{**cell, "id": f"{stem}-{cell['id']}"[-64:]} for cell in notebook["cells"]]
    return {**next(iter(notebooks.values())), "cells": cells}


def run(notebook: Notebook, folder: Path) -> Notebook:
    """The notebook with its outputs, as Jupyter leaves it after "Run All" in that folder.

    Raises nbclient.exceptions.CellExecutionError at the first cell that fails.
    """
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config

    node = nbformat.from_dict(notebook)  # type: ignore[no-untyped-call]
    # A socket's path may have no more than about a hundred letters.
    with tempfile.TemporaryDirectory(prefix="nb") as own:
        channels = {"transport": "ipc", "connection_file": f"{own}/kernel.json"}
        client = NotebookClient(
            node,
            timeout=TIMEOUT_S,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            config=Config(ConnectionFileMixin=channels),
        )
        # One thread: sums are then added up in the same order each time.
        client.execute(env={**os.environ, "IPYTHONDIR": own, "OMP_NUM_THREADS": "1"})
    ran: Notebook = json.loads(json.dumps(node))
    return ran


def write(notebooks: Mapping[str, Notebook], folder: Path) -> None:
    """Put notebooks where those that import each other find one another."""
    for stem, notebook in notebooks.items():
        (folder / f"{stem}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")


def pictures(notebook: Notebook) -> Iterator[tuple[str, bytes]]:
    """The id of each cell that drew something, and what it drew as a PNG."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            image = output.get("data", {}).get("image/png")
            if image is not None:
                yield cell["id"], base64.b64decode(image)


def printed(notebook: Notebook) -> str:
    """What all cells printed, one after the other."""
    return "".join(
        "".join(output["text"])
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        if output["output_type"] == "stream"
    )


def main() -> int:
    short = sys.argv[1:] == ["--short"]
    notebooks = {stem: shortened(solved(stem)) if short else solved(stem) for stem in stems()}
    drawn: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write(notebooks, folder)
        for stem, notebook in notebooks.items():
            begun = time.perf_counter()
            ran = run(notebook, folder)
            found = {f"{stem}-{name}.png": image for name, image in pictures(ran)}
            taken = time.perf_counter() - begun
            print(f"{stem}: {taken:.1f} s, {len(found)} pictures")
            drawn |= found
    if not short:
        PICTURES.mkdir(parents=True, exist_ok=True)
        for old in PICTURES.glob("*.png"):
            old.unlink()
        for name, image in drawn.items():
            (PICTURES / name).write_bytes(image)
        print(f"wrote {len(drawn)} pictures to {PICTURES.relative_to(ROOT)}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
