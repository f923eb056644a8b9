"""Photographs the report on a class that is made up: a part of `make pictures`.

It is made up as that of `make demo` is, of more kinds of mistakes. Needs Chromium; without one it
says so, and leaves the pictures as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.class_report.printing import BROWSERS, browser  # noqa: E402
from tools.demo import PAGE, class_page, sample_class  # noqa: E402
from tools.page_pictures import FOLDER, write_small  # noqa: E402

CLASS = (
    "right_six_plain",
    "right_six_einops",
    "scale_by_wrong_width",
    "mask_inverted",
    "softmax_before_scaling",
    "softmax_without_maximum",
    "masked_fill_dropped",
    "causal_off_by_one",
    "dropout_grown_by_one_over_p",
    "mha_heads_not_transposed",
    "mha_mask_fill",
    "untouched_stub",
)
"""Of these the class is made up, those first that are most frequent."""
GRADER = (sys.executable, "-m", "grader")
ONLY = ("a1.softmax", "a1.sdpa", "a2.causal_attention", "a2.dropout", "a3.mha")
Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Shot:
    """One section of the page, as it looks somewhere."""

    name: str
    section: str
    width: int
    scheme: Scheme

    @property
    def path(self) -> Path:
        return FOLDER / f"class-{self.name}.png"


SHOTS = (
    Shot("mistakes", "mistakes", 1120, "light"),
    Shot("exercises", "exercises", 1120, "light"),
    Shot("exercises-dark", "exercises", 1120, "dark"),
    Shot("marks-phone", "class", 400, "light"),
)


def photograph(file: Path, executable: str) -> None:
    """Takes every picture anew."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for shot in SHOTS:
            context = chromium.new_context(
                viewport={"width": shot.width, "height": 800}, color_scheme=shot.scheme
            )
            opened = context.new_page()
            opened.goto(file.as_uri())
            write_small(opened.locator(f"#{shot.section}").screenshot(), shot.path)
            context.close()
            print(f"wrote {shot.path.relative_to(ROOT)}")
        chromium.close()


def main() -> int:
    """Takes the pictures, where there is a browser."""
    executable = browser()
    if executable is None:
        print(f"no pictures of the class report: none of {', '.join(BROWSERS)} is here")
        return 0
    with sample_class(CLASS) as folder:
        only = [word for slug in ONLY for word in ("--only", slug)]
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "grader",
                "batch",
                "class",
                "--out",
                "results",
                *only,
                "--course",
                str(ROOT),
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
        )
        if done.returncode not in (0, 1):
            raise SystemExit(f"grader batch ended with {done.returncode}:\n{done.stderr}")
        class_page(folder / "results", folder / "made-up")
        photograph(PAGE, executable)
    return 0


if __name__ == "__main__":
    sys.exit(main())
