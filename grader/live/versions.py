"""Say whether the versions of grader and torch in a kernel are those that a kit needs."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

import grader
from grader.text.language import _

OLDEST_TORCH, TORCH_BEFORE = (2, 6), (3, 0)
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""PyTorch's own index of builds for CPUs; the usual index's builds bring CUDA on Linux."""


def torch_fits(version: str) -> bool:
    """Tell whether grading works with a version of torch.

    >>> torch_fits("2.13.0+cpu"), torch_fits("2.5.1"), torch_fits("3.0.0")
    (True, False, False)
    """
    major, minor = (int(part) for part in version.split(".")[:2])
    return OLDEST_TORCH <= (major, minor) < TORCH_BEFORE


def versions(kit: str) -> list[str]:
    """Return what to mend, a sentence each, or one that says that all fits.

    `kit`: the version of the grader in the kit. torch is not imported.
    """
    torch = _torch()
    unfit = [*_grader(kit), *_fix_for(torch)]
    return unfit or [
        _(
            "grader {version}, Python {python}, torch {torch}: these fit.",
            version=grader.__version__,
            python=platform.python_version(),
            torch=torch,
        )
    ]


def _torch() -> str:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def _grader(kit: str) -> list[str]:
    if grader.__version__ == kit:
        return []
    return [
        _(
            "This kernel runs grader {version}, and the kit's is {kit}. Restart the kernel, and "
            "run this cell first.",
            version=grader.__version__,
            kit=kit,
        )
    ]


def _fix_for(torch: str) -> list[str]:
    if torch and torch_fits(torch):
        return []
    index = f" --index-url {CPU_INDEX}" if sys.platform == "linux" else ""
    command = f"%pip install 'torch>=2.6,<3'{index}"
    if not torch:
        return [_("PyTorch is missing. Install it in a new cell: {command}", command=command)]
    return [
        _(
            "torch {torch} does not fit. Install another in a new cell, and restart the kernel: "
            "{command}",
            torch=torch,
            command=command,
        )
    ]
