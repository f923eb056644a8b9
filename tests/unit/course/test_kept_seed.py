"""Where the seed is kept from student code, no way of writing it in YAML leaves it in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.rubric_file import RubricError, load_rubric
from tests.unit.samples import RUBRIC_TEXT

WRITTEN = {
    "plain": "seed: a-seed",
    "quoted": '"seed": "a-seed"',
    "block": "seed: |\n  a-seed",
    "folded": "seed: >-\n\n  a-\n\n  seed",
    "below": "seed:\n  a-seed  # kept",
    "over lines": 'seed: "a-\n  seed"',
    "windows": "seed: |\r\n  a-seed\r",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
def test_the_seed_is_overwritten(tmp_path: Path, written: str) -> None:
    path = tmp_path / "rubric.yaml"
    text = RUBRIC_TEXT.replace("seed: a-seed", written)
    path.write_bytes(text.encode())

    kept = load_rubric(path, with_seed=False)

    assert set(kept.seed) <= set("x \n")
    assert kept.exercises == load_rubric(path).exercises
    assert path.read_bytes() == text.encode()


def test_a_seed_that_cannot_be_found_in_the_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text("\n".join(f"  {line}" for line in RUBRIC_TEXT.splitlines()), encoding="utf-8")
    load_rubric(path)

    with pytest.raises(RubricError, match="begin a line with 'seed: '"):
        load_rubric(path, with_seed=False)
