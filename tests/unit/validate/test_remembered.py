"""What is remembered of a course is what is found in it anew, whatever was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.validate.proof import read_gaps
from tests.support.remembered import remembered

CHANGES = {
    "tests/suites/a1_attention/test_softmax.py": ("import torch", "import torch\nimport pytest"),
    "reference/a2_masking.py": ("# BEGIN SOLUTION", "# BEGIN SOLUTION  # here"),
    "reference/exercises/a3.mha/mistakes.diff": ("fails: ", "fails: unknown, "),
    "assignments/a1_attention.py": ("import torch", "import torch  # and nothing else"),
}
CATALOGUE = "reference/locale/ko/LC_MESSAGES/handouts.mo"


def told(root: Path) -> list[str]:
    return [str(gap) for gap in read_gaps(find_course(root))[1]]


@pytest.mark.parametrize("catalogue", [False, True], ids=["texts", "catalogue"])
def test_what_is_remembered_is_what_is_found_anew(copied: Path, catalogue: bool) -> None:
    with remembered():
        before = told(copied)
        for name, (old, new) in CHANGES.items():
            text = (copied / name).read_text(encoding="utf-8")
            (copied / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        if catalogue:
            (copied / CATALOGUE).unlink()
        after = told(copied)

    assert before == []
    assert after == told(copied)
    assert len(after) >= len(CHANGES)
