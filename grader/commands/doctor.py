"""`grader doctor`: what this machine has for grading, what is missing, and the exact fix."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click

from grader.engine import EngineError
from grader.processes import cores
from grader.report.cleaning import one_line
from grader.witness import reached

PACKAGES = ("numpy", "pytest", "einops", "nbformat", "pyyaml", "click", "rich", "jinja2")
LIMIT_IMPORT_S = 120


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    found: str
    fix: str = ""
    """What to do; empty if all is well."""
    advice: str = ""
    """What would be better, where nothing is missing."""


def run() -> int:
    """Prints the findings; 0 if nothing is missing, else 3."""
    findings = tuple(examine())
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "missing" if finding.fix else "ok"
        click.echo(f"{mark:<8} {finding.name:<{width}}  {finding.found}")
        if finding.fix:
            click.echo(f"{'':<8} {'':<{width}}  fix: {finding.fix}")
        elif finding.advice:
            click.echo(f"{'':<8} {'':<{width}}  {finding.advice}")
    missing = [finding.name for finding in findings if finding.fix]
    if missing:
        click.echo(f"next: mend {missing[0]}, then run grader doctor again")
        return 3
    click.echo("next: grader check")
    return 0


def examine() -> Iterator[Finding]:
    """Everything that grading needs, in the order in which to mend it."""
    yield system(platform.system(), platform.release(), platform.machine())
    yield python(sys.version_info[:3], sys.executable)
    yield Finding("cores", f"{cores()} of {os.cpu_count()} may be used")
    yield (importable := torch())
    yield (installed := packages())
    if not importable.fix and not installed.fix:
        yield isolation()


def system(name: str, release: str, machine: str) -> Finding:
    found = f"{name} {release} ({machine})"
    if name == "Windows":
        return Finding(
            "system",
            found,
            "use WSL (wsl --install, then clone the course inside it), or Google Colab",
        )
    if name == "Darwin":
        return Finding("system", f"{found}: grading works with --spawn, with weaker isolation")
    return Finding("system", found)


def python(version: tuple[int, int, int], executable: str) -> Finding:
    found = f"{'.'.join(map(str, version))} at {executable}"
    if version < (3, 11, 0):
        return Finding("python", found, "Python 3.11 or newer: make setup PYTHON=python3.12")
    return Finding("python", found)


def torch() -> Finding:
    """Whether torch can be imported, found out in another process: it may crash."""
    command = [sys.executable, "-c", "import torch; print(torch.__version__)"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_IMPORT_S)
    except subprocess.TimeoutExpired:
        return Finding("torch", f"import takes over {LIMIT_IMPORT_S} s", "make clean, make setup")
    if done.returncode:
        said = done.stderr.strip().splitlines()
        return Finding("torch", said[-1] if said else "its import crashes", "make setup")
    version = done.stdout.strip()
    major, minor = (int(part) for part in version.split(".")[:2])
    if not (2, 6) <= (major, minor) < (3, 0):
        return Finding("torch", version, "torch>=2.6,<3: make setup TORCH=index")
    return Finding("torch", version)


def isolation(look: Callable[[Path], Mapping[str, object]] = reached) -> Finding:
    """The tier that submissions are confined in, what stands for it, and why it is no better."""
    with tempfile.TemporaryDirectory(prefix="grader-doctor-") as folder:
        try:
            found = look(Path(folder))
        except EngineError as error:
            return Finding("isolation", one_line(str(error)), "grader doctor --isolation")
    tier, reason = found.get("tier", "none"), found.get("reason")
    enforced = found.get("enforced")
    layers = ", ".join(map(str, enforced)) if isinstance(enforced, list) else ""
    why = f" ({reason})" if reason else ""
    text = one_line(f"{tier}{why}: {layers}")
    if tier == "full":
        return Finding("isolation", text)
    return Finding("isolation", text, advice=_ADVICE[str(tier)])


_ADVICE = {
    "partial": "enough for check and ci; grader batch needs full: grader doctor --isolation",
    "none": "hidden criteria are not graded like this: grader doctor --isolation",
}


def packages() -> Finding:
    versions, missing = [], []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        fix = f"{sys.executable} -m pip install {' '.join(missing)}"
        return Finding("packages", f"no {', '.join(missing)}", fix)
    return Finding("packages", ", ".join(versions))
