"""The example pipeline for GitLab, its script run as written, reports and fails as it must."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = yaml.safe_load((ROOT / "docs/examples/gitlab-ci.yml").read_text(encoding="utf-8"))
JOB: Mapping[str, Any] = PIPELINE["grade"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A student's repository, checked out; and programs that stand in for git and make."""
    (tmp_path / "bin").mkdir()
    clone = f'echo "$@" > "{tmp_path}/cloned"; ln -sfn "{ROOT}" "$COURSE"'
    program(tmp_path / "bin" / "git", clone)
    program(tmp_path / "bin" / "make", f'echo "$@" > "{tmp_path}/made"')
    folder = tmp_path / "builds" / "work"
    shutil.copytree(ROOT / "tests" / "corpus" / "mask_inverted", folder)
    (folder / ".git").mkdir()
    return folder


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def run(project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the job as a runner does: its variables set, its script in a shell."""
    builds = project.parent
    given = {
        **{name: str(value) for name, value in PIPELINE["variables"].items()},
        "GITLAB_CI": "true",
        "CI_PROJECT_DIR": str(project),
        "COURSE": f"{builds}/course-1",
        "PATH": f"{builds.parent / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        **variables,
    }
    (script,) = JOB["script"]
    return subprocess.run(
        ["sh", "-c", script], cwd=project, env={**os.environ, **given}, capture_output=True,
        encoding="utf-8",
    )  # fmt: skip


def test_what_is_to_be_mended_is_in_the_files_that_gitlab_reads(project: Path) -> None:
    done = run(project, ONLY="a1.sdpa, a1.softmax $(touch pwned)", COURSE_URL="a-url")

    assert done.returncode == 2, done.stderr  # `touch` is no exercise
    done = run(project, ONLY="a1.sdpa, a1.softmax", COURSE_URL="a-url")

    assert done.returncode == 1, done.stderr
    reports = JOB["artifacts"]["reports"]
    assert "<failure " in (project / reports["junit"]).read_text(encoding="utf-8")
    issues = json.loads((project / reports["codequality"]).read_text(encoding="utf-8"))
    assert issues[0]["location"] == {"path": "a1_attention.py", "lines": {"begin": 16}}
    assert not (project / "pwned").exists()


def test_the_course_is_cloned_beside_the_submission_and_pip_has_a_cache(project: Path) -> None:
    run(project, ONLY="nothing", COURSE_URL="a-url")
    cloned = (project.parents[1] / "cloned").read_text(encoding="utf-8")

    assert cloned.endswith(f"--branch main a-url {project.parent}/course-1\n")
    assert JOB["variables"]["COURSE"].startswith("$CI_BUILDS_DIR/")
    assert JOB["cache"]["paths"] == [".cache/pip"]
    assert PIPELINE["variables"]["PIP_CACHE_DIR"] == "$CI_PROJECT_DIR/.cache/pip"
    assert JOB["artifacts"]["when"] == "always"
