"""The course as a student has it: without a hidden suite anywhere."""

from __future__ import annotations

import shutil
from pathlib import Path


def students_course(course: Path, root: Path) -> Path:
    """A copy at `root` of all that checking takes, with the public suites alone."""
    root.mkdir(parents=True)
    shutil.copy(course / "rubric.yaml", root)
    for name in ("assignments", "reference"):
        (root / name).symlink_to(course / name)
    suites = course / "tests" / "suites"
    for path in [suites / "conftest.py", *suites.glob("*/public/*.py")]:
        target = root / "tests" / "suites" / path.relative_to(suites)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return root
