"""Items speak the language of whoever starts pytest, as the command line does."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.pytest_items.grading import FolderGrading
from grader.text.language import language_in_use

COURSE = Path(__file__).resolve().parents[2] / "toy_course"


@pytest.mark.parametrize(("system", "language"), [("ko_KR.UTF-8", "ko"), ("en_GB.UTF-8", "en")])
def test_items_speak_the_language_of_the_system(
    system: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "")
    monkeypatch.setenv("LC_ALL", system)

    FolderGrading(COURSE / "reference")

    assert language_in_use() == language
