"""Right answers that build on each other get full marks, and are told no cause.

`grader validate` grades each right answer beside the worked solutions of all else. A student's
attention is read by that student's block, and rounds as it may.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.course import Course, find_course
from grader.engine.engine import Engine, Options
from grader.grade.evidence import Outcome
from grader.report.content import Report, report_on
from grader.submission.submission import read_submission
from tests.support import busy
from tests.support.right_answers import ONLY_ALONE, solved_otherwise

ROOT = Path(__file__).parents[2]
SEEDS = range(40, 48)


@pytest.fixture(scope="module")
def course() -> Course:
    return find_course(ROOT)


@pytest.fixture(scope="module")
def reports(course: Course, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    folder = tmp_path_factory.mktemp("class")
    submissions = []
    for seed in SEEDS:
        own = folder / f"student-{seed:03}"
        own.mkdir()
        for stem, text in solved_otherwise(course, seed).items():
            (own / f"{stem}.py").write_text(text, encoding="utf-8")
        submissions.append(read_submission(own, id=own.name))
    with Engine(course, Options(workers=2)) as engine:
        results = list(busy.graded(engine, submissions))
    return {each.submission.id: report_on(each, course.rubric, ()) for each in results}


def lost(report: Report) -> Iterator[str]:
    for exercise in report.exercises:
        for check in exercise.observations:
            if check.outcome is not Outcome.PASSED or check.cause is not None:
                yield f"{check.exercise}/{check.check}: {check.observed} {check.cause}"


@pytest.mark.parametrize("seed", SEEDS)
def test_full_marks_and_no_cause(reports: dict[str, Report], seed: int) -> None:
    report = reports[f"student-{seed:03}"]
    assert list(lost(report)) == []
    assert report.grade.points == report.grade.max_points > 300


def test_answers_differ_from_each_other_and_from_the_worked_solutions(course: Course) -> None:
    texts = [solved_otherwise(course, seed) for seed in SEEDS]
    for stem in course.rubric.assignments.values():
        solution = (course.paths.reference / f"{stem}.py").read_text(encoding="utf-8")
        assert len({solution, *(each[stem] for each in texts)}) == len(SEEDS) + 1


def test_who_is_left_out_is_there(course: Course) -> None:
    variants = [path.read_text("utf-8") for path in ROOT.glob("reference/exercises/*/variants.py")]
    assert [id for id in ONLY_ALONE if not any(f"# %% {id}\n" in text for text in variants)] == []
