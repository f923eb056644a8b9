"""A shell completes the exercises and causes of the course that one is in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from grader.cli.cli import cli

ROOT = Path(__file__).resolve().parents[3]
BASH = shutil.which("bash") or ""


def completed(*words: str) -> list[str]:
    """What stands in place of the last word."""
    *before, begun = words
    shell = ShellComplete(cli, {}, "grader", "_GRADER_COMPLETE")
    return [item.value for item in shell.get_completions(before, begun)]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("check", "--only", "a1"), ["a1", "a1.scores", "a1.softmax"]),
        (("batch", "--only", "a2.p"), ["a2.padding"]),
        (("validate", "--exercise", "a4.pat"), ["a4.patchify", "a4.patch_embedding"]),
        (("validate", "--only", "a4.pat"), ["a4.patchify", "a4.patch_embedding"]),
        (("explain", "sdpa.unsc"), ["sdpa.unscaled"]),
        (("explain", "a1.sdpa/m"), ["a1.sdpa/masking"]),
        (("explain", "a3.h"), ["a3.heads"]),
        (("check", "--course", "{toy}", "--only", "f1"), ["f1", "f1.blur", "f1.sobel"]),
        (("explain", "--course", "{toy}", "f"), []),
    ],
)
def test_names_of_the_course_are_offered(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], some: list[str]
) -> None:
    monkeypatch.chdir(ROOT / "docs")
    toy = str(ROOT / "tests" / "toy_course")

    assert completed(*(word.format(toy=toy) for word in words))[:3] == some


def test_outside_of_a_course_nothing_is_offered_or_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert completed("check", "--only", "a") == completed("explain", "a") == []
    (tmp_path / "rubric.yaml").write_text("course: [", encoding="utf-8")
    assert completed("check", "--only", "a") == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not BASH, reason="there is no bash")
def test_what_the_guide_says_to_type_works_in_bash() -> None:
    line = 'eval "$(_GRADER_COMPLETE=bash_source grader)"'
    assert line in (ROOT / "docs" / "guide-student.md").read_text(encoding="utf-8")
    program = (
        f"{line}; COMP_WORDS=(grader explain sdpa.unsc); COMP_CWORD=2;"
        '_grader_completion grader; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [BASH, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )

    assert (done.stdout, done.stderr) == ("sdpa.unscaled\n", "")
