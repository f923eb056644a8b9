"""Every "Think" question under a picture has an answer for those who teach, under its heading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEMOS = sorted(ROOT.glob("reference/demos/a*.py"))
KEYS = ROOT / "reference" / "guides" / "think"


def headings(text: str) -> list[str]:
    return re.findall(r'^(?:""")?## (.+)$', text, re.MULTILINE)


@pytest.mark.parametrize("demo", DEMOS, ids=lambda path: path.stem)
def test_every_picture_with_a_question_has_its_answer(demo: Path) -> None:
    asked = [
        heading
        for heading, scene in zip(
            headings(demo.read_text("utf-8")),
            re.split(r'^"""## ', demo.read_text("utf-8"), flags=re.MULTILINE)[1:],
            strict=True,
        )
        if "**Think.**" in scene
    ]
    answered = headings((KEYS / f"{demo.stem}.md").read_text("utf-8"))

    assert answered == asked != []


def test_no_answer_is_without_a_demo() -> None:
    assert [path.stem for path in sorted(KEYS.glob("*.md"))] == [path.stem for path in DEMOS]


def test_no_hand_out_has_an_answer() -> None:
    answer = "Length, not meaning."
    assert answer in (KEYS / "a1_attention.md").read_text("utf-8")
    handed_out = [path for path in ROOT.glob("assignments/**/*") if path.is_file()]
    assert [path.name for path in handed_out if answer in path.read_text("utf-8")] == []
