"""The package for Gradescope, laid out as documented, writes results.json whatever is handed in.

In an image of its own, where the machine lets one be made: there it is `/autograder`, and neither
the course nor the grader of this clone is to be found.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.cli import cli
from tests.support.image import in_image, makes_images

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "tests/schema/gradescope.schema.json").read_text(encoding="utf-8"))
HOSTILE = """\
import os
print('{"score": 99}')
def stable_softmax(x, dim=-1):
    for name in ("/autograder/results/results.json", "../results/results.json", RESULTS):
        try:
            with open(name, "w") as file:
                file.write('{"score": 99}')
        except OSError:
            pass
    os._exit(0)
"""


@dataclass(frozen=True)
class Autograder:
    """The folder `/autograder` of an image; somewhere else where no image can be made."""

    root: Path

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder, as Gradescope does."""
        environment = {**os.environ, "PYTHONPATH": ""}
        if makes_images():
            command = in_image(self.root, "/autograder", command)
        else:
            environment["AUTOGRADER_ROOT"] = str(self.root)
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, encoding="utf-8"
        )

    def grade(self, code: str | None) -> Any:
        """Run the autograder on one file, or on none, as Gradescope does; return results.json."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        (self.root / "submission").mkdir()
        if code is not None:
            (self.root / "submission" / "a1_attention.py").write_text(code, encoding="utf-8")
        (self.root / "results" / "results.json").unlink(missing_ok=True)
        done = self.run(["./run_autograder"])
        assert done.returncode == 0, done.stderr
        values = json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(values)
        return values


@pytest.fixture(scope="module")
def autograder(tmp_path_factory: pytest.TempPathFactory) -> Autograder:
    """The package, unpacked as Gradescope does; what `setup.sh` installs is what is here."""
    root = tmp_path_factory.mktemp("image") / "autograder"
    for name in ("source", "results"):
        (root / name).mkdir(parents=True)
    package = root.parent / "autograder.zip"
    words = ["--package", "gradescope", str(package), "--course", str(ROOT)]
    assert cli.main(["ci", *words, "--only", "a1.softmax", "--lang", "en"]) == 0
    subprocess.run(["unzip", "-q", str(package), "-d", str(root / "source")], check=True)
    shutil.copy(root / "source" / "run_autograder", root)
    (root / "venv").symlink_to(sys.prefix)
    return Autograder(root)


@pytest.mark.skipif(not makes_images(), reason="nobody but root mounts here")
def test_the_image_holds_the_package_and_nothing_of_this_clone(autograder: Autograder) -> None:
    look = ["bash", "-c", f"ls /autograder; ls {ROOT}/reference {ROOT}/tests"]
    done = autograder.run(look)

    assert done.stdout.split() == ["results", "run_autograder", "source", "venv"]
    assert done.stderr.count("No such file or directory") == 2


def test_right_work_gets_all_points(autograder: Autograder) -> None:
    values = autograder.grade((ROOT / "reference" / "a1_attention.py").read_text(encoding="utf-8"))

    assert values["score"] == sum(one["max_score"] for one in values["tests"]) == 10
    assert {one["status"] for one in values["tests"]} == {"passed"}


def test_wrong_work_says_why_and_hides_what_is_hidden(autograder: Autograder) -> None:
    values = autograder.grade(
        "import torch\n\n\ndef stable_softmax(x, dim=-1):\n    return x.exp() / x.exp().sum()\n"
    )

    assert 0 < values["score"] < 10
    failed = [one for one in values["tests"] if one.get("status") == "failed"]
    assert "does not define softmax_naive" in "".join(one["output"] for one in failed)
    assert {one["visibility"] for one in values["tests"]} == {"visible", "after_published"}


def test_a_hostile_submission_gets_no_points_for_it(autograder: Autograder) -> None:
    results = str(autograder.root / "results" / "results.json")
    values = autograder.grade(f"RESULTS = {results!r}\n{HOSTILE}")

    assert values["score"] < 10
    assert "99" not in json.dumps(values["score"])
    assert len(values["tests"]) > 1


def test_an_empty_submission_says_what_to_hand_in(autograder: Autograder) -> None:
    values = autograder.grade(None)

    assert values["score"] == 0
    assert "Hand in the assignment's own file" in values["output"]


def test_a_judge_that_is_killed_costs_nobody_anything(autograder: Autograder) -> None:
    suites = autograder.root / "source" / "course" / "tests" / "suites" / "a1_attention"
    suite = suites / "public" / "test_softmax.py"
    text = suite.read_text(encoding="utf-8")
    killed = '\n    def test_killed(self):\n        """Ends."""\n        import os\n'
    suite.write_text(f"{text.rstrip()}{killed}        os.kill(os.getpid(), 9)\n", encoding="utf-8")
    try:
        values = autograder.grade(
            (ROOT / "reference" / "a1_attention.py").read_text(encoding="utf-8")
        )
    finally:
        suite.write_text(text, encoding="utf-8")

    assert "score" not in values
    assert "This could not be checked: that is not your mistake." in values["output"]


def test_without_an_interpreter_there_is_a_result_as_well(autograder: Autograder) -> None:
    venv = autograder.root / "venv"
    venv.rename(autograder.root / "away")
    try:
        values = autograder.grade("x = 1\n")
    finally:
        (autograder.root / "away").rename(venv)

    assert "score" not in values


def test_nobody_else_may_read_the_course(autograder: Autograder) -> None:
    autograder.grade(None)

    for path in (autograder.root / "source" / "course" / "reference", autograder.root / "results"):
        assert path.stat().st_mode & 0o077 == 0


def test_setup_installs_torch_for_cpus_and_then_the_rest(tmp_path: Path) -> None:
    root, bin_ = tmp_path / "autograder", tmp_path / "bin"
    for folder in (root / "source" / "course", bin_):
        folder.mkdir(parents=True)
    log = tmp_path / "log"
    tool = f'#!/bin/bash\necho "${{0##*/}} $*" >> "{log}"\n'
    make_venv = f'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "{bin_}/tool" "$3/bin/pip"; '
    make_venv += f'cp "{bin_}/tool" "$3/bin/python"; fi\n'
    for name, body in {"tool": tool, "python3.13": tool + make_venv}.items():
        (bin_ / name).write_text(body, encoding="utf-8")
        (bin_ / name).chmod(0o755)
    script = ROOT / "grader" / "export" / "ci" / "gradescope" / "setup.sh"
    environment = {"PATH": f"{bin_}:{os.environ['PATH']}", "AUTOGRADER_ROOT": str(root)}

    done = subprocess.run(["bash", str(script)], env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert log.read_text(encoding="utf-8").splitlines() == [
        "python3.13 -m ensurepip --version",
        f"python3.13 -m venv {root}/venv",
        "pip install --no-cache-dir torch>=2.6,<3 --index-url https://download.pytorch.org/whl/cpu",
        f"pip install --no-cache-dir -r {root}/source/requirements.txt",
        "python -m grader doctor",
    ]
    assert (root / "source").stat().st_mode & 0o077 == 0
