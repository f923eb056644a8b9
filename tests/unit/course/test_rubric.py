"""A rubric is read exactly: each key, each default, each point; what it refuses: refusals.yaml."""

from __future__ import annotations

import pickle
import re
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.follow_through import FollowThrough
from grader.course.questions import WrittenItem
from grader.course.rubric import POLICY, Criterion, Exercise, Rubric, Scoring, Visibility
from grader.course.rubric_file import RubricError, load_rubric
from grader.course.rubric_form import is_slug
from grader.text.problem import Problem
from tests.unit.samples import RUBRIC, RUBRIC_TEXT

FULL = """\
course: "Sums: and more"
seed: 'a seed'
name_hidden_checks: true
assignments:
  s1: s1_sums
  s2: s2_means
exercises:
  s1.add:
    targets: [add, Adder]
    banned: [torch.sum, sum]
    no_loops: [add]
    criteria:
      policy: {points: 1/3, visibility: hidden}
      shapes: {points: .5, visibility: public}
      outputs:
        points: 2.25
        visibility: after_due
        scoring: all_or_nothing
        requires: [shapes, policy]
  s2.mean:
    targets: [mean]
    requires: [s2.sum/outputs]
    follow_through: {add: s1.add, copied: true}
    criteria: {outputs: {points: 0, visibility: public, scoring: partial}}
  s2.sum:
    targets: [total]
    criteria: {outputs: {points: 1, visibility: hidden}}
operators:
  torch.sum: [aten::sum, aten::sum_out]
written:
  s1.why: {points: 2, question: "  Why?  "}
rests_on:
  outputs: [shapes, policy]
"""


def read(folder: Path, text: str, *, with_seed: bool = True) -> Rubric:
    path = folder / "rubric.yaml"
    path.write_text(text, encoding="utf-8")
    return load_rubric(path, with_seed=with_seed)


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    assert read(tmp_path, RUBRIC_TEXT) == RUBRIC


def test_every_key_is_read(tmp_path: Path) -> None:
    criteria = (
        Criterion(POLICY, Fraction(1, 3), Visibility.HIDDEN),
        Criterion("shapes", Fraction(1, 2), Visibility.PUBLIC, Scoring.PARTIAL, ()),
        Criterion(
            "outputs",
            Fraction(9, 4),
            Visibility.AFTER_DUE,
            Scoring.ALL_OR_NOTHING,
            ("shapes", "policy"),
        ),
    )
    outputs = Criterion("outputs", Fraction(0), Visibility.PUBLIC)
    assert read(tmp_path, FULL) == Rubric(
        course="Sums: and more",
        seed="a seed",
        assignments={"s1": "s1_sums", "s2": "s2_means"},
        exercises={
            "s1.add": Exercise(
                "s1.add",
                "s1_sums",
                ("add", "Adder"),
                {one.name: one for one in criteria},
                banned=("torch.sum", "sum"),
                no_loops=("add",),
            ),
            "s2.mean": Exercise(
                "s2.mean",
                "s2_means",
                ("mean",),
                {"outputs": outputs},
                requires=("s2.sum/outputs",),
                follow_through=FollowThrough({"add": "s1.add"}, copied=True),
            ),
            "s2.sum": Exercise(
                "s2.sum",
                "s2_means",
                ("total",),
                {"outputs": Criterion("outputs", Fraction(1), Visibility.HIDDEN)},
            ),
        },
        operators={"torch.sum": ("aten::sum", "aten::sum_out")},
        written={"s1.why": WrittenItem("s1.why", "s1_sums", Fraction(2), "Why?")},
        name_hidden_checks=True,
        rests_on={"outputs": ("shapes", "policy")},
    )


def test_points_are_those_of_all_criteria_and_of_no_question(tmp_path: Path) -> None:
    rubric = read(tmp_path, FULL)
    points = [exercise.points for exercise in rubric.exercises.values()]
    assert (points, rubric.points) == ([Fraction(37, 12), 0, 1], Fraction(49, 12))


@pytest.mark.parametrize(
    ("written", "points"),
    [("0", 0), ("10", 10), ("2.50", Fraction(5, 2)), (".5", Fraction(1, 2)), ("'1'", 1),
     ("7/3", Fraction(7, 3)), ("999999999", 999_999_999), ("0.000000001", Fraction(1, 10**9))],
)  # fmt: skip
def test_points_are_taken_exactly_from_their_text(
    tmp_path: Path, written: str, points: Fraction
) -> None:
    rubric = read(tmp_path, RUBRIC_TEXT.replace("2.5", written))
    assert rubric.exercises["s1.add"].criteria["outputs"].points == points


@pytest.mark.parametrize(
    "written", ["01", "1.", "1e3", "1_000", "+1", ".", "1/0", "1/02", "1000000000", "0.1234567890"]
)
def test_other_ways_to_write_a_number_are_refused(tmp_path: Path, written: str) -> None:
    with pytest.raises(RubricError, match=re.escape(f"expected a number >= 0, got '{written}'")):
        read(tmp_path, RUBRIC_TEXT.replace("2.5", f"'{written}'"))


def test_problems_come_in_the_order_of_the_file_each_with_its_place(tmp_path: Path) -> None:
    text = RUBRIC_TEXT.replace("2.5", "ten").replace("sums\n", "1\n").replace("[add]", "[]")
    with pytest.raises(RubricError) as caught:
        read(tmp_path, text)
    problems = caught.value.problems
    places = [(problem.line, problem.column) for problem in problems]
    assert places == sorted(places) == [(1, 9), (6, 14), (9, 25)]
    assert isinstance(problems[0], Problem)
    assert str(caught.value) == "\n".join(map(str, problems))


@pytest.mark.parametrize("line", ["seed: a-seed", "'seed': a-seed", '"seed"  :  a-seed'])
def test_without_the_seed_it_is_overwritten_and_all_else_is_read(tmp_path: Path, line: str) -> None:
    rubric = read(tmp_path, RUBRIC_TEXT.replace("seed: a-seed", line), with_seed=False)
    assert rubric.seed == "xxxxxx"
    assert rubric.exercises == RUBRIC.exercises


@pytest.mark.parametrize(
    ("word", "fits"),
    [("a1.sums", True), ("a1.two_sums", True), ("a1", False), ("A1.sums", False), ("a1.", False),
     ("a1.Sums", False), ("a1.sums/shapes", False), ("a_1.sums", False), ("1a.sums", False)],
)  # fmt: skip
def test_a_slug_is_a_prefix_and_a_name(word: str, fits: bool) -> None:
    assert is_slug(word) is fits


def test_a_suite_is_named_after_the_exercise() -> None:
    assert RUBRIC.exercises["s1.add"].suite == "test_add.py"


def test_a_target_of_two_assignments_is_nobodys_conflict(tmp_path: Path) -> None:
    rubric = read(tmp_path, RUBRIC_TEXT.replace("[Mean]", "[add]"))
    assert [one.targets for one in rubric.exercises.values()] == [("add",), ("add",)]


def test_two_functions_of_one_exercise_may_be_followed(tmp_path: Path) -> None:
    text = RUBRIC_TEXT.replace("[add]", "[add, total]").replace(
        "targets: [Mean]", "targets: [Mean]\n    follow_through: {add: s1.add, total: s1.add}"
    )
    assert read(tmp_path, text).exercises["s2.mean"].follow_through.slugs == ("s1.add",)


@pytest.mark.parametrize("rule", ["banned: [torch.sum]", "no_loops: [add]"])
def test_one_rule_is_enough_for_a_criterion_policy(tmp_path: Path, rule: str) -> None:
    text = RUBRIC_TEXT.replace("shapes:", f"{POLICY}:", 1)
    rubric = read(tmp_path, text.replace("[add]", f"[add]\n    {rule}"))
    assert POLICY in rubric.exercises["s1.add"].criteria


def test_a_refusal_crosses_processes_with_all_its_places(tmp_path: Path) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text("course: [a]\n", encoding="utf-8")
    with pytest.raises(RubricError) as caught:
        load_rubric(path)

    again = pickle.loads(pickle.dumps(caught.value))

    assert again.problems == caught.value.problems
    assert str(again) == str(caught.value)
