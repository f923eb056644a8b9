"""Say what this machine has for grading, what is missing, and the exact fix."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

import click

import grader
from grader.cli.commands.doctor.isolation import APPARMOR, MAX_NAMESPACES, hint
from grader.cli.commands.doctor.requirement import Requirement
from grader.cli.commands.doctor.surroundings import surroundings
from grader.engine.engine import EngineError
from grader.engine.isolation_test import reached
from grader.engine.lanes import cores
from grader.live.versions import CPU_INDEX, torch_fits
from grader.report.cleaning import one_line
from grader.text.typed import here
from grader.wire.isolation_record import IsolationRecord

PACKAGES = ("numpy", "pytest", "einops", "nbformat", "pyyaml", "click", "rich", "jinja2")
LIMIT_IMPORT_S = 120
_ASK_TORCH = """
import torch
print(torch.__version__)
build = torch.version.cuda and f"CUDA {torch.version.cuda}" or torch.version.hip or "CPUs"
print(f"built for {build}")
print(f"{torch.get_num_threads()} threads")
"""
CLONE = Path(grader.__path__[0]).resolve().parent
"""The course's folder, if the grader runs from a clone of it and not from a wheel."""


def run(*, as_json: bool = False, course_folder: Path | None = None) -> int:
    """Print the requirements; return 0 if nothing is missing, else 3."""
    requirements = (*examine(), *surroundings(course_folder))
    if as_json:
        click.echo(json.dumps(_values(requirements), indent=2, ensure_ascii=False))
        return 3 if any(requirement.fix for requirement in requirements) else 0
    return _print(requirements, course_folder)


def _values(requirements: tuple[Requirement, ...]) -> dict[str, object]:
    return {
        "complete": not any(requirement.fix for requirement in requirements),
        "requirements": [asdict(requirement) for requirement in requirements],
    }


def _print(requirements: tuple[Requirement, ...], course_folder: Path | None) -> int:
    width = max(len(requirement.name) for requirement in requirements)
    for requirement in requirements:
        mark = "missing" if requirement.fix else "ok"
        click.echo(f"{mark:<8} {requirement.name:<{width}}  {requirement.actual}")
        if requirement.fix:
            click.echo(f"{'':<8} {'':<{width}}  fix: {requirement.fix}")
        elif requirement.advice:
            click.echo(f"{'':<8} {'':<{width}}  {requirement.advice}")
    missing = [requirement.name for requirement in requirements if requirement.fix]
    if missing:
        words = [] if course_folder is None else ["--course", str(course_folder)]
        again = here().command("doctor", *words)
        click.echo(f"next: mend {missing[0]}, then run {again} again")
        return 3
    click.echo(f"next: {here(course_folder).command('check')}")
    return 0


def examine() -> Iterator[Requirement]:
    """Look at everything that grading needs of the machine, in the order in which to mend it."""
    yield system(platform.system(), platform.release(), platform.machine())
    yield python(sys.version_info[:3], sys.executable)
    yield Requirement("cores", f"{cores()} of {os.cpu_count()} may be used")
    yield (importable := torch())
    yield (installed := packages())
    if not importable.fix and not installed.fix:
        yield isolation()


def system(name: str, release: str, machine: str) -> Requirement:
    actual = f"{name} {release} ({machine})"
    if name == "Windows":
        return Requirement(
            "system",
            actual,
            "use WSL (wsl --install, then clone the course inside it), or Google Colab",
        )
    if name == "Darwin":
        return Requirement("system", f"{actual}: grading works with --spawn, with weaker isolation")
    return Requirement("system", actual)


def python(version: tuple[int, int, int], executable: str) -> Requirement:
    actual = f"{'.'.join(map(str, version))} at {executable}"
    if version < (3, 11, 0):
        return Requirement("python", actual, "Python 3.11 or newer: make setup PYTHON=python3.12")
    return Requirement("python", actual)


def torch() -> Requirement:
    """Find out whether torch can be imported, in another process: the import may crash."""
    command = [sys.executable, "-c", _ASK_TORCH]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_IMPORT_S)
    except subprocess.TimeoutExpired:
        return Requirement(
            "torch", f"import takes over {LIMIT_IMPORT_S} s", "make clean, make setup"
        )
    if done.returncode:
        errors = done.stderr.strip().splitlines()
        return Requirement(
            "torch", errors[-1] if errors else "its import crashes", get_torch("make setup")
        )
    version, *more = done.stdout.splitlines() or [""]
    if not torch_fits(version):
        return Requirement(
            "torch", version, f"torch>=2.6,<3: {get_torch('make setup TORCH=index')}"
        )
    return Requirement("torch", ", ".join((version, *more)))


def get_torch(make: str) -> str:
    """Return the command that installs a suitable torch: `make` in a clone, else pip."""
    if (CLONE / "tools" / "set_up").is_dir():
        return make
    index = f" --index-url {CPU_INDEX}" if sys.platform == "linux" else ""
    return f"{sys.executable} -m pip install 'torch>=2.6,<3'{index}"


def isolation(look: Callable[[Path], IsolationRecord | None] = reached) -> Requirement:
    """Find out the tier that confines submissions, the layers of it, and why it is no better."""
    with tempfile.TemporaryDirectory(prefix="grader-doctor-") as folder:
        try:
            tried = look(Path(folder)) or IsolationRecord("none")
        except EngineError as error:
            return Requirement("isolation", one_line(str(error)), _look_closer())
    why = f" ({tried.reason})" if tried.reason else ""
    text = one_line(f"{tried.tier}{why}: {', '.join(tried.enforced)}")
    if tried.tier == "full":
        return Requirement("isolation", text)
    mend = hint(APPARMOR, MAX_NAMESPACES, sys.platform)
    advice = f"{_ADVICE[tried.tier]}. To get it: {mend}. More: {_look_closer()}"
    return Requirement("isolation", text, advice=advice)


_ADVICE = {
    "partial": "enough for check and ci; grader batch needs full",
    "none": "hidden criteria are not graded like this",
}


def _look_closer() -> str:
    return here().command("doctor", "--isolation")


def packages() -> Requirement:
    versions, missing = [], []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        fix = f"{sys.executable} -m pip install {' '.join(missing)}"
        return Requirement("packages", f"no {', '.join(missing)}", fix)
    return Requirement("packages", ", ".join(versions))
