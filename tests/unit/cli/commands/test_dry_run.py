"""`grader dry-run` grades an earlier class and says what its checks are worth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.cli.commands.dry_run import run
from grader.grade.evidence import Cause
from tests.unit.cli.commands.test_batch import hand_in
from tests.unit.samples import SampleGrader, write_course

NAMED = Cause("add.minus", "Subtracted.", 2, 2)


@pytest.fixture(autouse=True)
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(root)
    return root


def dry_run(*outcomes: str, format_: str = "text", cause: Cause | None = None) -> int:
    hand_in(Path("last-year"), *outcomes)
    grader = SampleGrader(cause=cause)
    return run(Path("last-year"), format_=format_, open_engine=grader.opened)


def test_few_submissions_get_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert dry_run(*["failed"] * 4, "") == 3

    assert capsys.readouterr().out == (
        "4 of 5 submissions were graded. Fewer than 5 say nothing about checks: give more of them."
        "\n\nrecords and gradebook of this run: last-year-dry-run\n"
    )


def test_what_is_printed_of_a_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert dry_run(*["failed"] * 9, "passed", "could_not_check", "") == 3

    why = "Read what somebody got: grader why STUDENT s1.add --in last-year-dry-run"
    assert capsys.readouterr().out == (
        "11 of 12 submissions were graded\n"
        "\n"
        "Checks that 90 % or more fail: 3\n"
        "  s1.add/shapes/test_shape  9 of 10: Title of s1.add/shapes/test_shape.\n"
        "  s1.add/outputs/test_sum  9 of 10: Title of s1.add/outputs/test_sum.\n"
        "  s2.mean/outputs/test_mean  9 of 10: Title of s2.mean/outputs/test_mean.\n"
        "  Does the hand-out say what such a check asks for? If not, say it there, or ask for "
        f"less. {why}\n"
        "\n"
        "Checks that nobody fails: 0 of 3\n"
        "\n"
        "Verdicts that rest on one check (90 % or more of those who lose it): 3\n"
        "  s1.add/shapes/test_shape  9 of 9, the only check of its criterion\n"
        "  s1.add/outputs/test_sum  9 of 9, the only check of its criterion\n"
        "  s2.mean/outputs/test_mean  9 of 9, the only check of its criterion\n"
        "  If this check is wrong, all these points are: read it once more, and give the criterion "
        "another one that sees the same mistake from another side.\n"
        "\n"
        "Checks that took most time:\n"
        "\n"
        "Submissions that could not be read: 1 of 12 (student-012)\n"
        "Submissions with a check that could not be made: 1 of 11 (student-011)\n"
        "  This is no student's fault. The reason stands under `for staff`: "
        "grader why student-011 --in last-year-dry-run\n"
        "\n"
        "Submissions with wrong answers in which no mistake was named: 9 of 9 (student-001, "
        "student-002, student-003, student-004, student-005 and 4 more)\n"
        "  Look for one mistake that several made, and add it to mistakes.diff: "
        "grader why student-001 --in last-year-dry-run\n"
        "\n"
        "records and gradebook of this run: last-year-dry-run\n"
    )


def test_a_class_without_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert dry_run(*["passed"] * 5) == 0

    printed = capsys.readouterr().out
    assert "Checks that nobody fails: 3 of 3\n  s1.add/shapes/test_shape  0 of 5: Title" in printed
    assert "with: grader validate --only s1.add\n" in printed
    assert "Submissions that could not be read: 0 of 5\n" in printed
    assert "no mistake was named: 0 of 0\n" in printed


def test_what_is_rare_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert dry_run(*["failed"] * 4, "not_attempted") == 0

    assert (
        "Nothing is said about 3 checks that fewer than 5 submissions reached and about 3 criteria "
        "that fewer than 5 lost.\n"
    ) in capsys.readouterr().out


def test_the_same_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert dry_run(*["failed"] * 5, format_="json", cause=NAMED) == 0

    printed = json.loads(capsys.readouterr().out)
    assert (printed["format"], printed["results"]) == ("grader.dry-run/1", "last-year-dry-run")
    assert (printed["enough"], printed["least"], printed["graded"]) == (True, 5, 5)
    assert printed["nearly_all_fail"][1] == {
        "check": "s1.add/outputs/test_sum",
        "title": "Title of s1.add/outputs/test_sum.",
        "failed": 5,
        "of": 5,
    }
    assert (printed["wrong"], printed["unnamed"]) == (5, [])


def test_the_results_are_those_of_a_batch_and_are_gone_on_with(course: Path) -> None:
    dry_run("passed", "failed")

    names = {path.name for path in (course / "last-year-dry-run").iterdir()}
    assert names == {"gradebook.csv", "records", "results.sqlite"}
