"""Choices are remembered, and an environment is made anew only where it must be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.set_up import environment
from tools.set_up.pip_command import CannotSetUp


def test_a_python_without_ensurepip_and_pip_is_told_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(environment, "has", lambda module: module == "venv")

    with pytest.raises(CannotSetUp, match="apt install python3-venv"):
        environment.require_own_pip()


@pytest.mark.parametrize(
    ("torch", "index", "chosen"),
    [
        pytest.param("", "", ("system", ""), id="the last choice stays"),
        pytest.param("index", "", ("index", ""), id="a new choice wins"),
        pytest.param("any", "", ("any", ""), id="any build"),
        pytest.param("", "file:///x", ("index", "file:///x"), id="an index is a choice"),
    ],
)
def test_choices_are_remembered(torch: str, index: str, chosen: tuple[str, str]) -> None:
    saved = {"torch": "system", "torch_index": ""}

    choice = environment.choose(saved, torch, index)

    assert (choice["torch"], choice["torch_index"]) == chosen


def test_what_was_asked_for_stays_after_a_failure(tmp_path: Path) -> None:
    """Whoever named a Python and was refused types the next choice without naming it again."""
    (tmp_path / ".made").write_text('{"executable": "/bin/other"}', encoding="utf-8")

    assert environment.remembered(tmp_path / ".ready", tmp_path) == {"executable": "/bin/other"}

    (tmp_path / ".ready").write_text('{"executable": "/bin/python3"}', encoding="utf-8")
    assert environment.remembered(tmp_path / ".ready", tmp_path) == {"executable": "/bin/python3"}


def test_a_stamp_that_cannot_be_read_is_no_choice(tmp_path: Path) -> None:
    (tmp_path / "cut").write_text('{"torch": "sys', encoding="utf-8")
    (tmp_path / "odd").write_text("[]", encoding="utf-8")

    assert [environment.saved_choice(tmp_path / name) for name in ("cut", "odd", "no")] == [{}] * 3


def test_the_stamp_is_stale_once_a_requirement_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "HERE", tmp_path)
    monkeypatch.setattr(environment, "CONSTRAINTS", tmp_path / "constraints.txt")
    for name in ("pyproject.toml", "constraints.txt", "torch_build.py", ".ready"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000, 1000))

    assert environment.is_newest(tmp_path / ".ready") is True
    for name in ("constraints.txt", "torch_build.py"):
        os.utime(tmp_path / name, (1001, 1001))
        assert environment.is_newest(tmp_path / ".ready") is False
        os.utime(tmp_path / name, (1000, 1000))
