"""An old `python3` goes on with a newer one that is there, or says what to type."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.set_up import pythons
from tools.set_up.pip_command import CannotSetUp


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing in it yet."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def python(file: Path, works: bool) -> str:
    """A program of that name which is a Python, or only a stand-in that says it is none."""
    body = f'exec "{sys.executable}" "$@"' if works else "exit 127"
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("version", "is_enough"), [((3, 10), False), ((3, 11), True), ((3, 14), True)]
)
def test_an_old_python_is_refused(path: Path, version: tuple[int, int], is_enough: bool) -> None:
    if is_enough:
        pythons.require_python(version, was_given=False)
    else:
        with pytest.raises(CannotSetUp, match=r"make check PYTHON=python3\.12"):
            pythons.require_python(version, was_given=False)


def test_an_old_python_goes_on_with_a_newer_one(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    python(path / "python3.12", works=False)  # as pyenv leaves for a version that is not chosen
    newer = python(path / "python3.13", works=True)
    started: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["set_up", "--venv", ".venv"])
    monkeypatch.setattr("os.execv", lambda _path, command: started.append(command))

    with pytest.raises(CannotSetUp):  # exec does not return, and this one does
        pythons.require_python((3, 9), was_given=False)

    assert capsys.readouterr().out == f"python3 is Python 3.9; going on with {newer}.\n"
    assert started == [[newer, "-m", "tools.set_up", "--venv", ".venv", "--python-given", "found"]]


def test_a_python_that_was_named_is_not_replaced(path: Path) -> None:
    python(path / "python3.12", works=True)

    with pytest.raises(CannotSetUp, match=r"This is Python 3\.10"):
        pythons.require_python((3, 10), was_given=True)
