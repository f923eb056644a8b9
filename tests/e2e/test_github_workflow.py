"""The example workflow, its steps run as they are written, passes and fails where it must."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
import xmlschema

from tests.support.workflow import Runner, commands, read, steps

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = read(ROOT / "docs" / "examples" / "github-workflow.yml")
SCHEMA = xmlschema.XMLSchema(ROOT / "tests" / "schema" / "junit.xsd")
COURSE = ("grader", "reference", "assignments", "tests/suites", "rubric.yaml")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A runner with the course checked out, and with the grader that is installed here."""
    workspace = tmp_path / "workspace"
    ignore = shutil.ignore_patterns("__pycache__")
    for name in COURSE:
        target = workspace / "course" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=ignore)
        else:
            shutil.copy(ROOT / name, target)
    grader = program(
        tmp_path / "grader",
        f'PYTHONPATH="{workspace}/course" exec "{sys.executable}" -m grader "$@"',
    )
    return Runner(workspace, {"vars.GRADER": str(grader)})


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def hand_in(runner: Runner, name: str) -> Path:
    """The submission of the corpus, as the student's repository would be checked out."""
    return Path(shutil.copytree(ROOT / "tests" / "corpus" / name, runner.workspace / "submission"))


def hand_in_everything(runner: Runner) -> Path:
    """A submission in which nothing is missing: the reference itself."""
    folder = runner.workspace / "submission"
    folder.mkdir()
    for path in (ROOT / "reference").glob("a*.py"):
        shutil.copy(path, folder)
    return folder


def test_right_work_passes(runner: Runner) -> None:
    hand_in_everything(runner)

    assert runner.run(WORKFLOW) == 0

    (graded,) = runner.done
    assert graded.name == "Grade"
    assert graded.files["GITHUB_OUTPUT"].startswith("code=0\npoints=")
    assert "Every check passed." in graded.files["GITHUB_STEP_SUMMARY"]
    assert commands(graded.log) == ["::notice title=All points::Every check passed."]


def test_wrong_work_fails_and_says_what_to_mend(runner: Runner) -> None:
    hand_in(runner, "mask_inverted")

    assert runner.run(WORKFLOW) == 1

    (graded,) = runner.done
    first, *others = commands(graded.log)
    assert first.startswith("::error title=Points are missing::")
    assert others[0].startswith("::error file=submission/a2_masking.py,line=5,title=")
    assert len(others) < 30
    assert "next: open submission/a1_attention.py:" in graded.log
    assert "**Next:** `open a1_attention.py:" in graded.files["GITHUB_STEP_SUMMARY"]


def test_the_junit_file_that_is_uploaded_is_there_and_valid(runner: Runner) -> None:
    hand_in(runner, "mask_inverted")
    runner.values["vars.ONLY"] = "a1.sdpa"
    runner.run(WORKFLOW)
    upload = next(step for step in steps(WORKFLOW) if "upload-artifact" in step.get("uses", ""))

    file = runner.workspace / upload["with"]["path"]

    assert upload["if"] == "always()"
    SCHEMA.validate(str(file))
    assert "<failure " in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("only", "graded"),
    [
        pytest.param("", [], id="everything"),
        pytest.param("a1", ["--only", "a1"], id="a week"),
        pytest.param("a1, a2.causal_mask", ["--only", "a1", "--only", "a2.causal_mask"], id="more"),
        pytest.param(
            "$(touch pwned) *",
            ["--only", "$(touch", "--only", "pwned)", "--only", "*"],
            id="no code",
        ),
    ],
)
def test_a_variable_says_what_the_term_has_come_to(
    runner: Runner, tmp_path: Path, only: str, graded: list[str]
) -> None:
    (runner.workspace / "submission").mkdir()
    said = tmp_path / "said"
    grader = program(tmp_path / "echo", f'printf "%s\n" "$@" > "{said}"')
    runner.values |= {"vars.GRADER": str(grader), "vars.ONLY": only}

    assert runner.run(WORKFLOW) == 0

    arguments = said.read_text(encoding="utf-8").splitlines()
    assert arguments[:4] == ["ci", "submission", "--course", "course"]
    assert arguments[4:] == graded
    assert not (runner.workspace / "pwned").exists()


def test_only_what_the_variable_names_is_reported(runner: Runner) -> None:
    hand_in(runner, "mask_inverted")
    runner.values["vars.ONLY"] = "a1.softmax"
    runner.run(WORKFLOW)

    text = (runner.workspace / "grader-report" / "junit.xml").read_text(encoding="utf-8")
    assert re.findall(r'<testsuite name="([^"]*)"', text) == ["a1.softmax"]


def test_what_could_not_be_checked_is_told_apart_from_wrong_work(runner: Runner) -> None:
    hand_in(runner, "right_six_plain")
    runner.values["vars.ONLY"] = "a1.sdpa"
    suite = runner.workspace / "course/tests/suites/a1_attention/public/test_sdpa.py"
    broken = '\n    def test_breaks(self):\n        """Breaks."""\n        raise RuntimeError\n'
    suite.write_text(suite.read_text(encoding="utf-8").rstrip() + broken, encoding="utf-8")

    assert runner.run(WORKFLOW) == 3
    assert commands(runner.done[-1].log)[0].startswith("::error title=Could not check::")


def test_a_repository_without_a_submission_is_not_graded(runner: Runner) -> None:
    (runner.workspace / "submission").mkdir()

    assert runner.run(WORKFLOW) == 2

    (graded,) = runner.done
    assert "no .py or .ipynb file" in graded.files["GITHUB_STEP_SUMMARY"]
    assert commands(graded.log)[0].startswith("::error title=Not graded::")


def test_a_submission_that_shouts_commands_is_not_heard(runner: Runner) -> None:
    submission = hand_in(runner, "right_six_plain")
    runner.values["vars.ONLY"] = "a1.sdpa"
    (submission / "a1_attention.py").write_text(
        "print('::error::printed on import')\n"
        "def scaled_dot_product_attention(q, k, v, mask=None):\n"
        "    print('::add-mask::printed')\n"
        "    raise ValueError('one\\n::error::raised\\n##[error]raised')\n",
        encoding="utf-8",
    )

    assert runner.run(WORKFLOW) == 1

    graded = runner.done[0]
    assert "raised" in graded.log
    assert all(
        line.startswith(("::error title=Points", "::error file="))
        for line in commands(graded.log)
        if line.startswith("::error")
    )
    assert not any(line.startswith("::add-mask") for line in commands(graded.log))
    assert commands(graded.files["GITHUB_STEP_SUMMARY"]) == []


def test_the_silence_around_grading_has_a_token_of_the_run(runner: Runner) -> None:
    (runner.workspace / "submission").mkdir()
    runner.run(WORKFLOW)
    log = runner.done[0].log

    token = re.match(r"::stop-commands::([0-9a-f]{64})\n", log)
    assert token is not None
    inside, _, _after = log.partition(f"\n::{token[1]}::\n")
    assert commands(f"{inside}\n::error::loud\n") == []
    assert commands(f"{log}::error::after\n")[-1] == "::error::after"


def test_the_grader_is_installed_where_it_is_not_there_yet(runner: Runner, tmp_path: Path) -> None:
    hand_in_everything(runner)
    runner.values["vars.ONLY"] = "a1.softmax"
    (tmp_path / "bin").mkdir()
    installed = runner.workspace / "course" / ".venv" / "bin" / "grader"
    installed.parent.mkdir(parents=True)
    shutil.copy(runner.values.pop("vars.GRADER"), installed)
    program(tmp_path / "bin" / "make", f'printf "%s\\n" "$@" > "{tmp_path}/made"')
    runner.environment = {"PATH": f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin"}
    runner.values["vars.TORCH_INDEX"] = "an index"

    assert runner.run(WORKFLOW) == 0
    assert [done.name for done in runner.done] == ["Install the grader", "Grade"]
    assert (tmp_path / "made").read_text(encoding="utf-8").splitlines() == [
        "-C",
        "course",
        "setup",
        "PYTHON=python3",
        "TORCH_INDEX=an index",
    ]


def test_nothing_is_installed_when_the_cache_has_it() -> None:
    install = next(step for step in steps(WORKFLOW) if step["name"] == "Install the grader")

    runner = Runner(ROOT, {"steps.venv.outputs.cache-hit": "true"})

    assert not runner.holds(install["if"])
    assert Runner(ROOT).holds(install["if"])


def test_no_script_is_put_together_from_expressions() -> None:
    """A branch name or a variable inside a script could become part of it."""
    scripts = [step["run"] for step in steps(WORKFLOW) if "run" in step]

    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)


def test_student_code_gets_no_rights_and_no_token() -> None:
    checkouts = [step for step in steps(WORKFLOW) if "actions/checkout" in step.get("uses", "")]

    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert len(checkouts) == 2
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
