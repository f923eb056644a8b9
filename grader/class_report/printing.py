"""Print a page as PDF with the browser of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grader.export.exported import ExportError
from grader.report.cleaning import one_line
from grader.text.language import _

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PDF = ".pdf"
LIMIT_S = 120
_LIMIT_WHY = 200


def browser() -> str | None:
    """Return the path of a Chromium on this machine, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def printed(page: str) -> bytes:
    """Return an HTML document as PDF, made by a Chromium without a window.

    Raises:
        ExportError: there is no such browser here, or it made nothing.
    """
    executable = browser()
    if executable is None:
        names = ", ".join(BROWSERS)
        why = _(
            "a PDF is printed by Chromium, and there is none here ({names}): install it, or name a "
            "file that ends in .html and print that",
            names=names,
        )
        raise ExportError(why)
    with tempfile.TemporaryDirectory(prefix="grader-print-") as folder:
        place = Path(folder)
        (place / "page.html").write_text(page, encoding="utf-8")
        made = place / "page.pdf"
        try:
            subprocess.run(
                [executable, *_options(place, made), (place / "page.html").as_uri()],
                check=True,
                capture_output=True,
                timeout=LIMIT_S,
            )
            return made.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            message = _("{browser} made no PDF: {why}", browser=executable, why=_why(error))
            raise ExportError(message) from error


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return one_line(f"exit status {error.returncode} {last}"[:_LIMIT_WHY]).strip()
    return one_line(f"{type(error).__name__}"[:_LIMIT_WHY])


def _options(place: Path, made: Path) -> Iterator[str]:
    yield from ("--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer")
    yield f"--user-data-dir={place / 'profile'}"
    yield f"--print-to-pdf={made}"
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield "--no-sandbox"  # it refuses root otherwise; the page is ours, without any script
