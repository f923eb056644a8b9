"""What an exercise forbids is said in its assignment's first words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.course import course_here

ROOT = Path(__file__).resolve().parents[3]
COURSE = course_here(ROOT, ROOT)
BANNED = {slug: exercise for slug, exercise in COURSE.rubric.exercises.items() if exercise.banned}


def opening(folder: Path, stem: str) -> str:
    """Return the words above the first import of a hand-out, on one line."""
    text = (folder / f"{stem}.py").read_text(encoding="utf-8")
    return " ".join(text.split("\nimport ")[0].split("\nfrom ")[0].split())


@pytest.mark.parametrize("folder", ["assignments", "assignments/ko"])
@pytest.mark.parametrize("slug", BANNED)
def test_what_is_banned_is_said(slug: str, folder: str) -> None:
    words = opening(ROOT / folder, BANNED[slug].assignment)
    said = {name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", words)}
    banned = {name.rpartition(".")[2] for name in BANNED[slug].banned}
    assert {"scaled_dot_product_attention", "MultiheadAttention"} <= said & banned
    if "Transformer" in banned:  # and what consists of it
        assert any(name.startswith("Transformer") for name in said & banned)
