"""A part of a class is graded; everybody else keeps what they had, and gets no zero for it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from grader.batch import part
from grader.batch.batch import grade_batch
from grader.batch.discovery import BatchError, Entry, discover
from grader.batch.part import EVERYBODY, ClassPart, chosen
from grader.batch.records import RecordsError, read_records
from grader.batch.summary import Summary
from grader.course.rubric import Rubric
from grader.store.results import Results
from grader.store.store import open_store
from tests.unit.batch.test_batch import everything_in, hand_in
from tests.unit.batch.test_earlier_results import CountingGrader, without_store
from tests.unit.samples import RUBRIC
from tests.unit.store.test_store import NOW


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = hand_in(tmp_path / "class", s_1="passed", s_2="failed", s_3="passed", s_4="failed")
    (made / "s-5.pdf").write_bytes(b"%PDF")
    return made


def run(
    folder: Path,
    out: Path,
    grader: CountingGrader,
    students: tuple[str, ...] = (),
    limit: int | None = None,
    rubric: Rubric = RUBRIC,
    absent: tuple[str, ...] = (),
) -> Summary:
    out.mkdir(exist_ok=True)
    entries, others = chosen(discover(folder, out).entries, students)
    with open_store(out / "s") as store:
        return grade_batch(
            entries, rubric, grader, out, lambda row: None, (),
            results=Results(store, NOW, rubric), absent=absent, part=ClassPart(others, limit),
        )  # fmt: skip


def totals(out: Path) -> dict[str, tuple[str, str]]:
    """The total and the problem of each student in the gradebook."""
    with (out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["id"]: (row["total"], row["problem"]) for row in csv.DictReader(file)}


def test_only_the_students_who_are_named_are_graded(folder: Path, tmp_path: Path) -> None:
    grader = CountingGrader()
    summary = run(folder, tmp_path / "out", grader, ("s-2", "s-3"))

    assert grader.graded == ["s-2", "s-3"]
    assert [row.id for row in summary.rows] == ["s-2", "s-3"]
    assert [row.id for row in summary.waiting] == ["s-1", "s-4", "s-5"]
    assert (summary.kept, summary.problems, summary.complete) == ((), (), 1)


def test_who_is_not_graded_yet_has_a_row_without_points(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out, CountingGrader(), ("s-2",), absent=("s-9",))

    assert totals(out) == {
        "s-1": ("", "not graded yet"),
        "s-2": ("0", ""),  # the positive control: this one was graded, and earned nothing
        "s-3": ("", "not graded yet"),
        "s-4": ("", "not graded yet"),
        "s-5": ("", "not graded yet"),
        "s-9": ("", "handed in nothing"),
    }
    assert [row.id for row in read_records(out, RUBRIC).rows] == sorted(totals(out))


def test_everybody_else_keeps_row_and_record(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out, CountingGrader())
    before, rows = everything_in(out), totals(out)
    for name in ("s-1", "s-2"):
        (folder / name / "s1_sums.py").write_text("#failed and changed\n", encoding="utf-8")

    grader = CountingGrader()
    summary = run(folder, out, grader, ("s-1",))
    after = everything_in(out)

    assert grader.graded == ["s-1"]
    assert [row.id for row in summary.kept] == ["s-2", "s-3", "s-4", "s-5"]
    assert {name for name in before if name != "s" and before[name] != after[name]} == {
        "gradebook.csv",
        "records/s-1.json",
    }
    assert (rows["s-1"][0], totals(out)["s-1"][0]) == ("6.5", "0")
    assert {**totals(out), "s-1": rows["s-1"]} == rows


def test_a_limit_goes_on_where_the_last_one_ended(folder: Path, tmp_path: Path) -> None:
    run(folder, tmp_path / "undisturbed", CountingGrader())
    out = tmp_path / "out"
    graders = [CountingGrader() for _ in range(4)]
    waiting = [len(run(folder, out, one, limit=2).waiting) for one in graders[:2]]
    run(folder, out, graders[2], limit=2)
    run(folder, out, graders[3])

    assert [one.graded for one in graders] == [["s-1", "s-2"], ["s-3", "s-4"], [], []]
    assert waiting == [2, 0]
    assert without_store(out) == without_store(tmp_path / "undisturbed")


def test_a_limit_takes_those_without_a_result_first(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out, CountingGrader(), ("s-1", "s-2"))
    (folder / "s-1" / "s1_sums.py").write_text("#failed now\n", encoding="utf-8")
    first, second = CountingGrader(), CountingGrader()

    kept = run(folder, out, first, limit=2).kept
    run(folder, out, second, limit=2)

    assert (first.graded, [row.id for row in kept]) == (["s-3", "s-4"], ["s-1"])
    assert second.graded == ["s-1"]


def test_a_limit_is_not_stuck_with_what_cannot_be_checked(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "class", s_1="could_not_check", s_2="passed")
    grader = CountingGrader()
    for _ in range(2):
        run(folder, tmp_path / "out", grader, limit=1)

    assert grader.graded == ["s-1", "s-2"]


def test_a_limit_is_one_of_those_who_are_named(folder: Path, tmp_path: Path) -> None:
    grader = CountingGrader()
    summary = run(folder, tmp_path / "out", grader, ("s-3", "s-4"), 1)

    assert grader.graded == ["s-3"]
    assert [row.id for row in summary.waiting] == ["s-1", "s-2", "s-4", "s-5"]


def test_rows_of_other_points_do_not_stand_in_one_gradebook(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out, CountingGrader())
    before = everything_in(out)
    exercises = {"s1.add": RUBRIC.exercises["s1.add"]}
    grader = CountingGrader()

    with pytest.raises(RecordsError) as refused:
        run(folder, out, grader, ("s-1",), rubric=replace(RUBRIC, exercises=exercises))

    assert str(refused.value) == (
        f"{out / 'records' / 's-2.json'}: graded with other exercises or points (s2.mean), and one "
        "gradebook cannot hold both. Grade everybody, without --student and --limit, or into "
        "another folder with --out."
    )
    assert (grader.graded, everything_in(out)) == ([], before)


def test_a_damaged_record_is_refused_and_not_written_over(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out, CountingGrader())
    (out / "records" / "s-2.json").write_text("{", encoding="utf-8")

    with pytest.raises(RecordsError, match=r"s-2\.json: not a record of this grader\. Grade every"):
        run(folder, out, CountingGrader(), ("s-1",))

    assert (out / "records" / "s-2.json").read_text("utf-8") == "{"


def test_an_adjustment_by_hand_stays(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(folder, out, CountingGrader())
    path = out / "records" / "s-2.json"
    line = {"kind": "by hand", "points": "2", "reason": "ill", "author": "TA", "automatic": "0"}
    record = {**json.loads(path.read_text("utf-8")), "adjustments": [line]}
    path.write_text(json.dumps(record), encoding="utf-8")

    run(folder, out, CountingGrader(), ("s-1",))

    assert totals(out)["s-2"][0] == "2"


def entries_of(*ids: str) -> tuple[Entry, ...]:
    return tuple(Entry(id, Path("class") / f"folder of {id}", f"{id}.json") for id in ids)


@pytest.mark.parametrize(
    "name", ["s-1", "folder of s-1", "class/folder of s-1", "class/folder of s-1/"]
)
def test_a_student_is_named_by_id_or_by_folder(name: str) -> None:
    entries, others = chosen(entries_of("s-1", "s-2"), (name,))

    assert ([one.id for one in entries], [one.id for one in others]) == (["s-1"], ["s-2"])


def test_no_name_is_everybody() -> None:
    assert chosen(entries_of("s-1"), ()) == (entries_of("s-1"), ())
    assert EVERYBODY.is_everybody


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("student-01", "nobody has this id; near it: student-011, student-001"),
        ("zzz", "nobody has this id; there are other, student-001, student-011"),
        ("gone", "on the roster, and handed in nothing"),
    ],
)
def test_an_id_that_nobody_has_is_refused(name: str, says: str) -> None:
    with pytest.raises(BatchError) as refused:
        chosen(entries_of("other", "student-001", "student-011"), (name,), ("gone",))

    assert str(refused.value) == f"--student {name}: {says}."


def test_all_unknown_ids_are_refused_at_once() -> None:
    with pytest.raises(BatchError, match=r"(?s)--student x: .*--student y: "):
        chosen(entries_of("s-1"), ("x", "s-1", "y"))


def test_to_choose_from_a_large_class_reads_each_name_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def noted(name: str) -> str:
        shown.append(name)
        return name

    monkeypatch.setattr(part, "shown_id", noted)
    entries = [Entry(f"student-{n:03}", Path(f"class/student-{n:03}.zip"), "-") for n in range(300)]

    [meant], others = chosen(entries, ["student-007", "class/student-007.zip"])

    assert (meant.id, len(others)) == ("student-007", 299)
    assert len(shown) == 302
