"""Of several hand-ins of a student one counts: the best, the last or the first."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.batch.attempts import with_rule
from grader.batch.discovery import BatchError, discover
from grader.cli import cli
from grader.cli.commands.batch import run as grade
from grader.cli.commands.regrade import run as regrade
from grader.cli.commands.why import run as why
from grader.course.attempts import AttemptRule
from grader.report.content import Graded
from grader.submission.submission import Submission
from tests.unit.samples import RUBRIC_TEXT, SampleGrader, write_course

STEMS = ("s1_sums", "s2_means")
LATE = "late: {deadline: 2026-11-20T23:59:00+09:00, per_day: 40%}\n"
TIMES = ("2026-11-18T12:00:00Z", "2026-11-19T12:00:00Z", "2026-11-21T12:00:00Z")
"""When the three hand-ins of each class came: the last one is a day late."""


@dataclass
class CountingGrader(SampleGrader):
    """Remembers whose code ran, and what was in the file."""

    ran: list[tuple[str, str]] = field(default_factory=list)

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in super().grade(submissions):
            [text, *_others] = one.submission.files.values()
            self.ran.append((one.submission.id, text.decode().split()[0].strip("#")))
            yield one


def hand_in(place: Path, word: str, more: str = "") -> None:
    place.mkdir(parents=True)
    (place / "s1_sums.py").write_text(f"#{word}\n{more}", encoding="utf-8")


def gradescope(folder: Path, words: Iterable[str]) -> Path:
    """An export in which student 001 is three times, in another order than that of the times."""
    lines = ["---"]
    known = list(zip(TIMES, words, strict=True))
    for number, (at, word) in zip((13, 11, 12), known, strict=True):
        hand_in(folder / f"submission_{number}", word)
        lines += [f"submission_{number}:", "  :submitters:", "  - :sid: '001'"]
        lines += [f"  :created_at: {at.replace('Z', ' Z')}"]
    (folder / "submission_metadata.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def inbound(folder: Path, words: Iterable[str]) -> Path:
    """The exchange of nbgrader, which keeps every hand-in."""
    for at, word, random in zip(TIMES, words, ("zz", "aa", "mm"), strict=True):
        stamp = at.replace("T", " ").replace("Z", ".000000 UTC")
        place = folder / "inbound" / f"001+week 1+{stamp}+{random}"
        hand_in(place, word)
        (place / "timestamp.txt").write_text(stamp, encoding="utf-8")
    return folder


def named(folder: Path, words: Iterable[str]) -> Path:
    """Folders that a roster puts together; numbers are read as numbers."""
    for name, word in zip(("001", "001_2", "001_10"), words, strict=True):
        hand_in(folder / name, word)
    return folder


def nested(folder: Path, words: Iterable[str]) -> Path:
    """A folder a student with a folder for each hand-in."""
    for name, word in zip(("attempt-1", "시도 2", "Attempt_10"), words, strict=True):
        hand_in(folder / "001" / name, word)
    return folder


FORMS = {"gradescope": gradescope, "nbgrader": inbound, "roster": named, "folders": nested}
Form = Callable[[Path, Iterable[str]], Path]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    course = write_course(tmp_path / "course")
    (course / "reference").mkdir()
    (course / "roster.csv").write_text("id\n001\n002\n", encoding="utf-8")
    monkeypatch.chdir(course)
    return course


def batch(
    root: Path, attempt: str | None = None, grader: SampleGrader | None = None, **more: Any
) -> int:
    return grade(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        roster=root / "roster.csv", attempt=attempt,
        open_engine=(grader or SampleGrader()).opened, **more,
    )  # fmt: skip


def row(root: Path, student: str = "001") -> dict[str, str]:
    with (root / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as lines:
        return next(row for row in csv.DictReader(lines) if row["id"] == student)


def record(root: Path) -> Any:
    return json.loads((root / "out" / "records" / "001.json").read_text("utf-8"))


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
@pytest.mark.parametrize(
    ("rule", "total", "attempt"),
    [("first", "0", "1 of 3"), ("last", "0", "3 of 3"), ("best", "6.5", "2 of 3")],
)
def test_of_each_format_the_one_counts_that_the_rule_says(
    root: Path, form: Form, rule: str, total: str, attempt: str
) -> None:
    form(root / "class", ("failed", "passed", "failed"))
    batch(root, rule)

    assert (row(root)["total"], row(root)["attempt"]) == (total, attempt)
    assert row(root, "002")["problem"] == "handed in nothing"
    assert record(root)["attempt"]["rule"] == rule


def test_the_rubric_says_it_and_an_option_wins(root: Path) -> None:
    gradescope(root / "class", ("passed", "failed", "failed"))
    (root / "rubric.yaml").write_text(f"{RUBRIC_TEXT}attempts: first\n", encoding="utf-8")
    batch(root)
    assert row(root)["total"] == "6.5"
    batch(root, "last")
    assert row(root)["total"] == "0"


def test_the_options_words_are_those_of_the_rubric(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["batch", "class", "--out", "out", "--attempt", "worst"]) == 2
    assert "'worst' is not one of 'best', 'last', 'first'." in capsys.readouterr().err


def test_without_a_rule_each_has_a_row_and_it_is_said(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gradescope(root / "class", ("passed", "failed", "failed"))
    batch(root)

    assert row(root, "001~submission_13")["total"] == "6.5"
    assert "attempt" not in row(root, "001~submission_13")
    assert (
        "1 handed in more than once, and each hand-in has a row; to count one, give --attempt "
        "best, last or first, or write attempts into rubric.yaml: 001\n"
    ) in capsys.readouterr().out


def test_best_is_after_what_lateness_takes(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradescope(root / "class", ("failed", "passed", "passed"))
    (root / "rubric.yaml").write_text(RUBRIC_TEXT + LATE, encoding="utf-8")
    batch(root, "best")

    assert record(root)["attempt"] == {
        "number": 2, "of": 3, "rule": "best", "points": ["0", "6.5", "3.9"],
    }  # fmt: skip
    assert record(root)["handed_in"][0]["at"] == "2026-11-19T12:00:00+00:00"
    assert "1 handed in more than once, and the best counts: 001 (2 of 3)\n" in (
        capsys.readouterr().out
    )
    batch(root, "last")
    assert row(root)["total"] == "3.9"


def test_of_equal_ones_the_earliest_counts(root: Path) -> None:
    named(root / "class", ("failed", "passed", "passed"))
    batch(root, "best", SampleGrader(backwards=True))
    assert row(root)["attempt"] == "2 of 3"


def test_who_was_graded_is_not_graded_again(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradescope(root / "class", ("failed", "passed", "student_error"))
    first, second = CountingGrader(), CountingGrader()
    batch(root, "best", first)
    book = (root / "out" / "gradebook.csv").read_bytes()
    batch(root, "best", second)

    assert sorted(first.ran) == [("001", "failed"), ("001", "passed"), ("001", "student_error")]
    assert second.ran == []
    assert (root / "out" / "gradebook.csv").read_bytes() == book
    assert "1 of 2 were graded before" in capsys.readouterr().out


def test_a_limit_ends_between_two_hand_ins_and_the_next_run_goes_on(root: Path) -> None:
    gradescope(root / "class", ("failed", "passed", "failed_"))
    grader = CountingGrader()
    batch(root, "best", grader, limit=2)
    assert row(root)["problem"] == "not graded yet"

    batch(root, "best", grader, limit=2)
    assert (len(grader.ran), row(root)["attempt"]) == (3, "2 of 3")


def test_a_hand_in_that_cannot_be_read_is_one_without_points(root: Path) -> None:
    gradescope(root / "class", ("failed", "passed", "failed"))
    shutil.rmtree(root / "class" / "submission_11")
    batch(root, "best")
    assert record(root)["attempt"]["points"] == ["0", None, "0"]

    batch(root, "last", students=("001",))
    shutil.rmtree(root / "class" / "submission_12")
    batch(root, "last")
    assert "submission_12" in row(root)["problem"]
    assert row(root)["attempt"] == "3 of 3"


def test_who_has_none_that_can_be_read_has_the_reason(root: Path) -> None:
    gradescope(root / "class", ("failed", "passed", "failed"))
    for number in (11, 12, 13):
        shutil.rmtree(root / "class" / f"submission_{number}")
    batch(root, "best")
    assert "submission_12" in row(root)["problem"]


def test_a_regrade_is_about_the_hand_in_that_counts(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gradescope(root / "class", ("failed", "passed", "failed"))
    (root / "rubric.yaml").write_text(RUBRIC_TEXT + LATE, encoding="utf-8")
    batch(root, "best")
    book = (root / "out" / "gradebook.csv").read_bytes()

    grader = CountingGrader()
    regrade(
        root / "out", only_show=False, forced=("001",), reason="look", open_engine=grader.opened
    )
    assert grader.ran == [("001", "passed")]
    flagged = (root / "out" / "gradebook.csv").read_bytes()
    assert re.sub(rb"graded again by hand: look \([^)]*\)", b"", flagged) == book != flagged
    regrade(root / "out", only_show=False, open_engine=grader.opened)
    assert record(root)["attempt"]["number"] == 2

    capsys.readouterr()
    why("001", None, out=root / "out", course_folder=None)
    printed = capsys.readouterr().out
    assert "  hand-in 2 of 3, the best counts; points of each: 0, 6.5, 0\n" in printed
    assert "class/submission_11" in printed  # the command that grades it again


COUNTED = {
    "en": "You handed in 3 times. Number 2 counts, the best one; "
    "points of each: 0, 6.5, unreadable.",
    "ko": "3번 제출했습니다. 그중 2번째 제출물이 가장 점수가 높아 성적에 반영됩니다. "
    "각 제출물의 점수: 0, 6.5, 읽지 못함.",
}


@pytest.mark.parametrize("language", COUNTED)
def test_the_student_reads_which_hand_in_counts(root: Path, language: str) -> None:
    gradescope(root / "class", ("failed", "passed", "failed"))
    shutil.rmtree(root / "class" / "submission_12")
    batch(root, "best")
    for form in ("pages", "gradescope", "prairielearn", "json"):
        assert cli.main(["export", "out", "--as", form, "--lang", language]) == 1  # 002 is absent

    exports = root / "out" / "exports"
    assert COUNTED[language] in (exports / "pages" / "001.html").read_text("utf-8")
    for form in ("gradescope", "prairielearn"):
        text = (exports / form / "001" / "results.json").read_text("utf-8")
        assert COUNTED[language] in json.loads(text)["output"].splitlines()
    students = json.loads((exports / "class.json").read_text("utf-8"))["students"]
    assert {one["id"]: one["attempt"] for one in students} == {
        "001": {"number": 2, "of": 3, "rule": "best", "points": ["0", "6.5", None]},
        "002": None,
    }


@pytest.mark.parametrize(
    ("rule", "words"),
    [("first", "Number 1 counts, the first one."), ("last", "Number 3 counts, the last one.")],
)
def test_a_rule_without_points_is_said_as_well(root: Path, rule: str, words: str) -> None:
    gradescope(root / "class", ("failed", "passed", "failed"))
    batch(root, rule)
    cli.main(["export", "out", "--as", "pages"])
    page = (root / "out" / "exports" / "pages" / "001.html").read_text("utf-8")
    assert f"You handed in 3 times. {words}" in page


def test_an_exchange_with_several_assignments_is_refused(tmp_path: Path) -> None:
    folder = inbound(tmp_path, ("passed",) * 3)
    other = folder / "inbound" / "001+week 2+2026-11-20 10:00:00 UTC"
    hand_in(other, "passed")
    (other / "timestamp.txt").write_text("2026-11-20 10:00:00 UTC", encoding="utf-8")
    with pytest.raises(BatchError, match=r"holds hand-ins of week 1, week 2\. Copy those of one"):
        discover(folder, tmp_path / "out", STEMS)


def test_folders_of_other_names_are_one_hand_in(tmp_path: Path) -> None:
    hand_in(tmp_path / "class" / "001" / "attempt-1", "failed")
    hand_in(tmp_path / "class" / "001" / "tests", "failed")
    entries = discover(tmp_path / "class", tmp_path / "out", STEMS).entries
    assert with_rule(entries, AttemptRule.BEST) == entries
