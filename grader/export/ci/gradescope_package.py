"""Pack a course and the grader as an autograder of Gradescope, in one file to be uploaded.

The layout is Gradescope's: `setup.sh` and `run_autograder` at the root of the archive, which is
unpacked to `/autograder/source`. The same course gives the same bytes.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from grader.export.ci.outputs import not_checked
from grader.export.ci.package_files import engine_and_course, requirements_file, zipped
from grader.export.ci.systems import System
from grader.export.gradescope import RESULTS_FILE
from grader.text.language import language_in_use

_TEMPLATES = Path(__file__).parent / "gradescope"
_SCRIPTS = ("setup.sh", "run_autograder")


def packed(root: Path, only: Iterable[str]) -> bytes:
    """Return the archive for the course at `root`, which grades what `only` names, or all of it."""
    return zipped(contents(root, only), _SCRIPTS)


def contents(root: Path, only: Iterable[str]) -> Mapping[str, bytes]:
    """Return every file of the archive by its name in it."""
    words = ("--lang", language_in_use(), *(word for name in only for word in ("--only", name)))
    arguments = shlex.join(words)
    scripts = {
        name: (_TEMPLATES / name)
        .read_text(encoding="utf-8")
        .replace("@ARGUMENTS@", arguments)
        .encode()
        for name in _SCRIPTS
    }
    return {
        **scripts,
        "requirements.txt": requirements_file(),
        "could_not_check.json": not_checked(System.GRADESCOPE)[RESULTS_FILE].encode(),
        **engine_and_course(root),
    }
