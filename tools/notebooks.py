"""Runs every notebook with the reference pasted in, in a real kernel: `make notebooks`.

What the cells draw is kept under docs/pictures/notebooks/. With `--short` the training in them is
cut down and nothing is written.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.course import find_course  # noqa: E402
from grader.course.translations import handout_languages  # noqa: E402
from grader.handouts.stubs import BEGIN, END, solution_regions  # noqa: E402
from grader.text.language import ENGLISH  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "notebooks"
TIMEOUT_S = 1200
"""For one cell; a training of two minutes takes ten where others compute as well."""
NOT_YET = "Not yet: this needs"
_PLACE = re.compile(
    r"^ *raise NotImplementedError\(\s*"
    r'"(?P<owner>[\w.]+): replace this line with your solution"\s*\)',
    re.MULTILINE,
)
_LENGTH = re.compile(r"^(?P<name>epochs|steps) = \d+$", re.MULTILINE)

Notebook = dict[str, Any]


def stems() -> tuple[str, ...]:
    return tuple(find_course(ROOT).rubric.assignments.values())


def languages() -> tuple[str, ...]:
    """The languages that notebooks are handed out in."""
    return (ENGLISH, *handout_languages(ROOT))


def hand_out(stem: str, language: str = ENGLISH) -> Notebook:
    """The notebook as students get it, each cell's source in one string."""
    folder = find_course(ROOT).handouts(language)
    notebook: Notebook = json.loads((folder / f"{stem}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return notebook


def solution(stem: str) -> str:
    """The reference without its fences."""
    text = (ROOT / "reference" / f"{stem}.py").read_text(encoding="utf-8")
    return "".join(
        line for line in text.splitlines(keepends=True) if line.strip() not in (BEGIN, END)
    )


def solved(stem: str, language: str = ENGLISH) -> Notebook:
    """The hand-out with the reference's solutions in the places for them."""
    notebook = hand_out(stem, language)
    for cell in notebook["cells"]:
        cell["source"] = filled_in(cell["source"], stem)
    return notebook


def filled_in(handed_out: str, stem: str) -> str:
    """The text of a hand-out, each place for a solution filled with the reference's."""
    reference = (ROOT / "reference" / f"{stem}.py").read_text(encoding="utf-8")
    lines = reference.splitlines(keepends=True)
    bodies: dict[str, list[str]] = {}
    for region in solution_regions(reference, stem):
        body = "".join(lines[region.begin : region.end - 1])
        bodies.setdefault(region.owner, []).append(body.removesuffix("\n"))
    return _PLACE.sub(lambda place: bodies[place["owner"]].pop(0), handed_out)


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


def run(notebook: Notebook, folder: Path, kernel: str = "python3") -> Notebook:
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
            kernel_name=kernel,
            resources={"metadata": {"path": folder}},
            config=Config(ConnectionFileMixin=channels),
        )
        # One thread: sums are then added up in the same order each time.
        client.execute(env={**os.environ, "IPYTHONDIR": own, "OMP_NUM_THREADS": "1"})
    ran: Notebook = json.loads(json.dumps(node))
    return ran


def write(notebooks: Mapping[str, Notebook], folder: Path) -> None:
    """Put notebooks where those that import each other find one another, and what they read."""
    course = find_course(ROOT)
    for file in course.data_files():
        target = folder / file.relative_to(course.assignments)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(file.read_bytes())
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


def _drawn(language: str, short: bool, only: Collection[str]) -> dict[str, bytes]:
    """What some notebooks in a language draw, by file name."""
    notebooks = {stem: solved(stem, language) for stem in stems()}
    if short:
        notebooks = {stem: shortened(notebook) for stem, notebook in notebooks.items()}
    drawn: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write(notebooks, folder)
        for stem, notebook in notebooks.items():
            if stem not in only:
                continue
            begun = time.perf_counter()
            ran = run(notebook, folder)
            found = {f"{stem}-{name}.png": image for name, image in pictures(ran)}
            taken = time.perf_counter() - begun
            print(f"{stem} in {language}: {taken:.1f} s, {len(found)} pictures")
            drawn |= found
    return drawn


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stems", nargs="*", metavar="STEM", help="run these alone: a4_vit")
    parser.add_argument("--short", action="store_true", help="cut training down, keep nothing")
    options = parser.parse_args()
    only = options.stems or stems()
    # The pictures kept are those of the English notebooks; the others hold the same code.
    drawn = {language: _drawn(language, options.short, only) for language in languages()}[ENGLISH]
    if not options.short:
        PICTURES.mkdir(parents=True, exist_ok=True)
        for old in (path for stem in only for path in PICTURES.glob(f"{stem}-*.png")):
            old.unlink()
        for name, image in drawn.items():
            (PICTURES / name).write_bytes(image)
        print(f"wrote {len(drawn)} pictures to {PICTURES.relative_to(ROOT)}/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
