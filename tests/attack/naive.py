"""The control of topology: the same attacks on a plain pytest run, in one process with the tests.

Each attack runs in a process forked from one that has torch and pytest, as ours have. What counts
is what a course's own script would look at: the exit code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.attack.arena import REFERENCE, canary
from tests.attack.attack import STEM, Attack
from tests.attack.outside import PRELUDE

LIMIT_S = 30.0
TESTS = f"""\
import reference
import {STEM} as student
import torch

SECRET = {{canary!r}}


def test_values():
    torch.manual_seed(0)
    x = torch.randn(3, dtype=torch.float64)
    expected = reference.work(x)
    found = student.work(x)
    expected = reference.work(x)
    assert not ((found - expected).abs() > 1e-6).any()
"""
STEALING = TESTS.replace("    expected = reference.work(x)\n    assert", "    assert")
"""Computes what it expects first, and holds it while the student's function runs."""
DEED = f"""\
import {STEM} as student

SECRET = {{canary!r}}


def test_attempt():
    assert str(student.attempt()).startswith("done")
"""
RUN = """
import os, sys
import pytest, torch, _pytest.reports
for folder in sys.stdin.read().split():
    if os.fork() == 0:
        break
    code = os.waitstatus_to_exitcode(os.wait()[1])
    print(folder, code, flush=True)
else:
    os._exit(0)
os.chdir(folder)
os.dup2(os.open(os.devnull, os.O_RDWR), 1)
os.dup2(1, 2)
sys.path.insert(0, folder)
sys.dont_write_bytecode = True
arguments = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder, folder]
sys.exit(int(pytest.main(arguments)))
"""


def fooled(attacks: Iterable[Attack]) -> frozenset[str]:
    """The attacks that a plain pytest run takes for work well done, or that steal its secrets."""
    with tempfile.TemporaryDirectory(prefix="grader-naive-") as root:
        folders = {}
        for attack in attacks:
            for number, tests in enumerate(_suites(attack)):
                folder = Path(root) / f"{attack.id}.{number}"
                _lay_out(folder, attack, tests)
                folders[str(folder)] = attack.id
        codes = _run(folders)
    return frozenset(folders[folder] for folder, code in codes.items() if code == 0)


def _suites(attack: Attack) -> tuple[str, ...]:
    source = str(attack.files[f"{STEM}.py"])
    return (DEED,) if "def attempt" in source else (TESTS, STEALING)


def _lay_out(folder: Path, attack: Attack, tests: str) -> None:
    folder.mkdir()
    own = {
        name: text if isinstance(text, str) else text.decode()
        for name, text in attack.files.items()
    }
    facts = f"COURSE = {str(folder)!r}\nNONCE = 'naive'\nCALLS = {{}}\n"
    files = {
        **own,
        f"{STEM}.py": PRELUDE.replace("{facts}\n", facts) + own[f"{STEM}.py"],
        "reference.py": REFERENCE.format(canary=canary("reference")),
        "test_naive.py": tests.format(canary=canary("suite")),
    }
    for name, text in files.items():
        if "/" not in name:
            (folder / name).write_text(text, encoding="utf-8")


def _run(folders: Iterable[str]) -> dict[str, int]:
    with subprocess.Popen(
        [sys.executable, "-c", RUN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={
            **os.environ,
            "GRADER_COURSE_TOKEN": canary("environment"),
            "PYTHONPATH": "",
            # A plain one: where a secret lies hangs on what else was imported.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n".join(folders))
        process.stdin.close()
        until = time.monotonic() + LIMIT_S * 4
        codes = {}
        for line in process.stdout:
            folder, code = line.split()
            codes[folder] = int(code)
            if time.monotonic() > until:
                break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return codes
