"""Photographs a report's page, on a phone and a desk, in light and dark: a part of `make pictures`.

The submission has one mistake, whose weights and whose map of what is not zero are both drawn.
Needs Chromium; without one it says so, and leaves the pictures as they are.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.photographs import browser_for  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
WIDTHS = {"phone": 360, "desktop": 1280}
SCHEMES = ("light", "dark")
PICTURES = {
    (name, scheme): FOLDER / f"page-{name}-{scheme}.png"
    for name, scheme in product(WIDTHS, SCHEMES)
}
COLOURS = 128
SLUG = "a2.masked_softmax"
SUBMISSION = '''\
import torch


def mask_then_renormalise(weights, mask):
    kept = weights * (mask != 0)
    total = kept.sum(dim=-1, keepdim=True)
    return kept / torch.where(total == 0, torch.ones_like(total), total)


def masked_softmax(scores, mask, dim=-1):
    """Softmax over the keys that a query may see."""
    hidden = (mask == 0).expand_as(scores)
    scores.masked_fill(hidden, -torch.inf)
    weights = torch.softmax(scores, dim=dim)
    return weights.masked_fill(hidden.all(dim, keepdim=True), 0.0)
'''


def page(folder: Path) -> Path:
    """The page of the submission, written to `folder`."""
    student = folder / "student-001"
    student.mkdir()
    (student / "a2_masking.py").write_text(SUBMISSION, encoding="utf-8")
    file = folder / "report.html"
    command = [sys.executable, "-m", "grader", "check", str(student), "--only", SLUG]
    done = subprocess.run(
        [*command, "--course", str(ROOT), "--report", f"html={file}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode != 1:  # points are missing, as they should be
        raise SystemExit(f"grader check ended with {done.returncode}:\n{done.stderr}")
    return file


def photograph(file: Path, executable: str) -> None:
    """Takes every picture anew."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for (name, scheme), target in PICTURES.items():
            size = {"width": WIDTHS[name], "height": 800}
            context = chromium.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            opened = context.new_page()
            opened.goto(file.as_uri())
            write_small(opened.screenshot(full_page=True), target)
            context.close()
            print(f"wrote {target.relative_to(ROOT)}")
        chromium.close()


def write_small(png: bytes, target: Path, colours: int = COLOURS) -> None:
    """Writes the picture with as many colours as a page has, or so many."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        few = picture.convert("RGB").quantize(
            colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
        few.save(target, optimize=True)


def main() -> int:
    """Takes the pictures, where there is a browser."""
    executable = browser_for("pictures of pages")
    if executable is None:
        return 0
    with tempfile.TemporaryDirectory(prefix="grader-page-") as scratch:
        photograph(page(Path(scratch)), executable)
    return 0


if __name__ == "__main__":
    sys.exit(main())
