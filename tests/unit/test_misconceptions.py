"""Edits of the reference: what they make, and how one that does not fit is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import find_course
from grader.misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    Variant,
    apply_misconception,
    apply_variant,
    criteria_named,
    load_entries,
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
ORIGIN = Origin("reference/misconceptions/t.py", {"m.id": 12})


def mistake(target: str, replace: str, by: str, fails: tuple[str, ...] = ()) -> Misconception:
    return Misconception("m.id", (1,), target, replace, by, fails)


@pytest.mark.parametrize(
    ("entry", "before", "after"),
    [
        (mistake("scale", "x * 2", "x / 2"), "    return x * 2", "    return x / 2"),
        (mistake("Model.one", "return 1", "return 9"), "        return 1\n", "        return 9\n"),
        (mistake("Model", "1 + 1", "2"), "1 + 1", "2"),
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
            mistake("scale", "x * 3", "x"),
            "reference/misconceptions/t.py:12: m.id: 'x * 3' does not occur in scale of the"
            " reference; an edit must fit exactly once",
        ),
        (
            mistake("Model", "return 1", "return 2"),
            "reference/misconceptions/t.py:12: m.id: 'return 1' occurs 2 times in Model of the"
            " reference; an edit must fit exactly once",
        ),
        (
            mistake("scale", "", "x"),
            "reference/misconceptions/t.py:12: m.id: '' does not occur in scale of the"
            " reference; an edit must fit exactly once",
        ),
        (
            mistake("Model.three", "1", "2"),
            "reference/misconceptions/t.py:12: m.id: the reference defines no Model.three",
        ),
        (
            mistake("scale", "return x * 2", "return x *"),
            "reference/misconceptions/t.py:12: m.id: not valid Python after the edit:"
            " invalid syntax",
        ),
    ],
    ids=["not-there", "twice", "nothing", "no-such-definition", "not-python"],
)
def test_an_edit_that_does_not_fit_is_told_with_its_line(
    entry: Misconception, message: str
) -> None:
    with pytest.raises(MisconceptionError) as caught:
        apply_misconception(REFERENCE, entry, ORIGIN)
    assert str(caught.value) == message


def test_a_variant_may_be_several_edits() -> None:
    edits = (("return 1\n", "return 2\n"), ("1 + 1", "4"))
    found = apply_variant(REFERENCE, Variant("v", "Model", edits), ORIGIN)
    assert found == REFERENCE.replace("return 1\n", "return 2\n").replace("1 + 1", "4")


def test_a_variant_may_be_a_new_definition() -> None:
    """Decorators of the old one go with it; what stands around it stays."""
    source = "\n    def one(self):\n        return 7\n"
    found = apply_variant(REFERENCE, Variant("v", "Model.one", source=source), ORIGIN)
    old = "    @functools.cache\n    def one(self):\n        return 1"
    assert found == REFERENCE.replace(old, "    def one(self):\n        return 7")


@pytest.mark.parametrize(
    "entry", [Variant("m.id", "scale"), Variant("m.id", "scale", (("2", "3"),), "def scale(): 0")]
)
def test_a_variant_is_edits_or_a_source(entry: Variant) -> None:
    with pytest.raises(MisconceptionError, match=r"t\.py:12: m\.id: give either a source or edits"):
        apply_variant(REFERENCE, entry, ORIGIN)


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
    rubric = find_course(Path(__file__)).rubric
    entry = mistake("MultiHeadAttention", "", "")
    assert criteria_named(names, entry, rubric, ORIGIN) == found


def test_all_is_the_whole_exercise_of_the_target() -> None:
    rubric = find_course(Path(__file__)).rubric
    found = criteria_named("all", Variant("v", "ViT.forward"), rubric, ORIGIN)
    assert found == criteria_named(("a4.vit",), Variant("v", "scale"), rubric, ORIGIN)
    assert {slug for slug, _ in found} == {"a4.vit"}


@pytest.mark.parametrize("name", ["output", "a9.none/outputs", "a3.mha/none", "a9.none"])
def test_an_unknown_criterion_is_told_with_its_line(name: str) -> None:
    rubric = find_course(Path(__file__)).rubric
    with pytest.raises(MisconceptionError, match=rf"t\.py:12: m\.id: the rubric has no '{name}'"):
        criteria_named((name,), mistake("MultiHeadAttention", "", ""), rubric, ORIGIN)


def test_entries_are_loaded_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "t1_toy.py"
    path.write_text(
        "from grader.misconceptions import Variant\n\n"
        'VARIANTS = (\n    Variant(id="a.b", target="t"),\n    Variant(id="c.d", target="t"),\n)\n'
    )
    found, origin = load_entries(path, "shown.py")
    assert [entry.id for entry in found] == ["a.b", "c.d"]
    assert [origin.place(entry) for entry in found] == ["shown.py:4", "shown.py:5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"shown\.py:1: neither MISCONCEPTIONS nor VARIANTS"),
        (
            "from grader.misconceptions import Variant\n"
            'VARIANTS = (Variant(id="a", target="t"),\n    Variant(id="a", target="t"))\n',
            r"shown\.py:3: a is there twice",
        ),
    ],
    ids=["empty", "same-id-twice"],
)
def test_a_module_without_proper_entries_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "t1_toy.py"
    path.write_text(text)
    with pytest.raises(MisconceptionError, match=message):
        load_entries(path, "shown.py")
