"""Whole definitions in cells: what is read of them, and how what cannot be is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.misconceptions import BlankAnswer, MisconceptionError, Variant
from grader.course.paths import CoursePaths
from grader.course.whole_definitions import read_blank_answers, read_variants

CODE = "def double(x):\n    return x + x\n"


def course(root: Path, text: str) -> CoursePaths:
    own = CoursePaths(root).exercise("t1.toy")
    own.folder.mkdir(parents=True)
    for path in (own.variants, own.blank_answers):
        path.write_text(text, encoding="utf-8")
    return CoursePaths(root)


def test_a_cell_is_a_variant(tmp_path: Path) -> None:
    text = f"""\
\"\"\"Other right ways.\"\"\"

# %% toy.sum
# earns: outputs, t2.other
# no mistake: added
# As somebody wrote it.
import math


{CODE}

# %% toy.method
# target: Model.forward
def forward(self, x):
    return x
"""
    found, origin = read_variants(course(tmp_path, text), "t1.toy")

    commented = f"# As somebody wrote it.\nimport math\n\n\n{CODE}".rstrip()
    assert found == (
        Variant("toy.sum", "double", commented, ("outputs", "t2.other"), ("added",)),
        Variant("toy.method", "Model.forward", "def forward(self, x):\n    return x"),
    )
    assert [origin.place(each) for each in found] == [
        "reference/exercises/t1.toy/variants.py:3",
        "reference/exercises/t1.toy/variants.py:14",
    ]


def test_blank_answers_may_earn_something(tmp_path: Path) -> None:
    text = f"# %% blank: the sum\n# may earn: state\n{CODE}"
    found, _ = read_blank_answers(course(tmp_path, text), "t1.toy")

    assert found == (BlankAnswer("blank: the sum", "double", CODE.rstrip(), ("state",)),)
    assert read_blank_answers(CoursePaths(tmp_path), "t1.none")[0] == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"# %% a\n{CODE}\n# %% a\n{CODE}", "5: a is there twice"),
        ("# %% a\nx = 1\n", "1: a: no definition stands in this cell"),
        (f"\n# %% a\n# earn: outputs\n{CODE}", "2: a: 'earn' is not known here - did you mean"),
    ],
    ids=["twice", "no-definition", "misspelt"],
)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MisconceptionError) as caught:
        read_variants(course(tmp_path, text), "t1.toy")
    assert str(caught.value).startswith(f"reference/exercises/t1.toy/variants.py:{message}")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MisconceptionError, match=r"t1\.toy/variants\.py:1: there is no such file"):
        read_variants(CoursePaths(tmp_path), "t1.toy")
