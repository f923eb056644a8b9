"""The first cell of a kit's notebook installs the kit's grader; the others stay as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.release.first_cell import FIRST, with_kit_cell
from grader.text.language import use_language

ROOT = Path(__file__).parents[3]
WHEEL = "attention_grader-9.9-py3-none-any.whl"
HANDED_OUT = (ROOT / "assignments" / "a1_attention.ipynb").read_text(encoding="utf-8")


def test_only_the_first_code_cell_is_another_one() -> None:
    before, after = (json.loads(one) for one in (HANDED_OUT, with_kit_cell(HANDED_OUT, WHEEL, "9")))
    changed = [
        (old, new) for old, new in zip(before["cells"], after["cells"], strict=True) if old != new
    ]
    ((old, new),) = changed
    assert old["id"] == new["id"] == FIRST
    assert {**old, "source": ""} == {**new, "source": ""}
    assert {**before, "cells": ()} == {**after, "cells": ()}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "# Run this first: it installs the grader of your kit and says whether versions"),
        ("ko", "# 먼저 실행하세요. 묶음의 채점기를 설치하고 버전이 맞는지 알려 줍니다."),
    ],
)
def test_the_cell_says_what_it_does_and_is_no_part_of_what_is_graded(
    language: str, words: str
) -> None:
    use_language(language)
    cells = json.loads(with_kit_cell(HANDED_OUT, WHEEL, "9.9"))["cells"]
    source = "".join(next(cell["source"] for cell in cells if cell["id"] == FIRST))
    assert source.startswith(f"# demo\n{words}")
    assert f'wheel = kit / "wheel/{WHEEL}"' in source
    assert source.endswith('\nimport grader\n\ngrader.notebook(kit="9.9")')


def test_a_notebook_without_that_cell_stays_as_it_is() -> None:
    plain = HANDED_OUT.replace(f'"id": "{FIRST}"', '"id": "other"')
    assert with_kit_cell(plain, WHEEL, "9.9") == plain
