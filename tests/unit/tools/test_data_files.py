"""The files that notebooks read are what SOURCES.md says they are, and small."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "assignments" / "data"
LANGUAGE = re.compile("[가-힣]")
DIGIT = re.compile("[0-9][0-9a-g]{64}")
LICENCE_WORDS = re.compile("gutenberg|etext|copyright|licen[cs]e|펼침|보기", re.IGNORECASE)


def text(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def test_every_file_has_its_source() -> None:
    files = sorted(path.name for path in DATA.iterdir())

    named = sorted(re.findall(r"^\| `(.+?)` \|", text("SOURCES.md"), re.MULTILINE))
    assert [name for name in files if name != "SOURCES.md"] == named
    assert named == ["constitution.txt", "digits.txt", "sonnets.txt"]


def test_both_texts_weigh_about_the_same_and_little() -> None:
    korean, english = ((DATA / name).stat().st_size for name in ("constitution.txt", "sonnets.txt"))

    assert 0.9 < korean / english < 1.1
    assert korean + english <= 100_000
    assert (DATA / "digits.txt").stat().st_size <= 120_000


@pytest.mark.parametrize("name", ["constitution.txt", "sonnets.txt"])
def test_a_text_holds_its_own_words_alone(name: str) -> None:
    found = text(name)

    assert LICENCE_WORDS.findall(found) == []
    assert bool(LANGUAGE.search(found)) == (name == "constitution.txt")
    assert not re.search(r"[ \t\r]\n|\n\n\n", found)
    assert found.endswith((".\n", ":\n"))


def test_somebody_else_s_words_would_be_seen() -> None:
    assert LICENCE_WORDS.findall("Project Gutenberg Etext; 펼침 부칙") == [
        "Gutenberg",
        "Etext",
        "펼침",
    ]


def test_there_are_seventy_seven_sonnets_and_all_articles() -> None:
    sonnets = text("sonnets.txt").strip().split("\n\n")
    articles = re.findall(
        r"^제(\d+)조", text("constitution.txt").partition("\n부칙")[0], re.MULTILINE
    )

    assert Counter(len(sonnet.split("\n")) for sonnet in sonnets) == {14: 77}
    assert [*map(int, articles)] == [*range(1, 131)]


def test_the_digits_are_those_of_ten_kinds() -> None:
    lines = text("digits.txt").splitlines()

    assert all(DIGIT.fullmatch(line) for line in lines)
    kinds = Counter(line[0] for line in lines)
    assert sum(kinds.values()) == 1797
    assert min(kinds.values()) == 174
    assert max(kinds.values()) == 183
