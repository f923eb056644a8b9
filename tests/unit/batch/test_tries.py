"""Where grading failed by chance it is tried once more; where it fails for all, it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from grader.batch.batch import grade_batch
from grader.batch.discovery import discover
from grader.batch.summary import Summary
from grader.grade.evidence import Outcome
from grader.report.content import Graded
from grader.submission.submission import Submission
from tests.unit.batch.test_batch import hand_in
from tests.unit.samples import RUBRIC, SampleGrader, SampleResult


@dataclass
class Unlucky(SampleGrader):
    """Cannot make the first check for some students, so many times."""

    bad_luck: dict[str, int] = field(default_factory=dict)
    graded: list[str] = field(default_factory=list)

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in super().grade(submissions):
            id, seen = one.submission.id, list(one.observations)
            self.graded.append(id)
            if self.bad_luck.get(id, 0) > 0:
                self.bad_luck[id] -= 1
                seen[0] = replace(seen[0], outcome=Outcome.COULD_NOT_CHECK)
            yield SampleResult(one.submission, tuple(seen))


def run(folder: Path, out: Path, grader: SampleGrader) -> Summary:
    return grade_batch(discover(folder, out).entries, RUBRIC, grader, out, lambda row: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return hand_in(tmp_path / "class", s_1="passed", s_2="passed", s_3="failed")


def test_bad_luck_is_tried_once_more(folder: Path, tmp_path: Path) -> None:
    grader = Unlucky(bad_luck={"s-2": 1})
    summary = run(folder, tmp_path / "out", grader)

    assert grader.graded == ["s-1", "s-2", "s-3", "s-2"]
    assert (summary.complete, summary.unchecked) == (2, ())


def test_it_is_tried_once_and_then_listed(folder: Path, tmp_path: Path) -> None:
    grader = Unlucky(bad_luck={"s-2": 9})
    summary = run(folder, tmp_path / "out", grader)

    assert grader.graded == ["s-1", "s-2", "s-3", "s-2"]
    assert [row.id for row in summary.unchecked] == ["s-2"]
    assert [row.id for row in summary.rows] == ["s-1", "s-2", "s-3"]


def test_what_fails_for_all_is_not_tried_again(folder: Path, tmp_path: Path) -> None:
    grader = Unlucky(bad_luck={"s-1": 9, "s-2": 9, "s-3": 9})
    summary = run(folder, tmp_path / "out", grader)

    assert grader.graded == ["s-1", "s-2", "s-3"]
    assert len(summary.unchecked) == 3


def test_a_second_try_that_sees_less_does_not_count(folder: Path, tmp_path: Path) -> None:
    @dataclass
    class Worse(Unlucky):
        def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
            for one in super().grade(submissions):
                again = self.graded.count(one.submission.id) == 2
                seen = [replace(o, outcome=Outcome.COULD_NOT_CHECK) for o in one.observations]
                yield SampleResult(one.submission, tuple(seen)) if again else one

    run(folder, tmp_path / "out", Worse(bad_luck={"s-2": 1}))
    text = (tmp_path / "out" / "gradebook.csv").read_text("utf-8-sig")
    assert "5.5" in text.splitlines()[2]
