"""A new exercise in a rubric that people have written: nothing else moves."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from grader.scaffold import ScaffoldError
from grader.scaffold.rubric_text import add_exercise

ROOT = Path(__file__).resolve().parents[3]
ENTRY = "t1.new:  # a note\n  targets: [new]\n"

RUBRIC = """\
# The only place with points.
course: toy   # a course
assignments:
  t1: t1_toy # first
  t2: t2_toy

exercises:
  t1.one:
    targets: [one]
    # below the targets
    banned:
      - torch.sum   # not allowed
      # deeper than the key: it belongs to t1.one

  # about t2
  t2.two: {targets: [two]}
# at the end
late: 1
"""

WITH_ENTRY = """\
      # deeper than the key: it belongs to t1.one

  t1.new:  # a note
    targets: [new]

  # about t2
"""


def without(text: str, lines: str) -> str:
    assert text.count(lines) == 1
    return text.replace(lines, "")


def test_an_exercise_stands_after_the_last_of_its_assignment() -> None:
    assert WITH_ENTRY in add_exercise(RUBRIC, slug="t1.new", entry=ENTRY)


def test_every_other_character_stays() -> None:
    added = add_exercise(RUBRIC, slug="t1.new", entry=ENTRY)

    assert without(added, "\n  t1.new:  # a note\n    targets: [new]\n") == RUBRIC


def test_a_new_assignment_comes_last() -> None:
    entry = ENTRY.replace("t1", "t3")
    added = add_exercise(RUBRIC, slug="t3.new", entry=entry, assignment="t3_toy")

    assert "  t2: t2_toy\n  t3: t3_toy\n\nexercises:" in added
    assert "  t2.two: {targets: [two]}\n  t3.new:" not in added
    assert "{targets: [two]}\n\n  t3.new:  # a note\n    targets: [new]\n# at the end\n" in added


@pytest.mark.parametrize(
    ("braces", "wanted"),
    [
        ("{t1: t1_toy}", "{t1: t1_toy, t3: t3_toy}"),
        ("{t1: t1_toy,}  # one", "{t1: t1_toy, t3: t3_toy}  # one"),
        ("{\n  t1: t1_toy\n}", "{\n  t1: t1_toy\n, t3: t3_toy}"),
    ],
    ids=["plain", "comma", "lines"],
)
def test_assignments_may_be_in_braces(braces: str, wanted: str) -> None:
    text = f"assignments: {braces}\nexercises:\n  t1.one: {{}}\n"
    entry = ENTRY.replace("t1", "t3")

    assert wanted in add_exercise(text, slug="t3.new", entry=entry, assignment="t3_toy")


def test_four_spaces_stay_four_spaces() -> None:
    text = "assignments:\n    t1: t1_toy\nexercises:\n    t1.one:\n        a: 1"

    assert add_exercise(text, slug="t1.new", entry=ENTRY) == (
        text + "\n\n    t1.new:  # a note\n      targets: [new]\n"
    )


def test_exercises_in_braces_are_refused_with_their_line() -> None:
    text = "assignments: {t1: t1_toy}\nexercises: {t1.one: {}}\n"

    with pytest.raises(ScaffoldError, match=r"rubric\.yaml:2: .* in braces.* Next: "):
        add_exercise(text, slug="t1.new", entry=ENTRY)


@pytest.mark.skipif(
    not hasattr(yaml, "CSafeLoader"), reason="without the compiled parser the file is refused"
)
def test_a_question_mark_before_a_brace_stays() -> None:
    text = "assignments: {t1: t1_toy}\nexercises:\n  t1.one: {question: Why?}\n"

    assert add_exercise(text, slug="t1.new", entry=ENTRY) == (
        text + "\n  t1.new:  # a note\n    targets: [new]\n"
    )


def test_the_rubric_of_this_course_stays_as_it_is() -> None:
    rubric = (ROOT / "rubric.yaml").read_text("utf-8")
    added = add_exercise(rubric, slug="a1.new", entry=ENTRY.replace("t1", "a1"))

    assert without(added, "\n  a1.new:  # a note\n    targets: [new]\n") == rubric
