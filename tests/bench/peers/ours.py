"""The same job as a course of the grader: its rubric, reference and suites, from the same table."""

from __future__ import annotations

import shutil
from pathlib import Path

from .job import PIECES, RIGHT, Check, Piece, checks

STEM = "j1_job"
INPUT = "probe.randn(*{shape}, dtype=torch.{dtype})"
BODIES = {
    "output": "expect.matches(yours, right, {inputs})",
    "other_output": "expect.matches(yours, right, {inputs})",
    "large_output": "expect.matches(yours, right, {inputs})",
    "double_output": "expect.matches(yours, right, {inputs})",
    "shape": "expect.shape(yours({inputs}), right({inputs}).shape, what='answer')",
    "gradients": "expect.gradients(yours, right, {inputs})",
    "repeat": "inputs = ({inputs},)\n"
    "        first = yours(*inputs)\n"
    "        expect.matches(yours, right, *inputs)\n"
    "        expect.close(yours(*inputs), first, what='second answer')",
    "unchanged": "expect.unchanged(yours, {inputs})",
}


def write_course(folder: Path) -> None:
    """Write the job as a course into an empty folder."""
    exercises = "".join(
        f"  j1.{piece.name.lower()}:\n    targets: [{piece.name}]\n    criteria:\n"
        f"      checks: {{points: {len(_of(piece))}, visibility: hidden}}\n"
        for piece in PIECES
    )
    rubric = f"course: job\nseed: bench\nassignments: {{j1: {STEM}}}\n\nexercises:\n{exercises}"
    suites = folder / "tests" / "suites" / STEM
    for each in (suites, folder / "reference", folder / "assignments"):
        each.mkdir(parents=True)
    (folder / "rubric.yaml").write_text(rubric, encoding="utf-8")
    shutil.copy(RIGHT, folder / "reference" / f"{STEM}.py")
    for piece in PIECES:
        source = "import torch\n\n\nclass TestChecks:\n" + "\n".join(map(_test, _of(piece)))
        (suites / f"test_{piece.name.lower()}.py").write_text(source, encoding="utf-8")


def _of(piece: Piece) -> list[Check]:
    return [check for check in checks() if check.piece is piece]


def _test(check: Check) -> str:
    piece, dtype = check.piece, "float64" if check.kind == "double_output" else "float32"
    scale = " * 8" if check.kind == "large_output" else ""
    inputs = ", ".join(INPUT.format(shape=each, dtype=dtype) + scale for each in piece.inputs)
    pair = f"yours, right = student.{piece.name}, reference.{piece.name}"
    if piece.arguments is not None:
        made = ", ".join(map(str, piece.arguments))
        pair = f"pair = probe.pair({piece.name!r}, {made}, dtype=torch.{dtype})\n"
        pair += "        yours, right = pair.student, pair.reference"
    return (
        f"    def test_{check.kind}(self, student, reference, probe, expect):\n"
        f'        """It holds."""\n        {pair}\n        {BODIES[check.kind]}\n'
    ).replace("{inputs}", inputs)
