"""A changed course, shown before it counts: who gains, who loses, and by which check."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import pytest

from grader.cli import cli
from grader.cli.commands.batch import run as grade
from grader.cli.commands.regrade import run as regrade
from grader.grade.evidence import Cause, Outcome
from grader.report.content import Graded
from grader.submission.submission import Submission
from tests.unit.samples import SampleGrader, SampleResult, write_course

CLASS = {"001": "passed", "002": "failed", "003": "timed_out", "004": ""}
KNOWN = Cause("add.off_by_one", "One too many.", 3, 3)


@dataclass
class Turned(SampleGrader):
    """Gives some outcomes others than before, as a changed suite would."""

    turns: Mapping[Outcome, Outcome] = field(default_factory=dict)
    graded: list[str] = field(default_factory=list)

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in super().grade(submissions):
            self.graded.append(one.submission.id)
            seen = (
                replace(o, outcome=self.turns.get(o.outcome, o.outcome)) for o in one.observations
            )
            yield SampleResult(one.submission, tuple(seen))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course and a class that was graded with it."""
    made = write_course(tmp_path / "course")
    monkeypatch.chdir(made)
    (made / "reference").mkdir()
    for number, outcome in CLASS.items():
        place = made / "class" / f"student-{number}"
        place.mkdir(parents=True)
        if outcome:
            (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    batch(made)
    return made


def batch(root: Path, grader: SampleGrader | None = None) -> None:
    grade(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        open_engine=(grader or SampleGrader(cause=KNOWN)).opened,
    )  # fmt: skip


def worth(root: Path, old: str, new: str) -> None:
    path = root / "rubric.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def change_suites(root: Path) -> None:
    (root / "reference" / "s1_sums.py").write_text("# changed\n", encoding="utf-8")


def changes(capsys: pytest.CaptureFixture[str], **given: Any) -> dict[str, tuple[str, str]]:
    """What a regrade says of those whom it changes: points before and after."""
    capsys.readouterr()
    grader = given.pop("grader")
    assert regrade(Path("out"), format_="json", open_engine=grader.opened, **given) == 0
    told = json.loads(capsys.readouterr().out)
    return {one["student"]: (one["before"], one["after"]) for one in told["changes"]}


def totals(root: Path) -> dict[str, str]:
    with (root / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as lines:
        return {row["id"]: row["total"] for row in csv.DictReader(lines)}


def record(root: Path, student: str) -> Any:
    return json.loads((root / "out" / "records" / f"{student}.json").read_text("utf-8"))


def written(root: Path) -> dict[str, bytes]:
    """Everything that counts: all files but the store."""
    paths = (path for path in (root / "out").rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in paths if "results.sqlite" not in path.name}


def test_other_points_run_no_code_and_change_nothing_until_committed(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = written(root)
    worth(root, "{points: 3, ", "{points: 4, ")
    shutil.rmtree(root / "class")
    grader = Turned()

    assert changes(capsys, grader=grader) == {"student-001": ("6.5", "7.5")}
    assert (grader.graded, written(root)) == ([], before)

    changes(capsys, grader=grader, only_show=False)
    assert totals(root) == {
        "student-001": "7.5", "student-002": "0", "student-003": "0", "student-004": "",
    }  # fmt: skip
    assert changes(capsys, grader=grader) == {}


def test_a_committed_regrade_is_what_grading_anew_gives(root: Path, tmp_path: Path) -> None:
    worth(root, "{points: 2.5, visibility: hidden}", "{points: 2, visibility: hidden}")
    regrade(Path("out"), only_show=False, open_engine=Turned().opened)
    committed = written(root)
    shutil.rmtree(root / "out")
    batch(root)

    assert written(root) == committed


def test_changed_suites_run_those_who_have_points(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    grader = Turned(turns={Outcome.FAILED: Outcome.PASSED})

    assert changes(capsys, grader=grader, marks=(50,)) == {"student-002": ("0", "6.5")}
    assert grader.graded == ["student-001", "student-002", "student-003"]
    # What ran is kept: to let it count, nothing runs again.
    again = Turned()
    changes(capsys, grader=again, only_show=False)
    assert (again.graded, totals(root)["student-002"]) == ([], "6.5")


def test_text_says_who_crosses_a_mark_and_which_check_did_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    capsys.readouterr()
    grader = Turned(turns={Outcome.FAILED: Outcome.PASSED, Outcome.PASSED: Outcome.FAILED})
    regrade(Path("out"), marks=(40, 60), open_engine=grader.opened)

    assert capsys.readouterr().out == (
        "student-001      6.5 ->       0     -6.5  40 % lost  60 % lost\n"
        "    s1.add/shapes: 1 -> 0 (test_shape: passed -> failed)\n"
        "    s1.add/outputs: 2.5 -> 0 (test_sum: passed -> failed)\n"
        "    s2.mean/outputs: 3 -> 0 (test_mean: passed -> failed)\n"
        "student-002        0 ->     6.5     +6.5  40 % reached  60 % reached\n"
        "    s1.add/shapes: 0 -> 1 (test_shape: failed -> passed)\n"
        "    s1.add/outputs: 0 -> 2.5 (test_sum: failed -> passed)\n"
        "    s2.mean/outputs: 0 -> 3 (test_mean: failed -> passed)\n"
        "by s1.add/outputs: 1 up, 1 down, 0 points in all\n"
        "by s1.add/shapes: 1 up, 1 down, 0 points in all\n"
        "by s2.mean/outputs: 1 up, 1 down, 0 points in all\n"
        "4 students: 1 up, 1 down, 2 with the same points; the code of 3 ran again\n"
        "nothing that counts was changed. To let it count, add --commit: "
        "grader regrade out --commit\n"
    )


@dataclass
class Chance(Turned):
    """Cannot check something of one student the first time, and of another one ever."""

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in super().grade(submissions):
            id, unlucky = one.submission.id, one.observations
            if id == "student-003" or (id, self.graded.count(id)) == ("student-001", 1):
                first = replace(unlucky[0], outcome=Outcome.COULD_NOT_CHECK)
                unlucky = (first, *unlucky[1:])
            yield SampleResult(one.submission, unlucky)


def test_what_fails_by_chance_is_tried_once_more(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    grader = Chance()
    assert changes(capsys, grader=grader) == {"student-003": ("0", "0")}
    assert Counter(grader.graded) == {"student-001": 2, "student-002": 1, "student-003": 2}


def test_a_regrade_that_runs_code_says_how_far_it_has_come(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    capsys.readouterr()
    regrade(Path("out"), format_="json", open_engine=Turned().opened)

    said = capsys.readouterr()
    assert said.err == (
        "[1/3] student-001: 6.5 points\n[2/3] student-002: 0 points\n[3/3] student-003: 0 points\n"
    )
    assert json.loads(said.out)["committed"] is False


@dataclass
class Interrupted(Turned):
    """Is interrupted when two are graded."""

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for number, one in enumerate(super().grade(submissions)):
            if number == 2:
                raise KeyboardInterrupt
            yield one


def test_an_interrupted_regrade_says_how_to_go_on_and_does(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    with pytest.raises(KeyboardInterrupt, match=r"^what is graded is kept in out; the same"):
        regrade(Path("out"), open_engine=Interrupted().opened)

    grader = Turned()
    assert changes(capsys, grader=grader) == {}
    assert grader.graded == ["student-003"]


def test_the_command_that_commits_does_what_was_shown(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(root / "class", root / "the class")
    capsys.readouterr()
    regrade(
        Path("out"), never_lower=True, only_causes=(KNOWN.id,), forced=("student-001",),
        reason="ill then", author="TA 1", folder=Path("the class"), isolation="none",
        open_engine=Turned().opened,
    )  # fmt: skip

    last = capsys.readouterr().out.splitlines()[-1]
    assert last == (
        "nothing that counts was changed. To let it count, add --commit: grader regrade out "
        "--never-lower --only-cause add.off_by_one --force student-001 --reason 'ill then' "
        "--by 'TA 1' --from 'the class' --isolation none --commit"
    )


def test_never_lower_gives_back_what_would_be_lost_and_stays(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worth(root, "{points: 3, ", "{points: 1, ")
    changes(capsys, grader=Turned(), only_show=False, never_lower=True)

    assert totals(root)["student-001"] == "6.5"
    [line] = record(root, "student-001")["adjustments"]
    assert (line["points"], line["reason"]) == ("2", "a regrade takes no points away")
    batch(root)
    assert totals(root)["student-001"] == "6.5"
    # It is no debt: with the old points back, nothing is left of it.
    worth(root, "outputs: {points: 1, ", "outputs: {points: 5, ")
    changes(capsys, grader=Turned(), only_show=False, never_lower=True)
    assert totals(root)["student-001"] == "8.5"
    assert "adjustments" not in record(root, "student-001")


def test_only_those_with_a_mistake_are_touched(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    turned = Turned(turns={Outcome.FAILED: Outcome.PASSED, Outcome.PASSED: Outcome.FAILED})
    batch(root, SampleGrader())  # without causes, so that nobody has one
    for student, cause in (("student-002", KNOWN), ("student-001", None)):
        one = record(root, student)
        for exercise in one["exercises"]:
            for check in exercise["checks"]:
                check["cause"] = cause and {"id": cause.id, "text": "", "fits": 3, "of": 3}
        path = root / "out" / "records" / f"{student}.json"
        path.write_text(json.dumps(one), encoding="utf-8")
    (root / "reference" / "more.py").write_text("# changed again\n", encoding="utf-8")

    changes(capsys, grader=turned, only_show=False, only_causes=(KNOWN.id,))
    assert (totals(root)["student-001"], totals(root)["student-002"]) == ("6.5", "6.5")


def test_a_mistake_that_nobody_made_is_refused(root: Path) -> None:
    with pytest.raises(
        click.ClickException, match=r"--only-cause add\.of_by_one: nobody in these results"
    ):
        regrade(Path("out"), only_causes=("add.of_by_one",), open_engine=Turned().opened)


def test_who_is_forced_runs_again_and_takes_what_comes(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grader = Turned(turns={Outcome.PASSED: Outcome.FAILED})
    changes(
        capsys, grader=grader, only_show=False, never_lower=True, forced=("student-001",),
        reason="graded on a broken machine", author="TA 1",
    )  # fmt: skip

    assert (grader.graded, totals(root)["student-001"]) == (["student-001"], "0")
    assert record(root, "student-001")["forced"] == {
        "reason": "graded on a broken machine", "author": "TA 1",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--force", "student-001"), "--force needs --reason"),
        (("--force", "student-9", "--reason", "x"), "student-9: nobody of that name"),
        (("--from", "nowhere"), "nowhere: no such folder"),
    ],
)
def test_what_cannot_be_done_is_said(
    root: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    change_suites(root)
    before = written(root)
    assert cli.main(["regrade", "out", *words]) == 2
    assert message in capsys.readouterr().err
    assert written(root) == before


def test_a_submission_that_is_not_the_one_graded_keeps_its_points(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change_suites(root)
    (root / "class" / "student-001" / "s1_sums.py").write_text("#failed\n", encoding="utf-8")
    shutil.rmtree(root / "class" / "student-003")
    capsys.readouterr()
    grader = Turned()

    assert regrade(Path("out"), open_engine=grader.opened, only_show=False) == 3
    out = capsys.readouterr().out
    assert "student-001: not graded again: the submission has changed since" in out
    assert "student-003: not graded again: the submission is not there any more" in out
    assert (grader.graded, totals(root)["student-001"]) == (["student-002"], "6.5")


def test_a_persons_points_stay_and_a_conflict_is_flagged(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("adjust", "out", "student-001", "-1.5", "--reason", "shared code", "--by", "TA 1")
    capsys.readouterr()
    assert cli.main(words) == 0
    assert capsys.readouterr().out == "student-001: 6.5 by the checks, 5 in all\n"
    assert totals(root)["student-001"] == "5"

    worth(root, "{points: 3, ", "{points: 4, ")
    changes(capsys, grader=Turned(), only_show=False)
    with (root / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as lines:
        first = next(csv.DictReader(lines))
    assert (first["total"], first["adjustments"]) == ("6", "-1.5")
    assert first["flags"] == (
        "'-1.5 points (shared code, TA 1) were given when the checks had earned 6.5; "
        "now they earn 7.5"
    )
    assert cli.main(["adjust", "out", "student-001", "0", "--reason", "no", "--by", "TA 1"]) == 0
    assert (totals(root)["student-001"], "adjustments" in record(root, "student-001")) == (
        "7.5",
        False,
    )


@pytest.mark.parametrize(
    ("student", "points", "message"),
    [
        ("student-001", "many", "many: expected points, such as +2"),
        ("student-001", "=1+1", "expected points"),
        ("student-9", "1", "student-9: nobody of that name"),
        ("student-004", "1", "student-004: has no points to adjust"),
    ],
)
def test_an_adjustment_that_means_nothing_is_refused(
    root: Path, capsys: pytest.CaptureFixture[str], student: str, points: str, message: str
) -> None:
    before = written(root)
    assert cli.main(["adjust", "out", student, points, "--reason", "x", "--by", "y"]) == 2
    assert message in capsys.readouterr().err
    assert written(root) == before


def git(root: Path, *words: str, at: str = "2026-11-01T12:00:00+00:00") -> None:
    who = {
        f"GIT_{role}_{key}": "ta" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    environ = {**os.environ, **who, **dates}
    subprocess.run(["git", *words], cwd=root, env=environ, check=True, capture_output=True)


@pytest.fixture
def history(root: Path) -> Path:
    """The same course in a repository: as it was graded, and dearer a week later."""
    git(root, "init", "--quiet")
    git(root, "add", "rubric.yaml", "assignments")
    git(root, "commit", "--quiet", "-m", "first")
    git(root, "tag", "first")
    worth(root, "{points: 3, ", "{points: 4, ")
    git(root, "commit", "--quiet", "-am", "dearer", at="2026-11-08T12:00:00+00:00")
    worth(root, "{points: 4, ", "{points: 5, ")
    return root


@pytest.mark.parametrize(
    ("at", "points"),
    [
        ("first", {}),
        ("2026-11-05T00:00:00+09:00", {}),
        ("HEAD", {"student-001": ("6.5", "7.5")}),
        ("2026-11-09T00:00:00Z", {"student-001": ("6.5", "7.5")}),
        ("", {"student-001": ("6.5", "8.5")}),
    ],
)
def test_a_class_is_regraded_by_the_course_as_it_was(
    history: Path, capsys: pytest.CaptureFixture[str], at: str, points: dict[str, tuple[str, str]]
) -> None:
    # The folder that git does not know is no part of a commit: without it, nothing else differs.
    (history / "reference").rmdir()

    assert changes(capsys, grader=Turned(), at=at) == points
    assert "points: 5" in (history / "rubric.yaml").read_text("utf-8")


def test_what_is_printed_next_names_the_same_course(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (history / "reference").rmdir()

    regrade(Path("out"), at="HEAD", open_engine=Turned().opened)
    shown = capsys.readouterr().out
    regrade(Path("out"), at="HEAD", only_show=False, open_engine=Turned().opened)

    assert shown.endswith("grader regrade out --at HEAD --commit\n")
    assert totals(history)["student-001"] == "7.5"


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("nowhere", "--at nowhere: no commit of that name in"),
        ("--output=x", "--at --output=x: no commit of that name in"),
        ("2026-10-01T00:00:00Z", "has no commit that is so old"),
        ("2026-11-09T00:00:00", "this time does not say its offset from UTC"),
    ],
)
def test_a_course_that_never_was_is_refused(
    history: Path, capsys: pytest.CaptureFixture[str], at: str, message: str
) -> None:
    assert cli.main(["regrade", "out", f"--at={at}"]) == 2

    assert message in capsys.readouterr().err


def test_a_course_outside_of_git_has_no_past(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["regrade", "out", "--at", "HEAD"]) == 2

    assert "--at: git rev-parse failed in" in capsys.readouterr().err
