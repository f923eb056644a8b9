"""Grades a small sample class and shows right and wrong work: `make demo`.

The class is made of submissions from `tests/corpus`, under the ids student-001 and so on.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.course.course import find_course  # noqa: E402
from tools.made_up_class import write  # noqa: E402

CORPUS = ROOT / "tests" / "corpus"
CLASS = (
    "right_einsum",
    "scale_by_wrong_width",
    "mask_inverted",
    "infinite_loop",
    "syntax_error",
    "untouched_stub",
)
ONLY = "--only a1.sdpa --only a2"
"""What this class was asked for."""
MADE_UP = 200
"""Students of the class whose report ends the demo; nobody in it exists."""
PAGE = ROOT / "build" / "class.html"
WRONG = "student-002"
"""Whose report is shown in full."""


@dataclass(frozen=True)
class Step:
    """One command of the demo, as a reader would type it, and what it printed."""

    command: str
    output: str


@contextmanager
def sample_class(names: Sequence[str] = CLASS) -> Iterator[Path]:
    """A scratch folder with `class/` in it, of submissions from the corpus; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="grader-demo-") as scratch:
        for number, name in enumerate(names, start=1):
            student = Path(scratch) / "class" / f"student-{number:03}"
            ignore = shutil.ignore_patterns("expect.yaml")
            shutil.copytree(CORPUS / name, student, ignore=ignore)
        yield Path(scratch)


def steps(folder: Path, environment: Mapping[str, str]) -> Iterator[Step]:
    """The demo in `folder`, command by command."""
    for command in (f"batch class --out results {ONLY}", f"check class/{WRONG} {ONLY}"):
        done = subprocess.run(
            [sys.executable, "-m", "grader", *command.split(), "--course", str(ROOT)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": search(), **environment},
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode != 1:  # points are missing, as they should be
            raise SystemExit(f"grader {command} ended with {done.returncode}:\n{done.stderr}")
        # The course is named for this scratch folder's sake; a reader's own is where they are.
        yield Step(f"grader {command}", done.stdout.replace(f" --course {ROOT}", ""))


def class_page(results: Path, folder: Path) -> str:
    """Writes the page on a made-up class, drawn from the records of this one; returns a remark."""
    paths = sorted((results / "records").glob("*.json"))
    records = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    graded = [record for record in records if "problem" not in record]
    write(graded, find_course(ROOT).rubric, MADE_UP, 1, folder)
    PAGE.parent.mkdir(exist_ok=True)
    command = ["report", str(folder), "--output", str(PAGE), "--course", str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-m", "grader", *command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode != 0:
        raise SystemExit(f"grader report ended with {done.returncode}:\n{done.stderr}")
    return f"$ grader report results  # of a class of {MADE_UP} that is made up\n\n{done.stdout}"


def search() -> str:
    """The path on which commands are found, with this environment's own first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def main() -> None:
    """Prints the demo."""
    is_terminal = sys.stdout.isatty()
    environment = {"COLUMNS": str(shutil.get_terminal_size().columns)}
    if is_terminal:
        environment["FORCE_COLOR"] = "1"
    with sample_class() as folder:
        for step in steps(folder, environment):
            print(f"$ {step.command}\n\n{step.output}", flush=True)
        print(class_page(folder / "results", folder / "made-up"), end="")


if __name__ == "__main__":
    main()
