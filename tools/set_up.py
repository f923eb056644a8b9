"""Sets up `.venv` for `make`, once, without ever downloading CUDA by accident.

Standard library only, and old syntax: it has to run on whatever `python3` is there, if only to
say that it is too old.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
GPU_PACKAGE = re.compile(r"(nvidia|cuda)([-_.]|$)")
GPU_BUILD = re.compile(r"\+(cu|rocm|xpu)")


class CannotSetUp(Exception):
    """Why there is no environment, and what to type."""


def main() -> int:
    """Leaves a working environment behind, or prints what to do and returns 2."""
    parser = argparse.ArgumentParser(description="set up .venv")
    parser.add_argument("--venv", type=Path, required=True)
    parser.add_argument("--stamp", type=Path, required=True)
    parser.add_argument("--torch", choices=("", "index", "system"), default="")
    parser.add_argument("--torch-index", default="")
    parser.add_argument("--python-given", default="", help="PYTHON was named by the caller")
    arguments = parser.parse_args()
    if not arguments.python_given:
        continue_with_saved_python(arguments.stamp)
    try:
        require_python(sys.version_info[:2])
        set_up(arguments.venv, arguments.stamp, arguments.torch, arguments.torch_index)
    except CannotSetUp as reason:
        print("\n" + str(reason) + "\n", file=sys.stderr)
        return 2
    return 0


def continue_with_saved_python(stamp: Path) -> None:
    """Starts over under the Python that was named last time, if it is another one."""
    saved = saved_choice(stamp).get("executable", "")
    if saved and saved != sys.executable and os.access(saved, os.X_OK):
        os.execv(saved, [saved, *sys.argv, "--python-given", "saved"])


def require_python(version: Tuple[int, int]) -> None:
    """Raises CannotSetUp for a Python that is too old."""
    if version < OLDEST:
        raise CannotSetUp(
            "This is Python {}.{}; the grader needs {}.{} or newer.\n"
            "If you have one under another name, say so:  make check PYTHON=python3.12".format(
                *version, *OLDEST
            )
        )


def set_up(venv: Path, stamp: Path, torch: str, torch_index: str) -> None:
    """Makes the environment and installs torch first, then the grader and its tools."""
    choice = choose(stamp, torch, torch_index)
    if stamp.exists() and choice == saved_choice(stamp) and is_newest(stamp):
        return
    system = choice["torch"] == "system"
    if system:
        require_system_torch()
    size = "" if system else " The largest part is torch, about 200 MB."
    say(f"Setting up {venv}, once.{size}")
    pip = make_venv(venv, choice, system)
    stamp_text = json.dumps(choice, sort_keys=True) + "\n"
    with tempfile.TemporaryDirectory() as scratch:
        constraints = CONSTRAINTS
        if system:
            link_system_torch(venv)
            constraints = Path(scratch) / "constraints.txt"
            constraints.write_text(constraints_for_system_torch(pip), encoding="utf-8")
        else:
            install_torch(pip, choice["torch_index"])
        say("  the grader and its tools ...")
        grader = ["-c", str(constraints), "-e", str(ROOT) + "[dev]"]
        refuse_cuda(pip, grader)
        run_pip(pip, ["install", "--quiet", *grader])
    stamp.write_text(stamp_text, encoding="utf-8")
    say("  ready.")


def say(line: str) -> None:
    print(line, flush=True)


def choose(stamp: Path, torch: str, torch_index: str) -> Dict[str, str]:
    """What was asked for now, else what was asked for last time, else torch from pip's index."""
    saved = saved_choice(stamp)
    if torch_index:
        torch = "index"
    if not torch:
        torch = saved.get("torch", "index")
        torch_index = saved.get("torch_index", "") if torch == "index" else ""
    return {
        "executable": sys.executable,
        "python": ".".join(map(str, sys.version_info[:3])),
        "torch": torch,
        "torch_index": torch_index,
    }


def saved_choice(stamp: Path) -> Dict[str, str]:
    try:
        saved = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return saved if isinstance(saved, dict) else {}


def is_newest(stamp: Path) -> bool:
    inputs = (ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__))
    return all(stamp.stat().st_mtime >= path.stat().st_mtime for path in inputs)


# --- the environment -----------------------------------------------------------------------


def make_venv(venv: Path, choice: Dict[str, str], system: bool) -> List[str]:
    """The command that runs pip for a fresh environment, or for the one that fits already."""
    python = venv / "bin" / "python"
    if saved_choice(venv / ".made") != {**choice, "torch_index": ""}:
        command = [sys.executable, "-m", "venv", "--clear", str(venv)]
        if system:
            command.append("--system-site-packages")
        if not has("ensurepip"):
            require_own_pip()
            command.append("--without-pip")
        if subprocess.run(command).returncode:
            raise CannotSetUp(NO_VENV.format(*sys.version_info[:2]))
        made = json.dumps({**choice, "torch_index": ""}, sort_keys=True)
        (venv / ".made").write_text(made, encoding="utf-8")
    if subprocess.run([str(python), "-c", "import pip"], stderr=subprocess.DEVNULL).returncode:
        return [sys.executable, "-m", "pip", "--python", str(python)]
    return [str(python), "-m", "pip"]


NO_VENV = """This Python cannot make a virtual environment: ensurepip is missing.
On Debian and Ubuntu:  apt install python3-venv   (or python{0}.{1}-venv), then run make again.
Or give a Python that has pip, for instance one in a virtual environment that you made yourself:
    make check PYTHON=path/to/environment/bin/python"""


def require_own_pip() -> None:
    """Raises CannotSetUp unless this Python's own pip can install into another environment."""
    if has("venv") and has("pip"):
        from pip import __version__ as version

        if int(version.split(".")[0]) >= 23:
            return
    raise CannotSetUp(NO_VENV.format(*sys.version_info[:2]))


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


# --- torch ---------------------------------------------------------------------------------


def install_torch(pip: List[str], torch_index: str) -> None:
    """Installs the pinned torch, once it is certain that this is a build without CUDA."""
    say("  torch ...")
    torch = ["-c", str(CONSTRAINTS), pinned_torch()]
    if torch_index:
        # Only torch comes from there; what it needs comes with the rest, from pip's own index.
        torch = ["--index-url", torch_index, "--no-deps", *torch]
    refuse_cuda(pip, torch)
    run_pip(pip, ["install", "--quiet", *torch])


def pinned_torch() -> str:
    for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("torch=="):
            return line.strip()
    raise CannotSetUp("constraints.txt names no torch==VERSION; restore it:  git checkout "
                      "constraints.txt")  # fmt: skip


def refuse_cuda(pip: List[str], wanted: List[str]) -> None:
    """Raises CannotSetUp if installing `wanted` would bring CUDA packages."""
    if sys.platform != "linux":
        return
    report = run_pip(pip, ["install", "--quiet", "--dry-run", "--report", "-", *wanted])
    found = cuda_packages(json.loads(report))
    if found:
        raise CannotSetUp(CUDA.format(", ".join(found[:3]), len(found), pinned_torch()))


def cuda_packages(report: Dict[str, Any]) -> List[str]:
    """Names in a pip installation report that only a GPU needs."""
    found = []
    for item in report.get("install", ()):
        name, version = item["metadata"]["name"].lower(), item["metadata"]["version"]
        if GPU_PACKAGE.match(name) or (name == "torch" and GPU_BUILD.search(version)):
            found.append(f"{name} {version}")
    return sorted(found)


CUDA = """Stopped before downloading CUDA ({0}, ...; {1} packages, several GB).
The grader needs only the CPU build of {2}. pytorch.org shows its index URL for your system
(choose Linux, Pip, Python, CPU; it is the URL after --index-url). Then type:
    make setup TORCH_INDEX=<the CPU index URL shown on pytorch.org for your system>
Or use a torch that your Python already has:
    make setup TORCH=system"""


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


def constraints_for_system_torch(pip: List[str]) -> str:
    """The constraints with torch pinned to the version that is there, so that it is kept."""
    torch = installed_version(pip, "torch")
    if torch is None:
        raise CannotSetUp(f"The torch of {sys.executable} is not visible to pip.")
    major, minor = (int(part) for part in torch.split(".")[:2])
    if not (2, 6) <= (major, minor) < (3, 0):
        raise CannotSetUp(
            f"torch {torch} is there; the grader needs torch>=2.6,<3.\n"
            "Let pip get one that fits:  make setup TORCH=index"
        )
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("torch==")]
    # What torch was built against stays as it is, too.
    numpy = installed_version(pip, "numpy")
    if numpy is not None:
        kept = [line for line in kept if not line.startswith("numpy==")]
        kept.append("numpy==" + numpy)
    return "\n".join([*kept, "torch==" + torch, ""])


def installed_version(pip: List[str], package: str) -> Optional[str]:
    for item in json.loads(run_pip(pip, ["list", "--format", "json"])):
        if item["name"].lower() == package:
            return str(item["version"])
    return None


def run_pip(pip: List[str], arguments: List[str]) -> str:
    """What pip printed. Its warnings and errors are shown only if it failed."""
    command = [*pip, "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if not line.startswith("WARNING")]
        raise CannotSetUp(
            "pip could not do it. Its own words:\n\n    "
            + "\n    ".join(errors[-12:])
            + "\n\nOnce that is mended (most often: no network), run make again."
        )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
