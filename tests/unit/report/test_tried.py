"""Attempts that were refused are for staff: in records, `grader why`, the batch and its report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.batch.gradebook import row_of
from grader.cli import cli
from grader.cli.commands.batch import run as batch
from grader.grade.evidence import Outcome, Tried
from grader.judge.calls.process_exit import tried
from grader.report import json as json_report
from grader.report.content import Graded, report_on
from grader.report.tried import tried_in_words
from grader.store.summary import form_of, read_summary, summary_of
from grader.submission.submission import Submission
from grader.wire.raised import RemoteRaised
from tests.unit.samples import (
    RUBRIC,
    SampleGrader,
    SampleResult,
    observations,
    write_course,
)

FAILED = observations(Outcome.STUDENT_ERROR, "raised OSError")
SEEN = (replace(FAILED[0], tried=Tried.NETWORK), *FAILED[1:])


def record(*, for_staff: bool = True) -> dict[str, object]:
    report = report_on(SampleResult(observations=SEEN), RUBRIC, for_staff=for_staff)
    return json_report.as_dict(report, for_staff=for_staff)


def test_only_staff_reads_of_it() -> None:
    assert row_of(record()).tried == {Tried.NETWORK: 1}
    assert "tried" not in str(record(for_staff=False))


def test_a_summary_keeps_it() -> None:
    summary = summary_of(record())
    assert summary.tried == ("network",)
    kept = read_summary(summary.text)
    assert replace(kept, failed=tuple(kept.failed)) == summary
    assert form_of(record()).checks


@pytest.mark.parametrize("what", [what for what in Tried if what])
def test_everything_that_can_be_tried_has_words(what: Tried) -> None:
    assert len(tried_in_words(what).split()) > 3


@pytest.mark.parametrize(
    ("type_name", "bases", "refused", "what"),
    [
        ("PermissionError", ["OSError"], "file", Tried.FILE),
        ("gaierror", ["OSError"], "network", Tried.NETWORK),
        ("PermissionError", ["OSError"], "", Tried.OTHER),
        ("PermissionError", ["OSError"], "call", Tried.OTHER),
        ("ValueError", [], "network", Tried.NOTHING),
        ("FileNotFoundError", ["OSError"], "file", Tried.NOTHING),
    ],
)
def test_an_exception_is_a_refusal_only_if_the_system_raises_such(
    type_name: str, bases: list[str], refused: str, what: Tried
) -> None:
    raised = RemoteRaised({"type": type_name, "bases": bases, "refused": refused})
    assert tried(raised) is what


class TryingGrader(SampleGrader):
    """The second student reaches for the network."""

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for result in super().grade(submissions):
            assert isinstance(result, SampleResult)
            is_second = result.submission.id == "student-002"
            yield replace(result, observations=SEEN) if is_second else result


def test_a_batch_why_and_the_class_report_say_whose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_course(tmp_path / "course")
    monkeypatch.chdir(root)
    (root / "reference").mkdir()
    for number in range(1, 4):
        place = root / "class" / f"student-{number:03}"
        place.mkdir(parents=True)
        (place / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
    batch(
        root / "class", root / "out", jobs=1, only=(), spawn=False, course_folder=None,
        open_engine=TryingGrader().opened,
    )  # fmt: skip
    said = "1 tried and were refused: the network, as its own process says: student-002\n"
    assert said in capsys.readouterr().out

    assert cli.main(["why", "student-002", "--in", "out"]) == 0
    fact = "tried and refused: the network, as its own process says\n"
    assert capsys.readouterr().out.count(fact) == 1

    assert cli.main(["report", "out"]) == 0
    page = (root / "out" / "class.html").read_text(encoding="utf-8")
    assert "the network, as its own process says" in page
