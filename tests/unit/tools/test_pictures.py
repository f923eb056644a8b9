"""What README shows is what the grader prints today, and its picture reaches no host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.demo import CLASS, CORPUS
from tools.pictures import PICTURE, README, ROOT, drawn, svg


@pytest.fixture(scope="module")
def fresh() -> Mapping[Path, str]:
    return drawn()


@pytest.mark.parametrize("path", [README, PICTURE], ids=lambda path: path.name)
def test_what_is_shown_is_what_is_printed(fresh: Mapping[Path, str], path: Path) -> None:
    """If this fails, run `make pictures` and look at what changed."""
    assert path.read_text(encoding="utf-8") == fresh[path]


def test_the_picture_reaches_no_host_and_names_no_machine() -> None:
    text = PICTURE.read_text(encoding="utf-8")

    ElementTree.fromstring(text)
    assert re.findall(r"https?://[^\s\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert re.findall(r"url\((?!#)|@import|@font-face|<script|href", text) == []
    assert str(ROOT) not in text
    assert "/tmp" not in text


def test_the_picture_shows_right_and_wrong_work() -> None:
    text = "".join(ElementTree.fromstring(PICTURE.read_text(encoding="utf-8")).itertext())
    plain = text.replace("\N{NO-BREAK SPACE}", " ")

    assert "student-001" in plain
    assert "observed" in plain
    assert "next: open class/student-002/" in plain


def test_the_readme_shows_the_picture_and_has_the_block() -> None:
    text = README.read_text(encoding="utf-8")

    assert PICTURE.relative_to(ROOT).as_posix() in text
    assert text.count("<!-- make pictures -->\n```\n") == 1


def test_the_same_screen_gives_the_same_picture() -> None:
    screen = "\x1b[32mone\x1b[0m\nisolation  full\ntwo\n"

    assert svg(screen) == svg(screen)
    assert "full" not in svg(screen)


def test_the_class_is_made_of_what_is_handed_in() -> None:
    assert all((CORPUS / name).is_dir() for name in CLASS)
