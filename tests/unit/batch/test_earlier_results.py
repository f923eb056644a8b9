"""Who was graded before is not graded again, and nobody can tell from what is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from grader.batch.batch import grade_batch
from grader.batch.class_results import ByPerson, write_class_results
from grader.batch.discovery import discover
from grader.batch.records import read_records
from grader.batch.summary import Summary
from grader.files.writing import WritingError
from grader.grade.evidence import FLAG, Note, Where
from grader.report.content import Graded
from grader.store.results import Results
from grader.store.store import open_store
from grader.submission.submission import Submission
from tests.unit.batch.test_batch import everything_in, hand_in
from tests.unit.samples import RUBRIC, SampleGrader
from tests.unit.store.test_store import NOW

NOTES = (
    Note("problem", "cut off", Where("s1_sums.py", 3)),
    Note("problem", "and =more"),
    Note(FLAG, "torch.bmm ran", Where("s1_sums.py", 9, cell=2)),
)


@dataclass
class CountingGrader(SampleGrader):
    """Remembers whom it graded, and can be ended in the middle."""

    graded: list[str] = field(default_factory=list)
    ends_after: int | None = None

    def grade(self, submissions: Iterable[Submission], /) -> Iterator[Graded]:
        for one in submissions:
            if self.ends_after is not None and len(self.graded) == self.ends_after:
                raise KeyboardInterrupt
            self.graded.append(one.id)
            yield from super().grade([one])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = hand_in(tmp_path / "class", s_1="passed", s_2="failed", s_3="timed_out", s_4="passed")
    (made / "s-5.pdf").write_bytes(b"%PDF")
    return made


def run(folder: Path, out: Path, grader: SampleGrader, **changed: object) -> Summary:
    again = bool(changed.pop("again", False))
    out.mkdir(exist_ok=True)
    with open_store(out / "s") as store:
        results = Results(store, replace(NOW, **changed), RUBRIC, again)  # type: ignore[arg-type]
        entries = discover(folder, out).entries
        return grade_batch(entries, RUBRIC, grader, out, lambda row: None, results=results)


def without_store(out: Path) -> dict[str, object]:
    return {name: data for name, data in everything_in(out).items() if name != "s"}


def test_a_second_run_grades_nobody_and_writes_the_same(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = run(folder, out, SampleGrader(notes=NOTES))
    before = {path: path.read_bytes() for path in (out / "records").iterdir()}
    again = CountingGrader()
    second = run(folder, out, again)

    assert (again.graded, first.earlier, second.earlier) == ([], 0, 4)
    assert tuple(second.rows) == tuple(first.rows)
    assert replace(second, rows=(), others=(), earlier=0) == replace(first, rows=(), others=())
    assert {path: path.read_bytes() for path in (out / "records").iterdir()} == before


@pytest.mark.parametrize("ends_after", range(5))
def test_a_run_that_was_ended_is_gone_on_with(
    folder: Path, tmp_path: Path, ends_after: int
) -> None:
    run(folder, tmp_path / "undisturbed", SampleGrader(notes=NOTES))

    ended, rest = (
        CountingGrader(notes=NOTES, ends_after=ends_after),
        CountingGrader(notes=NOTES),
    )
    if ends_after < 4:
        with pytest.raises(KeyboardInterrupt):
            run(folder, tmp_path / "out", ended)
    else:
        run(folder, tmp_path / "out", ended)
    summary = run(folder, tmp_path / "out", rest)

    assert sorted(ended.graded + rest.graded) == ["s-1", "s-2", "s-3", "s-4"]
    assert summary.earlier == ends_after
    assert without_store(tmp_path / "out") == without_store(tmp_path / "undisturbed")


def test_only_what_changed_is_graded_again(folder: Path, tmp_path: Path) -> None:
    run(folder, tmp_path / "out", SampleGrader())
    (folder / "s-2" / "s1_sums.py").write_text("#passed\n", encoding="utf-8")
    grader = CountingGrader()
    summary = run(folder, tmp_path / "out", grader)

    assert (grader.graded, summary.complete) == (["s-2"], 3)
    back = CountingGrader()
    (folder / "s-2" / "s1_sums.py").write_text("#failed\n", encoding="utf-8")
    assert (run(folder, tmp_path / "out", back).complete, back.graded) == (2, [])


def test_another_rubric_or_the_switch_grades_everybody(folder: Path, tmp_path: Path) -> None:
    run(folder, tmp_path / "out", SampleGrader())
    for changed in ({"rules": "other"}, {"again": True}):
        grader = CountingGrader()
        run(folder, tmp_path / "out", grader, **changed)
        assert grader.graded == ["s-1", "s-2", "s-3", "s-4"]


def test_what_could_not_be_checked_is_tried_again(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", s_1="could_not_check", s_2="passed")
    run(folder, tmp_path / "out", SampleGrader())
    grader = CountingGrader()
    run(folder, tmp_path / "out", grader)

    assert grader.graded == ["s-1"]


def test_a_gradebook_from_records_is_the_same_file(folder: Path, tmp_path: Path) -> None:
    """Problems with files and flags stand only in notes: they must not get lost."""
    out = tmp_path / "out"
    run(folder, out, SampleGrader(notes=NOTES))
    before = (out / "gradebook.csv").read_bytes()
    assert b"torch.bmm ran" in before
    assert b"cut off (and 1 more)" in before

    found = read_records(out, RUBRIC)
    (out / "gradebook.csv").unlink()
    write_class_results(found.rows, found.names, RUBRIC, found.only, ByPerson(), out)

    assert (out / "gradebook.csv").read_bytes() == before


def test_a_full_store_ends_the_run_and_says_what_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []

    def keep(self: Results, submission: Submission, record: object) -> None:
        if len(kept) == 2:
            raise WritingError("results.sqlite: not written, because the disk is full.")
        kept.append(submission.id)

    monkeypatch.setattr(Results, "keep", keep)
    with pytest.raises(WritingError, match="3 of 5 submissions are graded and kept in") as refused:
        run(folder, tmp_path / "out", SampleGrader())

    assert "the disk is full" in str(refused.value)
    records = {path.stem for path in (tmp_path / "out" / "records").glob("*.json")}
    assert set(kept) <= records
    assert json.loads((tmp_path / "out" / "records" / "s-1.json").read_text())["complete"] is True
