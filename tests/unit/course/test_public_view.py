"""The rubric of a kit says what is public, and nothing that is the staff's."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.public_view import public_rubric
from grader.course.rubric_file import load_rubric

RUBRIC = """
# For the staff: the answers are in the safe.
course: sums
seed: the course's own
assignments: {a1: a1_sums}
exercises:
  a1.add:
    targets: [add]
    criteria:
      shapes: {points: 1, visibility: public}
      outputs: {points: 2, visibility: public, requires: [shapes, overflow]}
      overflow: {points: 1.5, visibility: hidden, scoring: all_or_nothing}
      speed: {points: 1, visibility: after_due, requires: [overflow]}
  a1.secret:
    targets: [guess]
    criteria:
      outputs: {points: 1, visibility: hidden}
  a1.sub:
    targets: [sub]
    requires: [a1.mul/outputs, a1.mul/overflow]
    criteria:
      outputs: {points: 1, visibility: public}
    banned: [torch.sub]
    follow_through: {add: a1.add, guess: a1.secret}
  a1.mul:
    targets: [mul]
    criteria:
      outputs: {points: 1, visibility: public}
      overflow: {points: 1, visibility: hidden}
written:
  a1.why: {points: 2, question: Why?, scheme: {names_it: 2}}
late:
  deadline: 2026-11-20T23:59:00+09:00
  per_day: 10%
"""
WANTED = """course: sums
seed: another
assignments:
  a1: a1_sums
exercises:
  a1.add:
    targets:
    - add
    criteria:
      shapes:
        points: 1
        visibility: public
      outputs:
        points: 2
        visibility: public
        requires:
        - shapes
      rest:
        points: 5/2
        visibility: hidden
  a1.sub:
    targets:
    - sub
    criteria:
      outputs:
        points: 1
        visibility: public
    banned:
    - torch.sub
    follow_through:
      add: a1.add
    requires:
    - a1.mul/outputs
  a1.mul:
    targets:
    - mul
    criteria:
      outputs:
        points: 1
        visibility: public
      rest:
        points: '1'
        visibility: hidden
written:
  a1.why:
    points: 2
    question: Why?
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC, encoding="utf-8")
    return path


def test_it_holds_what_is_public(course: Path) -> None:
    rubric = load_rubric(course)
    assert public_rubric(RUBRIC, rubric, ["a1.add", "a1.sub", "a1.mul"], "another") == WANTED


def test_it_is_a_rubric_with_the_same_points(course: Path) -> None:
    whole = load_rubric(course)
    course.write_text(WANTED, encoding="utf-8")
    public = load_rubric(course)
    assert public.exercises["a1.add"].points == whole.exercises["a1.add"].points
    assert public.seed == "another"
