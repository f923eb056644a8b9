"""The package for PrairieLearn, laid out as a grading job is, writes results.json in every case."""

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

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "tests" / "toy_course"
SCHEMA = json.loads((ROOT / "tests/schema/prairielearn.schema.json").read_text(encoding="utf-8"))
RIGHT = (COURSE / "reference" / "f1_filters.py").read_text(encoding="utf-8")
HOSTILE = """\
import os
print('{"score": 1}')
def box_blur(image, side):
    for name in ("/grade/results/results.json", "../results/results.json", RESULTS):
        try:
            with open(name, "w") as file:
                file.write('{"gradable": true, "score": 1, "tests": []}')
        except OSError:
            pass
    os._exit(0)
"""


@dataclass(frozen=True)
class GradingJob:
    """The folder `/grade` of a container, somewhere else."""

    root: Path
    entrypoint: tuple[str, ...]

    def grade(self, code: str | None) -> Any:
        """Run the entry point of info.json on one file, or on none; return results.json."""
        for folder in ("student", "results"):
            shutil.rmtree(self.root / folder, ignore_errors=True)
        (self.root / "student").mkdir()
        if code is not None:
            (self.root / "student" / "f1_filters.py").write_text(code, encoding="utf-8")
        done = subprocess.run(
            [word.replace("/grade/", f"{self.root}/") for word in self.entrypoint],
            env={
                "GRADE_ROOT": str(self.root),
                "PATH": f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}",
            },
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        values = json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(values)
        return values


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> GradingJob:
    """A job as PrairieLearn makes it: what info.json names is copied, and nothing else."""
    folder = tmp_path_factory.mktemp("prairielearn")
    words = ["--package", "prairielearn", str(folder / "package.zip"), "--course", str(COURSE)]
    assert cli.main(["ci", *words, "--only", "f1.blur", "--lang", "en"]) == 0
    theirs, root = folder / "course", folder / "grade"
    subprocess.run(["unzip", "-q", str(folder / "package.zip"), "-d", str(theirs)], check=True)
    info = json.loads((theirs / "questions" / "f1_filters" / "info.json").read_text("utf-8"))
    options = info["externalGradingOptions"]
    for name in options["serverFilesCourse"]:
        shutil.copytree(theirs / "serverFilesCourse" / name, root / "serverFilesCourse" / name)
    (root / "data").mkdir()
    (root / "data" / "data.json").write_text("{}", encoding="utf-8")
    script = root / options["entrypoint"][0].removeprefix("/grade/")
    script.chmod(0o755)  # as the grading process does
    return GradingJob(root, tuple(options["entrypoint"]))


def test_right_work_gets_all_points(job: GradingJob) -> None:
    values = job.grade(RIGHT)

    assert (values["gradable"], values["score"]) == (True, 1)
    assert {one["points"] == one["max_points"] for one in values["tests"]} == {True}


def test_wrong_work_says_why(job: GradingJob) -> None:
    values = job.grade("def box_blur(image, side):\n    return image * 2\n")

    assert 0 < values["score"] < 1
    outputs = {one["name"]: one["output"] for one in values["tests"]}
    assert "differs" in outputs["f1.blur: outputs"]


def test_a_hostile_submission_gets_no_points_for_it(job: GradingJob) -> None:
    results = str(job.root / "results" / "results.json")
    values = job.grade(f"RESULTS = {results!r}\n{HOSTILE}")

    assert values["gradable"] is True
    assert values["score"] < 0.5
    assert len(values["tests"]) > 1


def test_an_empty_submission_is_not_gradable_and_says_what_to_hand_in(job: GradingJob) -> None:
    values = job.grade(None)

    assert values["gradable"] is False
    assert "Hand in the assignment's own file" in values["message"]


def test_a_judge_that_is_killed_costs_nobody_an_attempt(job: GradingJob) -> None:
    suites = job.root / "serverFilesCourse" / "grader" / "course" / "tests" / "suites"
    suite = suites / "f1_filters" / "public" / "test_blur.py"
    text = suite.read_text(encoding="utf-8")
    killed = '\n    def test_killed(self):\n        """Ends."""\n        import os\n'
    suite.write_text(f"{text.rstrip()}{killed}        os.kill(os.getpid(), 9)\n", encoding="utf-8")
    try:
        values = job.grade(RIGHT)
    finally:
        suite.write_text(text, encoding="utf-8")

    assert values["gradable"] is False
    assert "This could not be checked: that is not your mistake." in values["message"]


def test_nobody_else_may_read_the_course(job: GradingJob) -> None:
    job.grade(None)

    for folder in ("serverFilesCourse", "serverFilesCourse/grader/course/reference", "results"):
        assert (job.root / folder).stat().st_mode & 0o077 == 0
