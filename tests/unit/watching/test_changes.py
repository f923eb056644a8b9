"""A save leads to the exercises that it can have changed, and to no others."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from grader.course.follow_through import FollowThrough
from grader.course.rubric import Criterion, Exercise, Rubric, Visibility
from grader.watching.changes import Affected, affected, pieces

CRITERIA = {"outputs": Criterion("outputs", Fraction(1), Visibility.PUBLIC)}


def exercise(slug: str, stem: str, *targets: str, **more: object) -> Exercise:
    return Exercise(slug, stem, targets, CRITERIA, **more)  # type: ignore[arg-type]


RUBRIC = Rubric(
    "toy",
    "seed",
    {"a1": "a1_sums", "a2": "a2_means"},
    {
        "a1.one": exercise("a1.one", "a1_sums", "one"),
        "a1.two": exercise("a1.two", "a1_sums", "two", "Both"),
        "a2.mean": exercise(
            "a2.mean", "a2_means", "mean", follow_through=FollowThrough({"one": "a1.one"})
        ),
        "a2.last": exercise("a2.last", "a2_means", "last", requires=("a2.mean/outputs",)),
        "a2.free": exercise("a2.free", "a2_means", "free"),
    },
)
ENTRIES = {"a1_sums": "a1_sums.py", "a2_means": "a2_means.py"}
SUMS = b"""import torch

WIDTH = 3


def helper(x):
    return x


@torch.no_grad()
def one(x):
    return helper(x)


class Both:
    def f(self):
        return 1

def two(x):
    return x
"""
MEANS = b"def mean(x):\n    return x\n\ndef last(x):\n    return x\n\ndef free(x):\n    return x\n"
BEFORE = {"a1_sums.py": SUMS, "a2_means.py": MEANS}
EVERYTHING = Affected((), ("a1.one", "a1.two", "a2.mean", "a2.last", "a2.free"))


def after(old: bytes, new: bytes, path: str = "a1_sums.py") -> Affected:
    assert old in BEFORE[path]
    changed = {**BEFORE, path: BEFORE[path].replace(old, new)}
    return affected(BEFORE, changed, ENTRIES, RUBRIC)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(b"return 1", b"return 2", Affected(("a1.two",), ()), id="a method"),
        pytest.param(
            b"return helper(x)",
            b"return 0",
            Affected(("a1.one",), ("a2.mean", "a2.last")),
            id="a function that others use",
        ),
        pytest.param(
            b"    return x\n\n\n@",
            b"    return 2 * x\n\n\n@",
            Affected((), ("a1.one", "a2.mean", "a2.last")),
            id="a helper",
        ),
        pytest.param(
            b"WIDTH = 3",
            b"WIDTH = 4",
            Affected((), ("a1.one", "a1.two", "a2.mean", "a2.last")),
            id="what is in no definition",
        ),
        pytest.param(
            b"@torch.no_grad()",
            b"",
            Affected(("a1.one",), ("a2.mean", "a2.last")),
            id="a decorator",
        ),
        pytest.param(b"WIDTH = 3", b"WIDTH = 3\n\n", Affected((), ()), id="empty lines"),
    ],
)
def test_exercises_that_a_change_reaches(old: bytes, new: bytes, found: Affected) -> None:
    assert after(old, new) == found


def test_a_file_of_helpers_reaches_everything() -> None:
    assert affected(BEFORE, {**BEFORE, "mine.py": b"x"}, ENTRIES, RUBRIC) == EVERYTHING


def test_a_file_that_is_gone_reaches_everything() -> None:
    assert affected(BEFORE, {"a1_sums.py": SUMS}, ENTRIES, RUBRIC) == EVERYTHING


def test_the_same_files_reach_nothing() -> None:
    assert affected(BEFORE, dict(BEFORE), ENTRIES, RUBRIC) == Affected((), ())


def test_a_notebook_is_read_by_its_code() -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["def text():"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["def one():\n", "    1"]},
    ]
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    assert pieces("a1.ipynb", notebook.encode()) == {"": "", "one": "def one():\n    1"}


def test_half_a_notebook_is_a_text_like_others() -> None:
    assert pieces("a1.ipynb", b'{"cells": [') == {"": '{"cells": ['}
