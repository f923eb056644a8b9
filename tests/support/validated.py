"""What `grader validate` says of a course, as data."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from grader.cli import cli


def validated(root: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of `grader validate`."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = cli.main(["validate", "--course", str(root), "--format", "json", *words])
    found = json.loads(printed.getvalue())
    assert isinstance(found, dict)
    return code, found
