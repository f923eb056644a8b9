"""Drops, bonuses and caps of rubric.yaml are adjustments, each a line and a column of its own."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from grader.batch.gradebook import row_of
from grader.cli.commands.batch import run as grade
from grader.cli.commands.regrade import run as regrade
from grader.course.rubric_file import load_rubric
from grader.report.beside import beside_checks
from grader.store.adjusting import adjusted
from grader.store.ruled_totals import with_totals
from grader.store.store import Adjustment
from grader.text.language import ENGLISH, use_language
from grader.text.points import shown
from tests.unit.samples import RUBRIC_TEXT, SampleGrader, write_course

TOTALS = """
totals:
  drop: [{lowest: 1, of: [s1, s2]}]
  bonuses: [{points: 2, of: [s2.mean], reason: every mean}]
  caps: [{at_most: 7}]
"""
LATE = "late: {deadline: 2026-11-20T23:59:00+09:00, per_day: 50%}\n"
WORDS = {
    "en": [
        "s1 left out as the lowest of s1, s2: the others have 100 %, and so the group has",
        "bonus for s2.mean: every mean",
        "at most 7 points count in all, and there were 8.5",
    ],
    "ko": [
        "s1, s2 가운데 가장 낮아서 제외: s1. 나머지가 100 %를 얻었으므로 "
        "묶음 전체도 그렇게 계산합니다",
        "s2.mean의 가산점: every mean",
        "모두 합쳐 7점까지만 인정되며, 원래는 8.5점이었습니다",
    ],
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with two students, one of whom has everything."""
    course = write_course(tmp_path / "course")
    monkeypatch.chdir(course)
    (course / "reference").mkdir()
    for name, word in {"student-001": "passed", "student-002": "failed"}.items():
        (course / "class" / name).mkdir(parents=True)
        (course / "class" / name / "s1_sums.py").write_text(f"#{word}\n", "utf-8")
    (course / "rubric.yaml").write_text(RUBRIC_TEXT + TOTALS, encoding="utf-8")
    return course


@pytest.fixture
def speaks_english() -> Iterator[None]:
    yield
    use_language(ENGLISH)


def batch(root: Path, roster: Path | None = None) -> None:
    grade(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        roster=roster, open_engine=SampleGrader().opened,
    )  # fmt: skip


def rows(root: Path) -> dict[str, dict[str, str]]:
    with (root / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def columns(root: Path, *names: str) -> dict[str, list[str]]:
    return {id: [row[name] for name in names] for id, row in rows(root).items()}


def record(root: Path, student: str) -> Any:
    return json.loads((root / "out" / "records" / f"{student}.json").read_text("utf-8"))


def test_each_rule_has_a_column_and_the_total_is_never_above_the_cap(root: Path) -> None:
    batch(root)
    assert columns(root, "bonus", "capped", "adjustments", "total", "max") == {
        "student-001": ["2", "-1.5", "0.5", "7", "6.5"],
        "student-002": ["0", "0", "0", "0", "6.5"],
    }
    assert "dropped" not in rows(root)["student-001"]
    assert [one["kind"] for one in record(root, "student-001")["adjustments"]] == [
        "bonus 1",
        "cap 1",
    ]


def graded_in_part(root: Path) -> Any:
    """The record of somebody who has the second assignment, and nothing of the first."""
    batch(root)
    known = record(root, "student-001")
    first = known["exercises"][0]
    criteria = [{**one, "points": "0"} for one in first["criteria"]]
    exercises = [{**first, "points": "0", "criteria": criteria}, known["exercises"][1]]
    return {**known, "points": "3", "exercises": exercises}


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.usefixtures("speaks_english")
def test_a_student_reads_of_each_rule_how_its_points_come_about(root: Path, language: str) -> None:
    use_language(ENGLISH)
    part = adjusted(with_totals(graded_in_part(root), load_rubric(root / "rubric.yaml")), ())
    use_language(language)
    lines = beside_checks(part)
    assert [line.reason for line in lines] == WORDS[language]
    assert [shown(line.points) for line in lines] == ["3.5", "2", "-1.5"]


def test_what_a_person_gives_is_under_no_cap_and_what_one_takes_leaves_nobody_below_zero(
    root: Path,
) -> None:
    part = with_totals(graded_in_part(root), load_rubric(root / "rubric.yaml"))
    totals = []
    for points in (2, -8):
        given = Adjustment("student-001", "by hand", Fraction(points), Fraction(3), "ill", "TA 1")
        totals.append(row_of(adjusted(part, [given])).total)
    assert totals == [9, 0]


def test_rules_go_on_with_what_lateness_left(root: Path) -> None:
    (root / "rubric.yaml").write_text(RUBRIC_TEXT + TOTALS + LATE, encoding="utf-8")
    roster = root / "roster.csv"
    roster.write_text("id,handed_in\nstudent-001,2026-11-21T08:00:00+09:00\n", encoding="utf-8")
    batch(root, roster)
    # Half of 6.5 is left, so no bonus for every mean, and less than the cap.
    assert columns(root, "adjustments", "total")["student-001"] == ["-3.25", "3.25"]


def test_a_rule_that_changes_is_a_regrade_without_running_code(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    text = RUBRIC_TEXT + TOTALS.replace("at_most: 7", "at_most: 6")
    (root / "rubric.yaml").write_text(text, encoding="utf-8")
    capsys.readouterr()
    none = SampleGrader(forgets=("student-001", "student-002"))
    regrade(root / "out", only_show=False, open_engine=none.opened)
    printed = capsys.readouterr().out
    assert "student-001        7 ->       6       -1" in printed
    assert "cap 1: -1.5 -> -2.5 (at most 6 points count in all, and there were 8.5)" in printed
    assert columns(root, "capped", "total")["student-001"] == ["-2.5", "6"]
