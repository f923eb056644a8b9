"""A class graded in parts on several machines gives the gradebook of one machine, to the byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from grader.batch.discovery import BatchError, Entry
from grader.batch.shard import read_shard
from grader.cli import cli
from grader.cli.commands.batch import run as batch
from grader.cli.commands.merge import run as merge
from grader.report.content import Graded
from grader.store.appeal_table import KeptAppeal
from grader.store.store import STORE_FILE, open_store
from grader.submission.submission import Submission
from tests.unit.samples import SampleGrader, write_course

STUDENTS = 23
ASKS = "written:\n  s1.why: {points: 2, question: Why?}\n"
OF = 4


class CountingGrader(SampleGrader):
    """Counts whose code would run."""

    def __init__(self) -> None:
        super().__init__()
        self.graded: list[str] = []

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        def noted() -> Iterator[Submission]:
            for one in submissions:
                self.graded.append(one.id)
                yield one

        return super().grade(noted())


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = write_course(tmp_path / "course")
    monkeypatch.chdir(made)
    (made / "reference").mkdir()
    for number in range(STUDENTS):
        place = made / "class" / f"student-{number:03}"
        place.mkdir(parents=True)
        word = "passed" if number % 3 else "failed"
        (place / "s1_sums.py").write_text(f"#{word}\n#{number}\n", encoding="utf-8")
    return made


def grade(root: Path, out: str, shard: str | None = None) -> list[str]:
    """The students whose code ran."""
    grader = CountingGrader()
    batch(
        root / "class", root / out, jobs=1, only=(), spawn=False, course_folder=None, quiet=True,
        shard=shard, open_engine=grader.opened,
    )  # fmt: skip
    return grader.graded


def gradebook(root: Path, out: str) -> bytes:
    return (root / out / "gradebook.csv").read_bytes()


def shards(root: Path, numbers: range = range(1, OF + 1)) -> list[str]:
    graded = [id for n in numbers for id in grade(root, f"part-{n}", f"{n}/{OF}")]
    merge(root / "merged", tuple(root / f"part-{n}" for n in numbers))
    return graded


def test_each_submission_is_graded_in_one_shard_and_never_again(root: Path) -> None:
    graded = shards(root)

    assert sorted(graded) == [f"student-{n:03}" for n in range(STUDENTS)]
    assert grade(root, "merged") == []


def test_the_gradebook_is_that_of_one_machine(root: Path) -> None:
    grade(root, "whole")
    shards(root)
    grade(root, "merged")

    assert gradebook(root, "merged") == gradebook(root, "whole")


def test_a_shard_that_died_is_made_up_for(root: Path) -> None:
    grade(root, "whole")
    done = shards(root, range(1, OF))

    rest = grade(root, "merged")

    assert sorted([*done, *rest]) == [f"student-{n:03}" for n in range(STUDENTS)]
    assert rest
    assert gradebook(root, "merged") == gradebook(root, "whole")


def test_merging_twice_adds_nothing(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shards(root)
    capsys.readouterr()
    merge(root / "merged", (root / "part-1",))
    assert ": 0 results taken over, " in capsys.readouterr().out


def test_history_and_points_by_hand_come_along(root: Path) -> None:
    grade(root, "part-1", "1/1")
    words = ["adjust", "part-1", "student-002", "2", "--reason", "ill", "--by", "TA 1"]
    assert cli.main(words) == 0
    assert cli.main(["merge", "merged", "part-1"]) == 0
    assert cli.main(["merge", "merged", "part-1"]) == 0

    with (
        open_store(root / "merged" / STORE_FILE) as new,
        open_store(root / "part-1" / STORE_FILE) as old,
    ):
        assert list(new.history()) == list(old.history())
        assert new.adjustments("student-002") == old.adjustments("student-002")
        assert len(list(new.summaries())) == STUDENTS
    grade(root, "merged")
    grade(root, "part-1", "1/1")
    assert gradebook(root, "merged") == gradebook(root, "part-1")


@pytest.mark.parametrize("text", ["0/4", "5/4", "4", "a/b", "1/0", "-1/4", "1/4/2", ""])
def test_a_shard_that_is_none(text: str) -> None:
    with pytest.raises(BatchError, match="expected which of how many"):
        read_shard(text)


def test_shards_hold_everybody_once() -> None:
    entries = [Entry(f"student-{n}", Path(), "") for n in range(1000)]
    held = [sum(read_shard(f"{n}/7").holds(entry) for n in range(1, 8)) for entry in entries]
    sizes = [sum(read_shard(f"{n}/7").holds(entry) for entry in entries) for n in range(1, 8)]
    assert held == [1] * 1000
    assert 100 < min(sizes) <= max(sizes) < 190


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("merge", "out", "class"), "class: holds no results.sqlite"),
        (("merge", "part-1", "part-1"), "part-1: is RESULTS itself"),
    ],
)
def test_what_cannot_be_merged(
    root: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    grade(root, "part-1", "1/4")
    assert cli.main(list(words)) == 2
    assert message in capsys.readouterr().err


def test_a_shard_says_what_to_do_with_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch(
        root / "class", root / "part-1", jobs=1, only=(), spawn=False, course_folder=None,
        shard="1/4", open_engine=SampleGrader().opened,
    )  # fmt: skip
    out = capsys.readouterr().out
    assert f" not graded in this run; grader merge RESULTS {root / 'part-1'} … takes all" in out


@pytest.mark.parametrize(("shard", "asks"), [("1/4", 0), (None, 1)], ids=["a shard", "a class"])
def test_a_shard_asks_nobody_to_mark(
    root: Path, capsys: pytest.CaptureFixture[str], shard: str | None, asks: int
) -> None:
    with (root / "rubric.yaml").open("a", encoding="utf-8") as rubric:
        rubric.write(ASKS)
    for place in (root / "class").iterdir():
        (place / "answers.md").write_text("<!-- answer: s1.why -->\nBecause.\n", encoding="utf-8")
    batch(
        root / "class", root / "part-1", jobs=1, only=(), spawn=False, course_folder=None,
        shard=shard, open_engine=SampleGrader().opened,
    )  # fmt: skip
    assert capsys.readouterr().out.count("to grade answers: ") == asks


def test_appeals_are_taken_along_once_and_keep_their_time(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards(root)
    appeal = KeptAppeal("student-001", "s1.add/outputs", "It is right.", "falls", "-", "No.")
    with open_store(root / "part-2" / STORE_FILE) as store:
        store.keep_appeal(appeal)
        [kept] = store.appeals()
    capsys.readouterr()
    for _again in range(2):
        merge(root / "merged", (root / "part-2",))

    first, _next, second, _same = capsys.readouterr().out.splitlines()
    assert first.endswith("there already, and appeals: 1")
    assert second.endswith("there already")
    with open_store(root / "merged" / STORE_FILE) as store:
        assert store.appeals() == (kept,)
