"""A claim on a check is decided by running the code again, and answered in the student's words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from grader.batch.appeal_file import LIMIT_BYTES, Appeal, read_appeal
from grader.batch.discovery import BatchError
from grader.batch.replays import NOT_THERE, ReplayedCheck, ruling_of
from grader.batch.ruling import Ruling
from grader.cli import cli
from grader.cli.commands.appeal import run as appeal
from grader.cli.commands.batch import run as grade
from grader.grade.evidence import Outcome
from grader.report.content import Graded
from grader.store.store import STORE_FILE, open_store
from grader.submission.submission import Submission
from tests.unit.samples import SampleGrader, SampleResult, write_course

CLAIM = 'student: "student-002"\ncheck: s1.add/outputs\nclaim: It adds, see line 5.\n'
SECRET = "test_sum"
"""The name of the hidden check that the claim is on."""
P, F, N, B = Outcome.PASSED, Outcome.FAILED, Outcome.COULD_NOT_CHECK, Outcome.BLOCKED


@dataclass
class Again(SampleGrader):
    """Gives the hidden check of each run the next of these outcomes; None ends without any."""

    outcomes: list[Outcome | None] = field(default_factory=list)

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in super().grade(submissions):
            outcome = self.outcomes.pop(0)
            if outcome is None:
                return
            seen = (
                replace(o, outcome=outcome, title="The sum.", observed="3", expected="4")
                if o.check.endswith(SECRET)
                else o
                for o in one.observations
            )
            yield SampleResult(one.submission, tuple(seen))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of two that was graded: one passed, and one failed."""
    made = write_course(tmp_path / "course")
    monkeypatch.chdir(made)
    (made / "reference").mkdir()
    for number, outcome in ((1, "passed"), (2, "failed")):
        place = made / "class" / f"student-{number:03}"
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text(f"#{outcome}\n", encoding="utf-8")
    grade(
        made / "class", made / "results", jobs=1, only=(), spawn=False, course_folder=None,
        open_engine=SampleGrader().opened,
    )  # fmt: skip
    (made / "claim.yaml").write_text(CLAIM, encoding="utf-8")
    return made


def appealed(*outcomes: Outcome | None) -> int:
    grader = Again(outcomes=list(outcomes))
    return appeal(Path("claim.yaml"), times=len(outcomes), open_engine=grader.opened)


@pytest.mark.parametrize(
    ("again", "ruling"),
    [
        ((P, P, P), "stands"),
        ((F, F, F), "falls"),
        ((F, B, Outcome.TIMED_OUT), "falls"),
        ((P, Outcome.CARRIED), "stands"),
        ((P, F, P), "cannot tell"),
        ((F, N), "cannot tell"),
        ((P, NOT_THERE), "cannot tell"),
        ((), "cannot tell"),
    ],
)
def test_only_the_same_each_time_decides(again: tuple[str, ...], ruling: str) -> None:
    assert ReplayedCheck("s1.add/outputs/test_sum", F, again).ruling == ruling


@pytest.mark.parametrize(
    ("of_each", "ruling"),
    [
        (("PP", "FF"), Ruling.STANDS),
        (("FF", "FF"), Ruling.FALLS),
        (("PP", "PF"), Ruling.CANNOT_TELL),
        ((), Ruling.CANNOT_TELL),
    ],
)
def test_one_check_that_is_not_clear_makes_all_unclear(
    of_each: tuple[str, ...], ruling: Ruling
) -> None:
    letters = {"P": P, "F": F}
    checks = [ReplayedCheck("x", F, tuple(letters[one] for one in row)) for row in of_each]

    assert ruling_of(checks) is ruling


def test_a_claim_that_falls_is_answered_with_what_the_report_says(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert appealed(F, F, F) == 0

    shown = capsys.readouterr().out
    evidence, reply = shown.split("reply, to be read by you first:")
    assert "student-002  s1.add/outputs: falls" in evidence
    assert f"s1.add/outputs/{SECRET}: was failed; again: 3 x failed" in evidence
    assert "claim: It adds, see line 5." in evidence
    assert "Your code was run 3 more times. The checks that you had lost did not pass." in reply
    assert "- The sum." in reply
    assert "observed: 3" in reply
    assert "grader why student-002 s1.add --in results" in reply


def test_a_reply_names_no_hidden_check(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    appealed(F)

    reply = capsys.readouterr().out.split("reply, to be read by you first:")[1]
    assert SECRET not in reply


def test_a_claim_that_stands_leads_to_a_regrade(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (root / "results" / "gradebook.csv").read_bytes()

    assert appealed(P, P) == 0

    shown = capsys.readouterr().out
    assert "s1.add/outputs: stands" in shown
    assert "You are right, and your points will be corrected." in shown
    assert (
        "next: grader regrade results --force student-002 --reason "
        "'appeal on s1.add/outputs' --commit" in shown
    )
    assert (root / "results" / "gradebook.csv").read_bytes() == before


@pytest.mark.parametrize("again", [(P, F), (F, None), (None, None)])
def test_what_comes_out_differently_is_for_a_person(
    root: Path, capsys: pytest.CaptureFixture[str], again: tuple[Outcome | None, ...]
) -> None:
    assert appealed(*again) == 3

    assert "A person will look at your code" in capsys.readouterr().out


def test_a_reply_is_in_the_language_of_the_file(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "claim.yaml").write_text(f"{CLAIM}language: ko\n", encoding="utf-8")

    appealed(P, P)
    appealed(P)

    shown = capsys.readouterr().out
    assert "코드를 2번 더 실행했습니다. 매번" in shown
    assert "코드를 1번 더 실행했습니다." in shown
    assert "s1.add/outputs: stands" in shown


def test_appeals_are_kept_and_counted_by_check(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    appealed(F)
    appealed(P, F)
    assert "appealed before, 20" in capsys.readouterr().out

    assert cli.main(["appeal", "--list"]) == 0

    first, *others = capsys.readouterr().out.splitlines()
    assert first == "s1.add/outputs  2 appeals: 1 falls, 1 cannot tell"
    assert [line.split("  ")[-2:] for line in others] == [
        ["student-002", "falls"],
        ["student-002", "cannot tell"],
    ]
    with open_store(root / "results" / STORE_FILE) as store:
        assert [one.claim for one in store.appeals()] == ["It adds, see line 5."] * 2


def test_it_says_when_the_course_is_not_the_one_of_the_grade(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    appealed(F)
    assert "is not as it was" not in capsys.readouterr().out

    (root / "reference" / "s1_sums.py").write_text("# changed\n", encoding="utf-8")
    appealed(F)

    assert "the course, the grader or a library is not as it was" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("student: 1\nclaim: x\n", "claim.yaml:1:1  missing key 'check'"),
        (CLAIM.replace("check", "chek"), "unknown key 'chek' - did you mean 'check'?"),
        (CLAIM.replace("s1.add/outputs", "add"), "expected an exercise and a criterion, such as"),
        (CLAIM.replace("s1.add/outputs", "s1.add/output"), "did you mean 's1.add/outputs'?"),
        (CLAIM.replace("002", "020"), "student-020: nobody of that name in results"),
        (CLAIM.replace("002", "001"), "student-001 has lost nothing in s1.add/outputs"),
        (f"{CLAIM}language: xx\n", "expected a language, such as 'en' or 'ko', got 'xx'"),
        ("student: !!python/object:os.system x\n", "claim.yaml:1:10"),
        ("x" * (LIMIT_BYTES + 1), "claim.yaml: no file of at most 64 KiB"),
    ],
)
def test_what_cannot_be_tried_is_told_before_anything_runs(
    root: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (root / "claim.yaml").write_text(text, encoding="utf-8")

    assert cli.main(["appeal", "claim.yaml"]) == 2

    assert message in capsys.readouterr().err


def test_another_submission_than_the_graded_one_is_not_tried(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "class" / "student-002" / "s1_sums.py").write_text("#passed\n", encoding="utf-8")

    assert cli.main(["appeal", "claim.yaml"]) == 2

    assert "student-002: the submission has changed since" in capsys.readouterr().err


def test_an_id_that_looks_like_a_number_is_an_id(tmp_path: Path) -> None:
    path = tmp_path / "claim.yaml"
    path.write_text("student: 20261234\ncheck: s1.add/outputs\nclaim: |\n  One.\n  Two.\n", "utf-8")

    assert read_appeal(path) == Appeal("20261234", "s1.add/outputs", "One.\nTwo.")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BatchError, match="no file of at most"):
        read_appeal(tmp_path)


def test_a_students_page_says_how(root: Path) -> None:
    assert cli.main(["export", "results", "--as", "pages"]) == 0

    pages = root / "results" / "exports" / "pages"
    page = (pages / "student-002.html").read_text("utf-8")
    lines = "“student: &#34;student-002&#34;”, “check: s1.add/shapes” or another one, and “claim: ”"
    assert lines in page
    assert "if a check is wrong" not in (pages / "student-001.html").read_text("utf-8")
