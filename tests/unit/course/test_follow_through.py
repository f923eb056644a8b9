"""`follow_through` in a rubric: read exactly, or refused with its place and a suggestion."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.course.follow_through import FollowThrough
from grader.course.rubric import Rubric
from grader.course.rubric_file import RubricError, load_rubric

RUBRIC = """\
course: toy
seed: toy
assignments: {{t1: t1_toy, t2: t2_toy}}
exercises:
  t1.blur:
    targets: [blur, sharpen]
    criteria: {{outputs: {{points: 1, visibility: public}}}}
    {first}
  t2.stack:
    targets: [stack]
    criteria: {{outputs: {{points: 1, visibility: public}}}}
    {second}
"""


def read(tmp_path: Path, second: str, first: str = "") -> Rubric:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC.format(first=first, second=second), encoding="utf-8")
    return load_rubric(path)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("follow_through: {blur: t1.blur}", FollowThrough({"blur": "t1.blur"})),
        (
            "follow_through: {blur: t1.blur, sharpen: t1.blur, copied: true}",
            FollowThrough({"blur": "t1.blur", "sharpen": "t1.blur"}, copied=True),
        ),
        ("follow_through: {blur: t1.blur, copied: false}", FollowThrough({"blur": "t1.blur"})),
        ("", FollowThrough()),
    ],
    ids=["called", "copied", "not copied", "left out"],
)
def test_what_is_followed_is_read(tmp_path: Path, text: str, wanted: FollowThrough) -> None:
    rubric = read(tmp_path, text)
    assert rubric.exercises["t2.stack"].follow_through == wanted
    assert rubric.exercises["t1.blur"].follow_through == FollowThrough()


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            "follow_through: {blurr: t1.blur}",
            "12:22  exercises.t2.stack.follow_through.blurr: "
            "t1.blur does not ask for 'blurr' - did you mean 'blur'?",
        ),
        (
            "follow_through: {blur: t1.blurr}",
            "12:22  exercises.t2.stack.follow_through.blur: "
            "unknown exercise 't1.blurr' - did you mean 't1.blur'?",
        ),
        (
            "follow_through: {blur: blur}",
            "12:28  exercises.t2.stack.follow_through.blur: "
            "expected the exercise that asks for it, such as 'a1.sums', got 'blur'",
        ),
        (
            "follow_through: {blur: t1.blur, copied: yess}",
            "12:45  exercises.t2.stack.follow_through.copied: "
            "expected true or false, got 'yess'",
        ),
        (
            "follow_through: {blur: t1.blur, copied: True}",
            "12:45  exercises.t2.stack.follow_through.copied: "
            "expected true or false, got the boolean 'True' - did you mean true?",
        ),
        (
            "follow_through: {blur: t1.blur, copyed: true}",
            "12:37  exercises.t2.stack.follow_through.copyed: "
            "expected an exercise for 'copyed', got a boolean - did you mean 'copied'?",
        ),
        (
            "follow_through: {copied: true}",
            "12:21  exercises.t2.stack.follow_through: "
            "expected at least one function and the exercise that asks for it",
        ),
        (
            "follow_through: t1.blur",
            "12:21  exercises.t2.stack.follow_through: expected a mapping of functions to the "
            "exercises that ask for them, such as {add_up: a1.sums, copied: true}, "
            "got 't1.blur'",
        ),
        (
            "follow_through: {stack: t2.stack}",
            "12:22  exercises.t2.stack.follow_through.stack: t2.stack follows itself - delete this",
        ),
        (
            "requires: [t1.blur]\n    follow_through: {blur: t1.blur}",
            "13:22  exercises.t2.stack.follow_through.blur: "
            "t1.blur is required as well: then its failure blocks everything - "
            "delete it here or under 'requires'",
        ),
    ],
    ids=[
        "name", "exercise", "slug", "flag", "capital", "misspelt flag", "nothing", "no mapping",
        "itself", "required",
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(tmp_path: Path, second: str, message: str) -> None:
    with pytest.raises(RubricError) as caught:
        read(tmp_path, second)
    assert re.sub(r"^.*rubric\.yaml:", "", str(caught.value)) == message


def test_exercises_do_not_follow_each_other(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match=r"follow_through runs in a circle: t1.blur -> t2.stack"):
        read(
            tmp_path,
            first="follow_through: {stack: t2.stack}",
            second="follow_through: {blur: t1.blur}",
        )
