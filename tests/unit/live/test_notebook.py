"""Notebooks find one another, and what is not written yet costs a line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import grader
from grader.live.notebook import Notebooks, notebook, trying
from grader.text.language import use_language


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, in English, and finders that are as before afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    use_language("en")


def saved(name: str, *cells: tuple[str, str]) -> None:
    made = [{"cell_type": kind, "source": text.splitlines(True)} for kind, text in cells]
    Path(f"{name}.ipynb").write_text(json.dumps({"cells": made}), encoding="utf-8")


class TestTrying:
    def test_an_exercise_that_is_not_written_is_a_line(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with trying():
            raise NotImplementedError("f: replace this line with your solution")

        assert capsys.readouterr().out == "Not yet: this needs f\n"

    def test_a_line_of_ones_own_has_no_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        with trying():
            raise NotImplementedError

        assert capsys.readouterr().out == "Not yet: this needs an exercise of yours\n"

    def test_it_speaks_the_reader_s_language(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LANGUAGE", "ko")

        with trying():
            raise NotImplementedError("f: replace this line with your solution")

        assert capsys.readouterr().out == "아직입니다. f가 필요합니다\n"

    def test_a_mistake_is_not_hidden(self) -> None:
        with pytest.raises(ZeroDivisionError), trying():
            1 / 0  # noqa: B018

    def test_a_notebook_reaches_it_by_the_package(self) -> None:
        assert grader.trying is trying
        assert grader.notebook is notebook


class TestImports:
    def test_a_notebook_is_imported_without_its_demos(self) -> None:
        notebook()
        saved(
            "nb_one",
            ("markdown", "x = 0"),
            ("code", "# demo\nx = 1"),
            ("code", "%time\nx = 2"),
        )
        builtins = {"get_ipython": lambda: Magics()}

        module = imported("nb_one", builtins)

        assert module == 2

    def test_asking_twice_adds_one_finder(self) -> None:
        notebook()
        notebook()

        assert sys.meta_path.count(Notebooks) == 1

    @pytest.mark.parametrize(
        ("notebook_s", "script_s", "found"),
        [
            pytest.param(2_000, None, True, id="notebook alone"),
            pytest.param(None, 2_000, False, id="script alone"),
            pytest.param(2_000, 1_000, True, id="notebook changed last"),
            pytest.param(1_000, 2_000, False, id="script changed last"),
            pytest.param(None, None, False, id="neither"),
        ],
    )
    def test_a_notebook_is_found_unless_the_script_was_changed_last(
        self, notebook_s: int | None, script_s: int | None, found: bool
    ) -> None:
        for name, time_s in (("other.ipynb", notebook_s), ("other.py", script_s)):
            if time_s is not None:
                Path(name).write_text("{}", encoding="utf-8")
                os.utime(name, (time_s, time_s))

        assert (Notebooks.find_spec("other") is not None) is found


class Magics:
    """Stands for the shell of a kernel, in which a magic does nothing."""

    def __getattr__(self, name: str) -> object:
        return lambda *args: None


def imported(name: str, names: Mapping[str, object]) -> object:
    """What `x` is in a module, imported where a kernel's own names are there."""
    import builtins
    import importlib

    for key, value in names.items():
        setattr(builtins, key, value)
    try:
        return importlib.import_module(name).x
    finally:
        for key in names:
            delattr(builtins, key)
        sys.modules.pop(name, None)
