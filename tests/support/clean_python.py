"""An environment of Python with all that is installed here but the grader, and a kernel in it."""

from __future__ import annotations

import json
import sys
import sysconfig
import venv
from pathlib import Path

_OURS = "attention_grader"


def clean_python(folder: Path) -> Path:
    """Make the environment in `folder`, without downloading anything; return its interpreter."""
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if _OURS not in path.name:
            (site / path.name).symlink_to(path)
    python = folder / "bin" / "python"
    pip = python.with_name("pip")
    pip.write_text(f'#!/bin/sh\nexec "{python}" -m pip "$@"\n', encoding="utf-8")
    pip.chmod(0o755)
    return python


def kernel(python: Path, name: str, folder: Path) -> Path:
    """Write a kernel of that interpreter; return what `JUPYTER_PATH` has to be to find it."""
    place = folder / "kernels" / name
    place.mkdir(parents=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": name, "language": "python"}
    (place / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return folder


if __name__ == "__main__":
    clean_python(Path(sys.argv[1]))
