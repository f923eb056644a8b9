"""The folder `.venv`, and the choices that are remembered in it."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Dict

from tools.set_up.pip_command import CannotSetUp, Pip

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CONSTRAINTS = ROOT / "constraints.txt"


def choose(saved: Dict[str, str], torch: str, torch_index: str) -> Dict[str, str]:
    """What was asked for now, else what was asked for last time, else that pip finds torch."""
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


def remembered(stamp: Path, venv: Path) -> Dict[str, str]:
    """What was asked for last time, even if it came to nothing."""
    return saved_choice(stamp) or saved_choice(venv / ".made")


def saved_choice(stamp: Path) -> Dict[str, str]:
    try:
        saved = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return saved if isinstance(saved, dict) else {}


def is_newest(stamp: Path) -> bool:
    """Whether nothing that decides what is installed changed after the stamp."""
    inputs = (ROOT / "pyproject.toml", CONSTRAINTS, *HERE.glob("*.py"))
    return all(stamp.stat().st_mtime >= path.stat().st_mtime for path in inputs)


def make_venv(venv: Path, choice: Dict[str, str]) -> Pip:
    """The command that runs pip for a fresh environment, or for the one that fits already."""
    python = venv / "bin" / "python"
    made = {**choice, "torch_index": ""}
    if saved_choice(venv / ".made") != made:
        command = [sys.executable, "-m", "venv", "--clear", str(venv)]
        if choice["torch"] == "system":
            command.append("--system-site-packages")
        if not has("ensurepip"):
            require_own_pip()
            command.append("--without-pip")
        if subprocess.run(command).returncode:
            raise CannotSetUp(NO_VENV.format(*sys.version_info[:2]))
        (venv / ".made").write_text(json.dumps(made, sort_keys=True), encoding="utf-8")
    if subprocess.run([str(python), "-c", "import pip"], stderr=subprocess.DEVNULL).returncode:
        return Pip([sys.executable, "-m", "pip", "--python", str(python)])
    return Pip([str(python), "-m", "pip"])


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
