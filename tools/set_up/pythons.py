"""Which Python the environment is made with."""

import os
import shutil
import subprocess
import sys
from typing import Dict, Tuple

from tools.set_up.pip_command import CannotSetUp, say

OLDEST = (3, 11)
TRIED = ("python3.12", "python3.13", "python3.11", "python3.14")
"""What a newer Python may be called, those first for which most packages are built."""


def continue_with_saved_python(choice: Dict[str, str]) -> None:
    """Starts over under the Python that was chosen last time, if it is another one."""
    saved = choice.get("executable", "")
    if saved and saved != sys.executable and os.access(saved, os.X_OK):
        start_over(saved, "saved")


def start_over(python: str, how: str) -> None:
    arguments = ["-m", "tools.set_up", *sys.argv[1:], "--python-given", how]
    os.execv(python, [python, *arguments])


def require_python(version: Tuple[int, ...], was_given: bool) -> None:
    """Starts over under a newer Python if this is too old; raises CannotSetUp if there is none."""
    if version >= OLDEST:
        return
    found = "" if was_given else newer_python()
    if found:
        say("python3 is Python {}.{}; going on with {}.".format(*version[:2], found))
        start_over(found, "found")
    raise CannotSetUp(
        "This is Python {}.{}; the grader needs {}.{} or newer.\n"
        "If you have one under another name, say so:  make check PYTHON=python3.12".format(
            *version[:2], *OLDEST
        )
    )


def newer_python() -> str:
    """A Python on PATH that is new enough and can make environments, or nothing."""
    test = f"import ensurepip, sys, venv; sys.exit(sys.version_info[:2] < {OLDEST})"
    for name in TRIED:
        path = shutil.which(name)
        if path and not subprocess.run([path, "-c", test], stderr=subprocess.DEVNULL).returncode:
            return path
    return ""
