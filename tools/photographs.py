"""Find what photographs of pages need: a browser, and a font with Hangul."""

from __future__ import annotations

import shutil
import subprocess

from grader.class_report.printing import BROWSERS, browser


def browser_for(pictures: str) -> str | None:
    """Return the browser that takes pictures; None, and say why, if there is none to take them.

    A browser without a font for Korean draws an empty box for each syllable, and reports no error.
    """
    executable = browser()
    if executable is None:
        print(f"no {pictures}: none of {', '.join(BROWSERS)} is here")
        return None
    if not _has_hangul():
        print(f"no {pictures}: no font with Hangul is here (Debian: apt-get install fonts-nanum)")
        return None
    return executable


def _has_hangul() -> bool:
    lists = shutil.which("fc-list")
    if lists is None:
        return False
    done = subprocess.run([lists, ":lang=ko"], stdout=subprocess.PIPE)
    return bool(done.stdout.strip())
