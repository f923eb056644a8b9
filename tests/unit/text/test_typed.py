"""A command that is told can be pasted: it starts this grader and keeps what was typed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.text.language import use_language
from grader.text.typed import Typed, program


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    """A folder with an environment in it that nobody activated."""
    put(tmp_path / "here" / ".venv" / "bin" / "grader")
    put(tmp_path / "other" / "bin" / "grader")
    return tmp_path / "here"


@pytest.mark.parametrize(
    ("script", "search", "words"),
    [
        pytest.param(".venv/bin/grader", "", (".venv/bin/grader",), id="as typed"),
        pytest.param("{cwd}/.venv/bin/grader", "", (".venv/bin/grader",), id="by its whole path"),
        pytest.param("{cwd}/.venv/bin/grader", "{cwd}/.venv/bin", ("grader",), id="on the path"),
        pytest.param(".venv/bin/grader", "{cwd}/../other/bin", (".venv/bin/grader",), id="another"),
        pytest.param("{cwd}/../other/bin/grader", "", ("../other/bin/grader",), id="elsewhere"),
        pytest.param("{cwd}/x/grader/__main__.py", "", (".venv/bin/grader",), id="python -m"),
        pytest.param("/x/ipykernel_launcher.py", "{cwd}/.venv/bin", ("grader",), id="notebook"),
    ],
)
def test_the_program_is_named_so_that_it_is_found(
    cwd: Path, script: str, search: str, words: tuple[str, ...]
) -> None:
    python = str(cwd / ".venv" / "bin" / "python")
    found = program(script.format(cwd=cwd), python, search.format(cwd=cwd), cwd)

    assert found == tuple(word.format(cwd=cwd) for word in words)


def test_a_link_on_the_path_is_the_program_too(cwd: Path) -> None:
    (cwd / "links").mkdir()
    (cwd / "links" / "grader").symlink_to(cwd / ".venv" / "bin" / "grader")

    assert program("x", str(cwd / ".venv/bin/python"), str(cwd / "links"), cwd) == ("grader",)


def test_without_a_script_python_runs_it(cwd: Path) -> None:
    python = str(cwd / "bin" / "python3")

    assert program("x", python, os.defpath, cwd) == ("bin/python3", "-m", "grader")


@pytest.mark.parametrize(
    ("name", "language", "command"),
    [
        ("check", "en", "grader check x --only a1 --only b --course 'my course'"),
        ("check", "ko", "grader check x --only a1 --only b --course 'my course' --lang ko"),
        ("explain", "ko", "grader explain x --course 'my course' --lang ko"),
        ("start", "ko", "grader start x --course 'my course' --lang ko"),
        ("batch", "ko", "grader batch x --course 'my course'"),
        ("doctor", "ko", "grader doctor x"),
    ],
)
def test_each_command_keeps_the_options_that_it_has(name: str, language: str, command: str) -> None:
    use_language(language)
    typed = Typed(course=Path("my course"), only=("a1", "b"))

    assert typed.command(name, "x") == command
