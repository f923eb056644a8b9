"""Photographs the report on a class that is made up: a part of `make pictures`.

It is made up as that of `make demo` is, of more kinds of mistakes. Needs Chromium; without one it
says so, and leaves the pictures as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.text.language import ENGLISH, LANGUAGES  # noqa: E402
from tools.demo import class_page, sample_class  # noqa: E402
from tools.page_pictures import FOLDER, write_small  # noqa: E402
from tools.photographs import browser_for  # noqa: E402

CLASS = (
    "right_six_plain",
    "right_six_einops",
    "right_first_steps",
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
Media = Literal["screen", "print"]


@dataclass(frozen=True)
class Shot:
    """One section of the page, as it looks somewhere."""

    name: str
    section: str
    width: int
    scheme: Scheme = "light"
    media: Media = "screen"
    language: str = ENGLISH

    @property
    def path(self) -> Path:
        return FOLDER / f"class-{self.name}.png"


SHOTS = (
    Shot("mistakes", "mistakes", 1120),
    Shot("mistakes-ko", "mistakes", 1120, language="ko"),
    Shot("mistakes-print", "mistakes", 1120, media="print"),
    Shot("exercises", "exercises", 1120),
    Shot("exercises-dark", "exercises", 1120, "dark"),
    Shot("marks-phone", "class", 400),
)


def photograph(pages: Mapping[str, Path], executable: str) -> None:
    """Takes every picture anew, of the page in its language."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for shot in SHOTS:
            context = chromium.new_context(
                viewport={"width": shot.width, "height": 800}, color_scheme=shot.scheme
            )
            opened = context.new_page()
            opened.goto(pages[shot.language].as_uri())
            opened.emulate_media(media=shot.media, color_scheme=shot.scheme)
            write_small(opened.locator(f"#{shot.section}").screenshot(), shot.path)
            context.close()
            print(f"wrote {shot.path.relative_to(ROOT)}")
        chromium.close()


def grader(folder: Path, *words: str) -> None:
    """Runs a command of the grader in a folder, on the course of this one."""
    done = subprocess.run(
        [*GRADER, *words, "--course", str(ROOT)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"grader {words[0]} ended with {done.returncode}:\n{done.stderr}")


def main() -> int:
    """Takes the pictures, where there is a browser."""
    executable = browser_for("pictures of the class report")
    if executable is None:
        return 0
    with sample_class(CLASS) as folder:
        only = [word for slug in ONLY for word in ("--only", slug)]
        grader(folder, "batch", "class", "--out", "results", *only)
        class_page(folder / "results", folder / "made-up")
        pages = {one: folder / f"{one}.html" for one in LANGUAGES}
        for language, page in pages.items():
            grader(folder, "report", "made-up", "--output", page.name, "--lang", language)
        photograph(pages, executable)
    return 0


if __name__ == "__main__":
    sys.exit(main())
