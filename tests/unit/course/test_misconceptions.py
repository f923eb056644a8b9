"""Edits of the reference: what they make, and how one that does not fit is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.course.edit import Edit
from grader.course.misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    Variant,
    apply_misconception,
    apply_variant,
    criteria_named,
)

REFERENCE = """\
import functools


def scale(x):
    return x * 2


class Model:
    @functools.cache
    def one(self):
        return 1

    def two(self):
        return 1 + 1


def last():
    return 0"""
ORIGIN = Origin("t/mistakes.diff", {"m.id": 12})


def mistake(target: str, replace: str, by: str, fails: tuple[str, ...] = ()) -> Misconception:
    lines = [*(f"-{one}" for one in replace.split("\n")), *(f"+{one}" for one in by.split("\n"))]
    return Misconception("m.id", ("one",), target, (Edit(tuple(lines)),), fails)


TWICE = Misconception(
    "m.id", (), "Model", (Edit(("-return 1", "+pass")), Edit(("-return 1 + 1", "+pass"))), ()
)


@pytest.mark.parametrize(
    ("entry", "before", "after"),
    [
        (mistake("scale", "return x * 2", "return x / 2"), "    return x * 2", "    return x / 2"),
        (mistake("Model.one", "return 1", "return 9"), "        return 1\n", "        return 9\n"),
        (mistake("Model", "return 1 + 1", "return 2"), "1 + 1", "2"),
        (mistake("last", "return 0", "return 5"), "    return 0", "    return 5"),
    ],
    ids=["function", "method", "class", "end-of-file"],
)
def test_only_the_target_is_edited(entry: Misconception, before: str, after: str) -> None:
    wanted = after.join(REFERENCE.split(before, 1))
    assert apply_misconception(REFERENCE, entry, ORIGIN) == wanted


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            mistake("scale", "return x * 3", "return x"),
            "t/mistakes.diff:12: m.id: the edit does not fit in scale of the reference, and must"
            " fit exactly once: it changes 'return x * 3'",
        ),
        (
            mistake("Model", "", "x = 1"),
            "t/mistakes.diff:12: m.id: the edit does not fit in Model of the reference, and must"
            " fit exactly once: it changes ''",
        ),
        (
            TWICE,
            "t/mistakes.diff:12: m.id: the edit fits 2 times in Model of the reference, and must"
            " fit exactly once: it changes 'return 1' or 'return 1 + 1'",
        ),
        (
            mistake("Model.three", "1", "2"),
            "t/mistakes.diff:12: m.id: the reference defines no Model.three",
        ),
        (
            mistake("scale", "return x * 2", "return x *"),
            "t/mistakes.diff:12: m.id: not valid Python after the edit: invalid syntax",
        ),
    ],
    ids=["not-there", "nothing", "twice", "no-such-definition", "not-python"],
)
def test_an_edit_that_does_not_fit_is_told_with_its_line(
    entry: Misconception, message: str
) -> None:
    with pytest.raises(MisconceptionError) as caught:
        apply_misconception(REFERENCE, entry, ORIGIN)
    assert str(caught.value) == message


def test_a_variant_is_a_new_definition() -> None:
    """Decorators of the old one go with it; what stands around it stays."""
    source = "def one(self):\n    return 7\n"
    found = apply_variant(REFERENCE, Variant("v", "Model.one", source=source), ORIGIN)
    old = "    @functools.cache\n    def one(self):\n        return 1"
    assert found == REFERENCE.replace(old, "    def one(self):\n        return 7")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("outputs",), (("a3.mha", "outputs"),)),
        (("a4.vit/state", "modes"), (("a4.vit", "state"), ("a3.mha", "modes"))),
    ],
)
def test_criteria_are_named_in_short_or_in_full(
    names: tuple[str, ...], found: tuple[tuple[str, str], ...]
) -> None:
    rubric = find_course(Path(__file__).parent).rubric
    entry = mistake("MultiHeadAttention", "", "")
    assert criteria_named(names, entry, rubric, ORIGIN) == found


def test_all_is_the_whole_exercise_of_the_target() -> None:
    rubric = find_course(Path(__file__).parent).rubric
    found = criteria_named("all", Variant("v", "ViT.forward", ""), rubric, ORIGIN)
    assert found == criteria_named(("a4.vit",), Variant("v", "scale", ""), rubric, ORIGIN)
    assert {slug for slug, _ in found} == {"a4.vit"}


@pytest.mark.parametrize("name", ["output", "a9.none/outputs", "a3.mha/none", "a9.none"])
def test_an_unknown_criterion_is_told_with_its_line(name: str) -> None:
    rubric = find_course(Path(__file__).parent).rubric
    with pytest.raises(MisconceptionError, match=rf"diff:12: m\.id: the rubric has no '{name}'"):
        criteria_named((name,), mistake("MultiHeadAttention", "", ""), rubric, ORIGIN)
