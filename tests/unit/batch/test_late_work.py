"""Lateness costs what rubric.yaml says, and nothing where nobody knows when it was handed in."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import click
import pytest

from grader.batch.roster import read_roster
from grader.batch.time_columns import RosterError, times_of
from grader.cli import cli
from grader.cli.commands.batch import run as grade
from grader.cli.commands.regrade import run as regrade
from grader.course.rubric import Rubric
from grader.course.rubric_file import load_rubric
from tests.unit.samples import RUBRIC_TEXT, SampleGrader, write_course

LATE = "late: {deadline: 2026-11-20T23:59:00+09:00, grace: 10m, per_day: 10%, at_most: 50%}\n"
OF_EACH = (
    "late: {deadline: {s1: 2026-11-20T23:59:00+09:00, s2: 2026-12-20T23:59:00+09:00}, "
    "per_day: 1, free_days: 1, closes_after: 7d}\n"
)
CLASS = {"one_1": "passed", "two_LATE_2": "passed", "three_LATE_3": "passed", "four_4": "failed"}
ROSTER = (
    "id,handed_in,extension\n"
    "one_1,2026-11-21T00:09:00+09:00,\n"
    "two_2,2026-11-21T23:10:00Z,\n"
    "three_3,,\n"
    "four_4,2026-11-25T08:10:00+09:00,\n"
    "five_5,2026-11-20T08:10:00+09:00,\n"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course with a class as Canvas gives it, graded by nobody yet."""
    course = write_course(tmp_path / "course")
    monkeypatch.chdir(course)
    (course / "reference").mkdir()
    (course / "class").mkdir()
    for number, (name, word) in enumerate(CLASS.items(), start=1):
        (course / "class" / f"{name}_{number}_s1_sums.py").write_text(f"#{word}\n", "utf-8")
    write(course, LATE, ROSTER)
    return course


def write(root: Path, late: str, roster: str) -> None:
    (root / "rubric.yaml").write_text(RUBRIC_TEXT + late, encoding="utf-8")
    (root / "roster.csv").write_text(roster, encoding="utf-8")


def batch(root: Path) -> None:
    grade(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        roster=root / "roster.csv", open_engine=SampleGrader().opened,
    )  # fmt: skip


def rows(root: Path) -> dict[str, dict[str, str]]:
    with (root / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def record(root: Path, student: str) -> Any:
    return json.loads((root / "out" / "records" / f"{student}.json").read_text("utf-8"))


def totals(root: Path) -> dict[str, tuple[str, str]]:
    return {id: (row.get("adjustments", ""), row["total"]) for id, row in rows(root).items()}


def test_lateness_is_an_adjustment_beside_what_the_checks_earned(root: Path) -> None:
    batch(root)

    assert totals(root) == {
        "one_1": ("0", "6.5"), "two_2": ("-1.3", "5.2"), "three_3": ("0", "6.5"),
        "four_4": ("0", "0"), "five_5": ("0", ""),
    }  # fmt: skip
    assert record(root, "two_2")["points"] == "6.5"
    assert record(root, "two_2")["adjustments"] == [
        {
            "kind": "late",
            "points": "-1.3",
            "automatic": "6.5",
            "reason": "2 days late (deadline 2026-11-20 23:59, handed in 2026-11-22 08:10): "
            "10 % a day of 6.5 points",
            "author": "",
        }
    ]


def test_what_is_late_at_a_time_that_nobody_knows_costs_nothing_and_is_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    flags = {id: row["flags"] for id, row in rows(root).items()}
    printed = capsys.readouterr().out

    named = (
        "handed in late, but not known when: it costs nothing until the roster has its handed_in"
    )
    assert flags == {"one_1": "", "two_2": "", "three_3": named, "four_4": "", "five_5": ""}
    assert f"three_3: to look into: {named}\n" in printed
    assert (
        "1 without a time in the roster's column handed_in, so lateness takes nothing: three_3\n"
    ) in printed


def test_a_time_before_the_deadline_of_what_is_called_late_is_for_a_person(root: Path) -> None:
    write(root, LATE, ROSTER.replace("2026-11-21T23:10:00Z", "2026-11-20T10:00:00Z"))
    batch(root)
    assert rows(root)["two_2"]["flags"] == (
        "its system calls it late, but by its handed_in it was in time"
    )


@pytest.mark.parametrize(
    ("extension", "adjustment"),
    [("+1d", "-0.65"), ("1d", "-0.65"), ("2026-11-23T00:00:00+09:00", ""), ("+30h", "-0.65")],
)
def test_an_extension_is_a_deadline_of_ones_own(
    root: Path, extension: str, adjustment: str
) -> None:
    write(root, LATE, ROSTER.replace("23:10:00Z,", f"23:10:00Z,{extension}"))
    batch(root)
    assert rows(root)["two_2"].get("adjustments", "") == adjustment


def test_assignments_have_deadlines_and_times_of_their_own(root: Path) -> None:
    roster = (
        "id,handed_in_s1,handed_in_s2\n"
        "one_1,2026-11-21T01:00:00+09:00,2026-12-22T01:00:00+09:00\n"
        "two_2,2026-11-29T01:00:00+09:00,2026-12-20T01:00:00+09:00\n"
    )
    write(root, OF_EACH, roster)
    batch(root)

    lines = {id: record(root, id)["adjustments"] for id in ("one_1", "two_2")}
    assert [(one["kind"], one["points"], one["reason"]) for one in lines["one_1"]] == [
        ("late s1", "0", "s1: 1 day late (deadline 2026-11-20 23:59, handed in 2026-11-21 01:00): "
         "1 free day used"),
        ("late s2", "-2", "s2: 2 days late (deadline 2026-12-20 23:59, handed in 2026-12-22 01:00):"
         " a day costs 1"),
    ]  # fmt: skip
    assert [(one["kind"], one["points"], one["reason"]) for one in lines["two_2"]] == [
        ("late s1", "-3.5", "s1: 9 days late (deadline 2026-11-20 23:59, handed in 2026-11-29 "
         "01:00): only what comes within 7d after the deadline counts"),
    ]  # fmt: skip


def test_points_that_a_person_took_are_not_taken_again(root: Path) -> None:
    batch(root)
    cli.main(["adjust", "out", "two_2", "-6", "--reason", "copied", "--by", "TA 1"])
    assert totals(root)["two_2"] == ("-6.5", "0")
    cli.main(["adjust", "out", "two_2", "+1", "--reason", "ill", "--by", "TA 1"])
    assert totals(root)["two_2"] == ("-0.3", "6.2")
    batch(root)
    assert totals(root)["two_2"] == ("-0.3", "6.2")


def test_a_regrade_shows_what_another_policy_and_other_times_do_and_runs_no_code(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    before = totals(root)
    write(root, LATE.replace("10%", "20%"), ROSTER.replace("three_3,", "three_3,2026-11-21T10:00Z"))
    for path in (root / "class").iterdir():
        path.unlink()
    capsys.readouterr()

    regrade(Path("out"), open_engine=SampleGrader().opened)
    assert capsys.readouterr().out == (
        "three_3      6.5 ->     5.2     -1.3\n"
        "    late: 0 -> -1.3 (1 day late (deadline 2026-11-20 23:59, handed in 2026-11-21 19:00): "
        "20 % a day of 6.5 points)\n"
        "two_2        5.2 ->     3.9     -1.3\n"
        "    late: -1.3 -> -2.6 (2 days late (deadline 2026-11-20 23:59, handed in 2026-11-22 "
        "08:10): 20 % a day of 6.5 points)\n"
        "5 students: 0 up, 2 down, 3 with the same points; the code of 0 ran again\n"
        "nothing that counts was changed. To let it count, add --commit: "
        "grader regrade out --commit\n"
    )
    assert totals(root) == before

    regrade(Path("out"), only_show=False, never_lower=True, open_engine=SampleGrader().opened)
    assert {id: total for id, (_, total) in totals(root).items()} == {
        id: total for id, (_, total) in before.items()
    }
    regrade(Path("out"), only_show=False, open_engine=SampleGrader().opened)
    assert totals(root)["two_2"] == ("-2.6", "3.9")


def test_a_course_that_takes_nothing_any_more_gives_it_back(root: Path) -> None:
    batch(root)
    write(root, "", ROSTER)
    regrade(Path("out"), only_show=False, open_engine=SampleGrader().opened)
    assert totals(root)["two_2"] == ("", "6.5")
    assert "handed_in" not in record(root, "two_2")
    assert rows(root)["two_2"]["flags"] == "handed in late"


def test_a_regrade_takes_another_roster_and_keeps_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    mended = root / "mended.csv"
    mended.write_text(ROSTER.replace("2026-11-21T23:10:00Z,", "2026-11-21T23:10:00Z,+2d"), "utf-8")
    (root / "roster.csv").unlink()
    run = SampleGrader().opened

    regrade(Path("out"), roster=Path("mended.csv"), open_engine=run)
    shown = capsys.readouterr().out
    assert shown.endswith("grader regrade out --roster mended.csv --commit\n")
    assert totals(root)["two_2"] == ("-1.3", "5.2")
    regrade(Path("out"), only_show=False, roster=Path("mended.csv"), open_engine=run)
    assert totals(root)["two_2"] == ("", "6.5")
    regrade(Path("out"), only_show=False, open_engine=run)
    assert totals(root)["two_2"] == ("", "6.5")


def test_the_roster_of_another_class_is_refused(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    (root / "other.csv").write_text("id,handed_in\nsix_6,2026-11-21T23:10:00Z\n", "utf-8")

    assert cli.main(["regrade", "out", "--roster", "other.csv"]) == 2

    assert "other.csv: names nobody of these results" in capsys.readouterr().err


def test_a_regrade_without_its_roster_forgets_no_time(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    before = totals(root)
    (root / "roster.csv").unlink()
    assert cli.main(["regrade", "out", "--commit"]) == 2
    assert (
        "roster.csv: not there any more, and it says who was late. Put it back, or grade with "
        "another one: --roster FILE"
    ) in capsys.readouterr().err
    assert totals(root) == before


def test_a_regrade_is_what_grading_anew_gives(root: Path) -> None:
    batch(root)
    write(root, LATE.replace("10%", "1"), ROSTER)
    regrade(Path("out"), only_show=False, open_engine=SampleGrader().opened)
    regraded = (root / "out" / "gradebook.csv").read_bytes(), record(root, "two_2")
    batch(root)
    assert ((root / "out" / "gradebook.csv").read_bytes(), record(root, "two_2")) == regraded


def rubric(tmp_path: Path, late: str) -> Rubric:
    path = tmp_path / "rubric.yaml"
    path.write_text(RUBRIC_TEXT + late, encoding="utf-8")
    return load_rubric(path)


NEXT = "Mend the cell, or empty it if it is not known."


@pytest.mark.parametrize(
    ("late", "text", "words"),
    [
        (LATE, "id,handed_in\na,soon\n", ":2:2  handed_in: expected a time such as "
         f"2026-11-20T23:59:00+09:00, got 'soon'. {NEXT}"),
        (LATE, "id,handed_in\na,2026-02-30T10:00Z\n", ":2:2  handed_in: expected a time such as "
         f"2026-11-20T23:59:00+09:00, got '2026-02-30T10:00Z'. {NEXT}"),
        (LATE, "id,handed_in\na,2026-11-20 10:00\n", ":2:2  handed_in: '2026-11-20 10:00' does not "
         "say its offset from UTC. Write 2026-11-20 10:00+09:00, with the offset that is meant."),
        (LATE, "id,extension\na,2\n", ":2:2  extension: expected a time such as "
         f"2026-11-20T23:59:00+09:00 or a span such as +2d, got '2'. {NEXT}"),
        (LATE, "id,extension\na,2026-11-19T10:00Z\n", ":2:2  extension: the extension ends before "
         "the deadline, 2026-11-20T23:59:00+09:00. Mend one of them."),
        (LATE, "id,handed_in_s1\na,2026-11-20T10:00Z\n", ":2:2  handed_in_s1: rubric.yaml has one "
         "deadline for all. Call the column handed_in."),
        (OF_EACH, "id,handed_in_s3\na,2026-11-20T10:00Z\n", ":2:2  handed_in_s3: no assignment "
         "'s3' - expected one of 's1', 's2'. Mend the heading."),
        (OF_EACH, "id,handed_in\na,2026-11-20T10:00Z\n", ":2:2  handed_in: s1, s2 have deadlines "
         "of their own, and this does not say of which it is. Name columns handed_in_s1, "
         "handed_in_s2, or grade one of them: --only s1"),
        (LATE, "id,handed_in,Handed In\na,,\n", ":1: handed_in is there twice. Delete one column."),
    ],
)  # fmt: skip
def test_a_time_that_cannot_be_used(tmp_path: Path, late: str, text: str, words: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosterError) as refused:
        times_of(read_roster(path).times, rubric(tmp_path, late), ())
    assert str(refused.value) == f"{path}{words}"


def test_one_time_is_enough_where_one_assignment_is_graded(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("id;handed_in\na;2026-11-20T10:00Z\nb;\n", encoding="utf-8")
    times = times_of(read_roster(path).times, rubric(tmp_path, OF_EACH), ("s2.mean",))
    assert {id: str(each[""].at) for id, each in times.items()} == {"a": "2026-11-20 10:00"}


def test_a_course_without_deadlines_takes_any_column(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("id,handed_in_s3\na,2026-11-20T10:00Z\n", encoding="utf-8")
    assert times_of(read_roster(path).times, rubric(tmp_path, ""), ()) == {}


def without_roster(root: Path, *students: str) -> None:
    grade(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        students=students, open_engine=SampleGrader().opened,
    )  # fmt: skip


def test_a_class_that_lost_its_roster_is_told_what_that_costs(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch(root)
    assert "roster of the run before" not in capsys.readouterr().out
    without_roster(root)

    told = (
        "graded without the roster of the run before: who is only on it has no row, and its times "
        f"and extensions do not count. To have it again: --roster {root / 'roster.csv'}\n"
    )
    assert told in capsys.readouterr().out
    assert "five_5" not in rows(root)


def test_a_part_of_a_class_keeps_the_roster_or_is_refused(root: Path) -> None:
    batch(root)
    before = rows(root)

    with pytest.raises(
        click.ClickException, match=r"graded with a roster.* Add --roster .*roster\.csv, and"
    ):
        without_roster(root, "one_1")

    assert rows(root) == before
