"""Korean particles take the form that the word before them asks for, and never show both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from grader.text.particles import PARTICLES, with_particles

ROOT = Path(__file__).resolve().parents[3]
CATALOGUES = (
    ROOT / "grader" / "locale" / "ko" / "LC_MESSAGES" / "grader.po",
    ROOT / "reference" / "locale" / "ko" / "LC_MESSAGES" / "course.po",
)
BOTH = re.compile(
    "|".join(map(re.escape, (*(p for p in PARTICLES if "(" in p), "와(과)", "가(이)")))
)
PLACES = re.compile(r"\{(\w+)[^{}]*\}")


@pytest.mark.parametrize(
    ("template", "value", "told"),
    [
        pytest.param("{x}이(가)", "출력", "{x}이", id="consonant"),
        pytest.param("{x}이(가)", "가중치", "{x}가", id="vowel"),
        pytest.param("{x}은(는)", "10", "{x}은", id="read 십"),
        pytest.param("{x}(으)로", "1", "{x}로", id="read 일"),
        pytest.param("{x}(으)로", "서울", "{x}로", id="rieul"),
        pytest.param("{x}(으)로", "3", "{x}으로", id="read 삼"),
        pytest.param("{x}이에요", "무한대", "{x}예요", id="is"),
        pytest.param("{x}을(를)", "float32", "{x}를", id="digit at the end"),
        pytest.param("{x}이(가)", "NameError", "{x}가", id="an exception, read 에러"),
        pytest.param("{x}을(를)", "query", "{x}를", id="read 쿼리"),
        pytest.param("{x}은(는)", "MultiHeadAttention", "{x}은", id="read 어텐션"),
        pytest.param("{x}(으)로", "model", "{x}로", id="read 모델"),
        pytest.param("{x}을(를)", "dropout", "{x}을", id="read 드롭아웃"),
        pytest.param("{x}을(를)", "N", "{x}을", id="a letter, read 엔"),
        pytest.param("{x}을(를)", "a1_attention.py", "{x}를", id="a file, read 파이"),
        pytest.param("`{x}`을(를)", "W_value", "`{x}`를", id="a quote between"),
        pytest.param("({x})(으)로", "(2, 3)", "({x})으로", id="brackets between"),
        pytest.param("{x:.2f}이(가)", "3.21", "{x:.2f}이", id="with a format"),
        pytest.param("{x}.pdf을(를)", "답안", "{x}.pdf를", id="an ending between"),
        pytest.param("{x}과(와)", "", "{x}와", id="empty"),
        pytest.param("{x}이(가)", "Ω", "{x}가", id="a letter that nobody can read"),
        pytest.param("이(가) {x}", "출력", "이(가) {x}", id="not behind a place"),
    ],
)
def test_particles_agree_with_what_they_stand_behind(template: str, value: str, told: str) -> None:
    assert with_particles(template, {"x": value}) == told


def translations(path: Path) -> list[str]:
    with path.open("rb") as file:
        entries = read_po(file, locale="ko")
    forms = [one.string if isinstance(one.string, tuple) else (one.string,) for one in entries]
    return [str(form) for one in forms for form in one if form]


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
@pytest.mark.parametrize("value", ["NameError", "출력", "(2, 3)", "…", ""])
def test_no_translation_shows_both_forms(path: Path, value: str) -> None:
    shown = [
        with_particles(text, dict.fromkeys(PLACES.findall(text), value))
        for text in translations(path)
    ]

    assert [text for text in shown if BOTH.search(text)] == []


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_there_are_forms_to_choose_from(path: Path) -> None:
    """The positive control: as they are written, many translations hold both."""
    assert len([text for text in translations(path) if BOTH.search(text)]) >= 5
