"""Every export counts with adjustments, and students read each of them, in their language."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from grader.batch.attendance import of_roster
from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.batch.roster import read_roster
from grader.batch.time_columns import times_of
from grader.cli import cli
from grader.course.rubric_file import load_rubric
from tests.support.graded_results import MixedGrader, export, write_class
from tests.unit.samples import RUBRIC_TEXT

HERE = Path(__file__).parent
LATE = "late: {deadline: 2026-11-20T23:59:00+09:00, per_day: 10%}\n"
OF_EACH = "late: {deadline: {s1: 2026-11-20T23:59:00+09:00}, per_day: 1}\n"
TIME = "2026-11-22T08:10:00+09:00"
TOTAL = "7.2"
"""6.5 points by the checks, 20 % less, and 2 from a person."""
LINES = {
    "en": [
        "6.5 points by the checks",
        "+2 points: ill < that week",
        "-1.3 points: 2 days late (deadline 2026-11-20 23:59, handed in 2026-11-22 08:10): "
        "10 % a day of 6.5 points",
    ],
    "ko": [
        "검사로 얻은 점수 6.5점",
        "+2점: ill < that week",
        "-1.3점: 2일 늦음 (마감 2026-11-20 23:59, 제출 2026-11-22 08:10): 하루에 6.5점의 10 %",
    ],
}


def graded(root: Path, late: str, monkeypatch: pytest.MonkeyPatch, column: str) -> Path:
    """Grade the sample class by a rubric with deadlines; one student was late, and was ill."""
    out = write_class(root)
    (root / "rubric.yaml").write_text(RUBRIC_TEXT + late, encoding="utf-8")
    roster = root / "roster.csv"
    roster.write_text(f"id,{column}\nstudentone_101,{TIME}\n", encoding="utf-8")
    rubric, known = load_rubric(root / "rubric.yaml"), read_roster(roster)
    entries, _absences = of_roster(discover(root / "class", out).entries, known)
    times = times_of(known.times, rubric, ())
    grade_batch(entries, rubric, MixedGrader(), out, lambda row: None, times=times)
    monkeypatch.chdir(root)
    words = ("--reason", "ill < that week", "--by", "TA 1")
    assert cli.main(["adjust", "out", "studentone_101", "+2", *words]) == 0
    return out / "exports"


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return graded(tmp_path / "course", LATE, monkeypatch, "handed_in")


def rows(path: Path, key: str) -> dict[str, dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    return {row[key]: row for row in csv.DictReader(io.StringIO(text, newline=""))}


def test_the_table_has_the_total(out: Path) -> None:
    export("csv")
    row = rows(out / "grades.csv", "id")["studentone_101"]
    assert (row["points"], row["late"]) == (TOTAL, "late")


def test_canvas_gets_the_total(out: Path) -> None:
    fill = HERE / "golden" / "canvas-exported.csv"
    export("canvas", "--fill", str(fill), "--column", "Sums")
    assert rows(out / "canvas.csv", "ID")["101"]["Sums (77)"] == TOTAL


def test_moodle_gets_the_total_and_the_reasons(out: Path) -> None:
    export("moodle", "--fill", str(HERE / "golden" / "moodle-downloaded.csv"))
    [line] = [
        one for one in (out / "moodle.csv").read_text("utf-8-sig").splitlines() if "ill" in one
    ]
    assert '"7,20"' in line
    assert "; ill &lt; that week: +2; 2 days late (deadline 2026-11-20 23:59" in line
    assert "10 % a day of 6.5 points: -1.3" in line


def test_json_has_the_total(out: Path) -> None:
    export("json")
    students = json.loads((out / "class.json").read_text("utf-8"))["students"]
    [one] = [student for student in students if student["id"] == "studentone_101"]
    assert (one["points"], one["late"]) == (TOTAL, True)


@pytest.mark.parametrize(("format_", "score"), [("gradescope", 7.2), ("prairielearn", 1.107692)])
def test_results_have_the_total_and_the_reasons(out: Path, format_: str, score: float) -> None:
    export(format_)
    values = json.loads((out / format_ / "studentone_101" / "results.json").read_text("utf-8"))
    assert values["score"] == score
    assert values["output"].split("\n")[:3] == LINES["en"]


def test_mail_merge_has_the_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = graded(tmp_path / "course", LATE, monkeypatch, "handed_in")
    cli.main(["adjust", "out", "studentfive_105", "-1", "--reason", "copied", "--by", "TA 1"])
    export("mail-merge")
    assert rows(out / "mail-merge.csv", "id")["studentfive_105"]["points"] == "4.25"


def test_nbgrader_has_a_penalty_where_an_assignment_has_a_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = graded(tmp_path / "course", OF_EACH, monkeypatch, "handed_in_s1")
    export("nbgrader")
    text = (out / "nbgrader.csv").read_text("utf-8-sig")
    numbers = {
        row["assignment"]: (row["raw_score"], row["late_submission_penalty"], row["score"])
        for row in csv.DictReader(io.StringIO(text))
        if row["student_id"] == "studentone_101"
    }
    assert numbers == {"s1_sums": ("3.5", "2", "1.5"), "s2_means": ("3", "0", "3")}
    printed = capsys.readouterr()
    assert (
        "1 have adjustments to a whole submission, which no row of an assignment holds: "
        "studentone_101"
    ) in printed.out + printed.err


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_page_has_a_line_for_each_adjustment(out: Path, language: str) -> None:
    export("pages", "--lang", language)
    page = (out / "pages" / "studentone_101.html").read_text("utf-8")
    lines = [line.replace("&lt;", "<") for line in re.findall(r'<p class="soft">(.*?)</p>', page)]

    assert lines[:3] == LINES[language]
    assert f"<strong>{TOTAL}</strong>" in page
    assert "TA 1" not in page


def test_a_page_without_adjustments_has_no_such_line(out: Path) -> None:
    export("pages")
    page = (out / "pages" / "studentfive_105.html").read_text("utf-8")
    assert "by the checks" not in page


def test_why_has_a_line_for_each_adjustment(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    cli.main(["why", "studentone_101", "--in", "out"])
    assert capsys.readouterr().out.splitlines()[:3] == [
        "studentone_101  7.2 of 6.5",
        "  +2 beside the checks: ill < that week, TA 1",
        "  -1.3 beside the checks: 2 days late (deadline 2026-11-20 23:59, handed in 2026-11-22 "
        "08:10): 10 % a day of 6.5 points",
    ]
