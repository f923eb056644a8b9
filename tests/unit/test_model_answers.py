"""Whoever marks has answers worth 3, 2 and 1 points for every question, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.course import find_course

ROOT = Path(__file__).resolve().parents[2]
COURSE = find_course(ROOT)
GUIDES = ROOT / "reference" / "guides"
HEADINGS = {
    "models": ["3 points", "2 points", "1 point", "Often said"],
    "ko": ["3점", "2점", "1점", "자주 나오는 틀린 답"],
}
PLACES = [(language, slug) for language in HEADINGS for slug in COURSE.rubric.written]


def parts(text: str) -> dict[str, str]:
    found = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def quoted(part: str) -> list[str]:
    """The words of the answer that a part quotes."""
    lines = (line[1:] for line in part.splitlines() if line.startswith(">"))
    return " ".join(lines).split()


@pytest.mark.parametrize(("language", "slug"), PLACES)
def test_every_question_has_an_answer_for_each_number_of_points(language: str, slug: str) -> None:
    found = parts((GUIDES / language / f"{slug}.md").read_text(encoding="utf-8"))
    three, two, one, wrong = HEADINGS[language]

    assert [*found] == HEADINGS[language]
    assert COURSE.rubric.written[slug].points == 3
    assert len(quoted(found[three])) > len(quoted(found[two])) > len(quoted(found[one])) > 5
    assert len(re.findall(r"^\| .+ \| .+ \|$", found[wrong], re.MULTILINE)) >= 2 + 4


def test_no_answer_is_there_for_a_question_that_nobody_asks() -> None:
    for language in HEADINGS:
        slugs = [path.stem for path in sorted((GUIDES / language).glob("*.md"))]
        assert slugs == sorted(COURSE.rubric.written)


@pytest.mark.parametrize("slug", COURSE.rubric.written)
def test_a_guide_gives_as_many_points_in_korean(slug: str) -> None:
    english = (GUIDES / f"{slug}.md").read_text(encoding="utf-8")
    korean = (GUIDES / "ko" / f"{slug}.md").read_text(encoding="utf-8")

    assert len(re.findall(r"^- 1 point:", english, re.MULTILINE)) == 3
    assert len(re.findall(r"^- 1점:", korean, re.MULTILINE)) == 3
