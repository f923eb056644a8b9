"""Photographs the smallest counterexample, as a page shows it and as pytest does: `make pictures`.

In light and dark, wide and narrow, in English and Korean. The submission fills hidden scores into a
tensor that it then forgets. Needs Chromium; without one it says so, and leaves the pictures.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.page_pictures import SUBMISSION, WIDTHS, write_small  # noqa: E402
from tools.photographs import browser_for  # noqa: E402

FOLDER = ROOT / "docs" / "pictures" / "small"
LANGUAGES = {"en": "en_GB.UTF-8", "ko": "ko_KR.UTF-8"}
SLUG = "a2.masked_softmax"
TERMINAL = """<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>body {{ margin: 0; padding: 12px; width: fit-content; max-width: 100vw;
box-sizing: border-box; background: light-dark(#fff, #1e1e1e); color: light-dark(#222, #ddd) }}
pre {{ margin: 0; font: 13px/1.45 monospace; white-space: pre-wrap; overflow-wrap: anywhere }}
</style><pre>{text}</pre>"""


def main(kinds: Sequence[str]) -> int:
    """Takes the pictures of these kinds, where there is a browser."""
    executable = browser_for("pictures of small inputs")
    if executable is None:
        return 0
    with tempfile.TemporaryDirectory(prefix="grader-small-") as scratch:
        folder = Path(scratch)
        student = folder / "student-001"
        student.mkdir()
        (student / "a2_masking.py").write_text(SUBMISSION, encoding="utf-8")
        for language, kind in product(LANGUAGES, kinds):
            KINDS[kind](student, folder / f"{kind}-{language}.html", language)
        FOLDER.mkdir(parents=True, exist_ok=True)
        _photograph(folder, executable, kinds)
    return 0


def _check(student: Path, page: Path, language: str) -> None:
    """Writes the report of the submission as a page."""
    options = ["--only", SLUG, "--course", str(ROOT), "--report", f"html={page}"]
    done = _run(["-m", "grader", "check", str(student), *options], student, language)
    if done.returncode != 1:  # points are missing, as they should be
        raise SystemExit(f"grader check ended with {done.returncode}:\n{done.stderr}")


def _items(student: Path, page: Path, language: str) -> None:
    """Writes, as a page, what a terminal in an editor shows of the items that fail."""
    work = ROOT / "build" / "small-pictures" / "student-001"
    work.mkdir(parents=True, exist_ok=True)  # a course is looked for above the folder
    file = work / "a2_masking.py"
    try:
        file.write_bytes((student / file.name).read_bytes())
        options = ["-p", "no:cacheprovider", "-c", os.devnull, "--no-header", "--color=no"]
        pytest = ["-m", "pytest", "--grader", *options, f"--rootdir={work}", "-k", SLUG, file.name]
        done = _run(pytest, work, language)
    finally:
        file.unlink()
        work.rmdir()
        work.parent.rmdir()
    if "observed" not in done.stdout and "관찰" not in done.stdout:
        raise SystemExit(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    text = f"$ pytest --grader -k {SLUG} {file.name}\n{_first_failure(done.stdout)}"
    text = re.sub(r" in [0-9.]+s( [(][0-9:]+[)])?", "", text)  # pictures hang on no clock
    text = re.sub(r"([=_])\1{5,}", r"\1\1\1\1", text)  # lines that a narrow window would break
    page.write_text(TERMINAL.format(text=html.escape(text)), encoding="utf-8")


def _first_failure(text: str) -> str:
    """Leaves the first of the failures, and the last lines."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("____")]
    ends = [at for at, line in enumerate(lines) if "short test summary" in line] or [len(lines)]
    second = starts[1] if len(starts) > 1 else ends[0]
    return "\n".join([*lines[:second], "[…]", *lines[-3:]])


def _run(arguments: list[str], where: Path, language: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "92", "PYTEST_ADDOPTS": ""}
    environment |= {"LC_ALL": LANGUAGES[language], "LANGUAGE": ""}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=where,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )


def _photograph(pages: Path, executable: str, kinds: Sequence[str]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        pictures = product(kinds, LANGUAGES, WIDTHS, ("light", "dark"))
        for kind, language, width, scheme in pictures:
            target = FOLDER / f"{kind}-{language}-{width}-{scheme}.png"
            size = {"width": WIDTHS[width], "height": 800}
            context = chromium.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            opened = context.new_page()
            opened.goto((pages / f"{kind}-{language}.html").as_uri())
            write_small(_part(opened, kind), target)
            context.close()
            print(f"wrote {target.relative_to(ROOT)}")
        chromium.close()


def _part(opened: Any, kind: str) -> bytes:
    """Takes the counterexample of a page alone, and all of what pytest wrote."""
    if kind == "pytest":
        shown: bytes = opened.locator("body").screenshot()
        return shown
    part = opened.locator(".small").first
    part.evaluate("one => one.querySelectorAll('details').forEach(d => { d.open = true })")
    shown = part.screenshot()
    return shown


KINDS = {"page": _check, "pytest": _items}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or tuple(KINDS)))
