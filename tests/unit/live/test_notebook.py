"""Notebooks find one another, and what is not written yet costs a line."""

from __future__ import annotations

import importlib
import json
import os
import sys
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
    monkeypatch.delitem(sys.modules, "nb_one", raising=False)
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
            ("code", "x = 2"),
        )

        assert importlib.import_module("nb_one").x == 2

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
