"""What README shows is what the grader prints today, and its picture reaches no host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len
from rich.text import Text

from tools.demo import CLASS, CORPUS
from tools.pictures import CAPTURES, MISTAKE, PICTURE, README, ROOT, drawn, mistake, svg


@pytest.fixture(scope="module")
def fresh() -> Mapping[Path, str]:
    return drawn()


@pytest.mark.parametrize("path", [README, PICTURE, *CAPTURES.values()], ids=lambda path: path.name)
def test_what_is_shown_is_what_is_printed(fresh: Mapping[Path, str], path: Path) -> None:
    """If this fails, run `make pictures` and look at what changed."""
    assert path.read_text(encoding="utf-8") == fresh[path]


@pytest.mark.parametrize("path", [PICTURE, *CAPTURES.values()], ids=lambda path: path.name)
def test_a_picture_reaches_no_host_and_names_no_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

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


@pytest.mark.parametrize(("columns", "path"), CAPTURES.items(), ids=str)
def test_a_capture_shows_one_mistake_on_lines_that_fit(columns: int, path: Path) -> None:
    text = "".join(ElementTree.fromstring(path.read_text(encoding="utf-8")).itertext())
    plain = text.replace("\N{NO-BREAK SPACE}", " ")

    for said in ("likely cause", "likely at", f"why:  grader explain {MISTAKE}", "hint 1 of 3"):
        assert said in plain
    lines = [Text.from_ansi(line).plain for line in mistake(columns).splitlines()]
    assert max(map(cell_len, lines)) <= columns


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
