"""`python -m tools.set_up`, from the folder that holds pyproject.toml."""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Dict

from tools.set_up.environment import (
    CONSTRAINTS,
    ROOT,
    choose,
    is_newest,
    make_venv,
    remembered,
    saved_choice,
)
from tools.set_up.pip_command import CannotSetUp, Pip, say
from tools.set_up.pythons import continue_with_saved_python, require_python
from tools.set_up.torch_build import (
    constraints_for_torch,
    install_torch,
    link_system_torch,
    require_system_torch,
)


def main() -> int:
    """Leaves a working environment behind, or prints what to do and returns 2."""
    arguments = parsed()
    stamps = arguments.stamp, arguments.developer_stamp
    saved = remembered(arguments.stamp, arguments.venv)
    if not arguments.python_given:
        continue_with_saved_python(saved)
    try:
        require_python(sys.version_info[:2], bool(arguments.python_given))
        choice = choose(saved, arguments.torch, arguments.torch_index)
        needed = stamps if arguments.developer else stamps[:1]
        if all(is_done(stamp, choice) for stamp in needed):
            return 0
        is_ready = is_done(arguments.stamp, choice)
        set_up(arguments, choice, is_ready)
    except CannotSetUp as reason:
        print("\n" + str(reason) + "\n", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. Run make again to go on.", file=sys.stderr)
        return 130
    for stamp in needed:
        stamp.write_text(json.dumps(choice, sort_keys=True) + "\n", encoding="utf-8")
    say("  ready.")
    return 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.set_up", description="set up .venv")
    parser.add_argument("--venv", type=Path, required=True)
    parser.add_argument("--stamp", type=Path, required=True)
    parser.add_argument("--developer-stamp", type=Path, required=True)
    parser.add_argument("--developer", action="store_true", help="with what tests and lint need")
    parser.add_argument("--cpu-index", required=True, help="PyTorch's own index of CPU builds")
    parser.add_argument("--torch", choices=("", "index", "system", "any"), default="")
    parser.add_argument("--torch-index", default="")
    parser.add_argument("--python-given", default="", help="PYTHON was named by the caller")
    return parser.parse_args()


def is_done(stamp: Path, choice: Dict[str, str]) -> bool:
    return stamp.exists() and choice == saved_choice(stamp) and is_newest(stamp)


def set_up(arguments: argparse.Namespace, choice: Dict[str, str], is_ready: bool) -> None:
    """Makes the environment and installs torch first, then the grader and its tools."""
    venv, kind = arguments.venv, choice["torch"]
    if kind == "system":
        require_system_torch()
    if is_ready:
        say(f"Adding what tests and lint need to {venv}, once: about 130 MB to download.")
    else:
        size = "" if kind in ("system", "any") else ": about 230 MB to download, 1 GB on disk"
        say(f"Setting up {venv}, once{size}.")
    pip = make_venv(venv, choice)
    if kind == "system":
        link_system_torch(venv)
    elif not is_ready:
        install_torch(pip, choice, arguments.cpu_index)
    install_grader(pip, kind, "[torch,dev,docs]" if arguments.developer else "[torch]")


def install_grader(pip: Pip, kind: str, extras: str) -> None:
    """Installs the grader with what it needs, none of which can replace the torch that is there."""
    with tempfile.TemporaryDirectory() as scratch:
        constraints = Path(scratch) / "constraints.txt"
        lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
        constraints.write_text(constraints_for_torch(pip, kind, lines), encoding="utf-8")
        what = "the grader, and what tests it" if "dev" in extras else "the grader"
        pip.run(["install", "--quiet", "-c", str(constraints), "-e", str(ROOT) + extras], what)


if __name__ == "__main__":
    sys.exit(main())
