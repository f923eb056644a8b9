"""A rubric that does not fit the rest of the course is told with its place and the next step."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import Course
from grader.engine.agreement import criteria_without_checks, unknown_names
from grader.messages.answers import CheckFacts, UnknownName
from tests.unit.samples import RUBRIC, write_course

HIDDEN, PUBLIC = "tests/suites/s1_sums/test_add.py", "tests/suites/s1_sums/public/test_add.py"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    root = write_course(tmp_path / "course")
    for name in (HIDDEN, PUBLIC):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    monkeypatch.chdir(root)
    return Course(root, RUBRIC)


def check(criterion: str, file: str = HIDDEN) -> CheckFacts:
    return CheckFacts(f"s1.add/{criterion}/test_a", "", file, 12, False, "")


@pytest.mark.parametrize(
    ("checks", "lines"),
    [
        ([check("shapes", PUBLIC), check("outputs")], []),
        (
            [check("shapes", PUBLIC)],
            [
                "rubric.yaml:9:7  exercises.s1.add.criteria.outputs: no check earns its points"
                f" - write the class TestOutputs in {HIDDEN}, or take the criterion out"
            ],
        ),
        (
            [check("shapes", PUBLIC), check("output")],
            [
                "rubric.yaml:9:7  exercises.s1.add.criteria.outputs: no check earns its points"
                f" - did you mean 'output', as in {HIDDEN}:12?"
            ],
        ),
        (
            [check("shapes", PUBLIC), check("outputs"), check("round_trip"), check("round_trip")],
            [
                "rubric.yaml:7:5  exercises.s1.add.criteria: no criterion 'round_trip' for 2 "
                f"checks, such as {HIDDEN}:12 - add it with its points, or take the class "
                "TestRoundTrip out"
            ],
        ),
    ],
    ids=["right", "no check", "misspelt", "no criterion"],
)
def test_checks_and_criteria_go_together(
    course: Course, checks: list[CheckFacts], lines: list[str]
) -> None:
    assert [str(one) for one in criteria_without_checks(course, ["s1.add"], checks)] == lines


def test_a_copy_without_the_hidden_suite_is_no_mistake(course: Course) -> None:
    """A student's has none; `check` says what is checked later."""
    (course.root / HIDDEN).unlink()

    assert criteria_without_checks(course, ["s1.add"], [check("shapes", PUBLIC)]) == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ad", "reference/s1_sums.py has no 'ad' - did you mean 'add'?"),
        ("zzz", "reference/s1_sums.py has no 'zzz' - define it there, or take it out"),
    ],
)
def test_a_name_that_nobody_has_is_told_at_its_place(course: Course, name: str, words: str) -> None:
    row = UnknownName(
        trail=("exercises", "s1.add", "targets", 0),
        owner="reference/s1_sums.py",
        name=name,
        options=("add", "mean"),
        next="define it there, or take it out",
    )

    (told,) = unknown_names(course, [row])

    assert str(told) == f"rubric.yaml:6:15  exercises.s1.add.targets[0]: {words}"
