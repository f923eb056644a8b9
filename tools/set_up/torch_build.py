"""Which torch is installed: never one with CUDA by accident.

On Linux the plain `torch==VERSION` of the usual index brings several gigabytes of CUDA, and to ask
pip what it would install is to have it downloaded. So pip is asked for `VERSION+cpu`, which only a
build for CPUs is called: what is not there is told without a download.
"""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

from tools.set_up.environment import CONSTRAINTS
from tools.set_up.pip_command import CannotSetUp, Pip, PipFailed, say

GPU_PACKAGE = re.compile(r"(nvidia|cuda|rocm|triton)([-_.]|$)|pytorch[-_.]triton")
GPU_BUILD = re.compile(r"\+(cu|rocm|xpu)")
SIZE = "about 190 MB"
NEWEST_PYTHON = (3, 14)
"""The newest for which the pinned torch is built."""
SHORT_WAIT = ["--timeout", "15", "--retries", "2"]


def install_torch(pip: Pip, choice: Dict[str, str], cpu_index: str) -> None:
    """Installs the pinned torch without what it needs: that comes with the rest."""
    torch = pinned_torch()
    if choice["torch"] == "any":
        install(pip, torch, "", "torch, whichever build pip's own index has")
    elif choice["torch_index"]:
        install_from_named(pip, torch, choice["torch_index"])
    elif sys.platform != "linux":
        install(pip, torch, "", f"torch ({SIZE} at most)")
    else:
        install_for_cpus(pip, torch, cpu_index)


def install_for_cpus(pip: Pip, torch: str, cpu_index: str) -> None:
    """Installs the CPU build from pip's own index, else from PyTorch's."""
    try:
        install(pip, torch + "+cpu", "", f"torch, built for CPUs ({SIZE})")
        return
    except PipFailed as own:
        say(
            "  pip's own index has no build for CPUs; on Linux its usual one brings CUDA, several "
            f"GB.\n  Taking PyTorch's own build for CPUs, from {cpu_index}"
        )
        try:
            doing = f"torch, built for CPUs ({SIZE})"
            install(pip, torch + "+cpu", cpu_index, doing, SHORT_WAIT)
        except PipFailed as theirs:
            raise CannotSetUp(nowhere(torch, cpu_index, own, theirs)) from None


def install_from_named(pip: Pip, torch: str, index: str) -> None:
    """Installs torch from the index that the caller named; raises CannotSetUp if it is CUDA's."""
    doing = f"torch from {index} ({SIZE})"
    try:
        install(pip, torch + "+cpu", index, doing)
        return
    except PipFailed:
        # A mirror may have its own build, without a tag. To look is to download this one file.
        arguments = ["install", "--quiet", "--dry-run", "--report", "-"]
        report = pip.run([*arguments, *from_index(torch, index)])
    found = gpu_parts(json.loads(report))
    if found:
        raise CannotSetUp(
            f"{index} has {torch} only with CUDA ({', '.join(found[:3])}).\n" + CHOICES
        )
    install(pip, torch, index, doing)


def install(pip: Pip, torch: str, index: str, doing: str, wait: Optional[List[str]] = None) -> None:
    pip.run(["install", "--quiet", *(wait or []), *from_index(torch, index)], doing)


def from_index(torch: str, index: str) -> List[str]:
    """Arguments with which pip takes torch alone, from an index or from its own."""
    source = ["--index-url", index] if index else []
    return [*source, "--no-deps", torch]


def pinned_torch() -> str:
    for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("torch=="):
            return line.strip()
    raise CannotSetUp("constraints.txt names no torch==VERSION; restore it:  git checkout "
                      "constraints.txt")  # fmt: skip


def gpu_parts(report: Dict[str, Any]) -> List[str]:
    """What in a pip installation report only a GPU needs: torch itself, or what it asks for."""
    found = []
    for item in report.get("install", ()):
        name, version = item["metadata"]["name"].lower(), item["metadata"]["version"]
        if GPU_BUILD.search(version):
            found.append(f"{name} {version}")
        for needed in item["metadata"].get("requires_dist", ()):
            if GPU_PACKAGE.match(needed.lower()) and "extra ==" not in needed:
                found.append(needed.partition(";")[0].strip())
    return sorted(found)


CHOICES = """What you can do:
    make check TORCH_INDEX=<url>   an index with builds for CPUs, if you know another
    make check TORCH=system        the torch that a Python has (which: PYTHON=<path>)
    make check TORCH=any           what pip's own index has: with CUDA, several GB"""


def nowhere(torch: str, cpu_index: str, own: PipFailed, theirs: PipFailed) -> str:
    """Why torch could not be installed from either index, and what to do."""
    words = (
        f"{torch} built for CPUs was not to be had. Nothing with CUDA was downloaded.\n"
        f"    pip's own index: {own.reason}\n"
        f"    {cpu_index}: {theirs.reason}\n"
        "If there is no network, run make again once there is.\n" + CHOICES
    )
    if sys.version_info[:2] > NEWEST_PYTHON:
        words += (
            "\n    make check PYTHON=python3.12   this torch may be older than Python {}.{}".format(
                *sys.version_info[:2]
            )
        )
    return words


# --- a torch that is there already ---------------------------------------------------------


def require_system_torch() -> Path:
    """The folder that this Python imports torch from; raises CannotSetUp if it has none."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        raise CannotSetUp(
            f"TORCH=system, but {sys.executable} has no torch.\n"
            "Name a Python that has one:  make setup TORCH=system PYTHON=path/to/python\n"
            "or let pip get it:           make setup TORCH=index"
        )
    return Path(spec.origin).resolve().parent.parent


def link_system_torch(venv: Path) -> None:
    """Makes the torch of this Python importable in the environment."""
    # --system-site-packages shows the base installation only, and this Python may itself live in
    # an environment.
    version = "python{}.{}".format(*sys.version_info[:2])
    link = venv / "lib" / version / "site-packages" / "torch_of_base.pth"
    link.write_text(str(require_system_torch()) + os.linesep, encoding="utf-8")


def constraints_for_torch(pip: Pip, kind: str, lines: List[str]) -> str:
    """The constraints with torch pinned to exactly the build that is there, so that it is kept."""
    torch = installed_version(pip, "torch")
    if torch is None:
        raise CannotSetUp(f"The torch of {sys.executable} is not visible to pip.")
    kept = [line for line in lines if not line.startswith("torch==")]
    if kind == "system":
        require_fitting(torch)
        # What torch was built against stays as it is, too.
        numpy = installed_version(pip, "numpy")
        if numpy is not None:
            kept = [line for line in kept if not line.startswith("numpy==")]
            kept.append("numpy==" + numpy)
    return "\n".join([*kept, "torch==" + torch, ""])


def require_fitting(torch: str) -> None:
    """Raises CannotSetUp for a version of torch that the grader does not know."""
    major, minor = (int(part) for part in torch.split(".")[:2])
    if not (2, 6) <= (major, minor) < (3, 0):
        raise CannotSetUp(
            f"torch {torch} is there; the grader needs torch>=2.6,<3.\n"
            "Let pip get one that fits:  make setup TORCH=index"
        )


def installed_version(pip: Pip, package: str) -> Optional[str]:
    for item in json.loads(pip.run(["list", "--format", "json"])):
        if item["name"].lower() == package:
            return str(item["version"])
    return None
