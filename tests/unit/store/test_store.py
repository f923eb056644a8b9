"""The store loses nothing, overwrites nothing, and says what is wrong with a file."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.files.writing import WritingError
from grader.store.conditions import Conditions
from grader.store.store import FORMAT, Adjustment, ClassRun, Kept, Store, StoreError, open_store
from tests.support.full_disk import run_on_a_small_disk

NOW = Conditions(
    course="c", rules="r", points="p", grader="g", libraries="l", isolation="full",
    exercises="s1.add", language="en",
)  # fmt: skip
RECORD = {"points": "1/3", "text": "한글 \x00 \u2028", "exercises": [{"slug": "s1.add"}]}


def keep(store: Store, record: object = RECORD, **changed: object) -> None:
    wanted = {"student": "student-001", "inputs": "i", "conditions": NOW, "final": True, **changed}
    store.keep(record=record, **wanted)  # type: ignore[arg-type]


def record_of(kept: Kept | None) -> object:
    return kept and kept.record


def test_a_result_is_found_by_another_run(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        keep(store)

    with open_store(tmp_path / "s") as store:
        assert record_of(store.find("student-001", "i", NOW)) == RECORD


@pytest.mark.parametrize("name", sorted({*NOW.__dataclass_fields__} - {"points"}))
def test_another_condition_is_another_result(tmp_path: Path, name: str) -> None:
    with open_store(tmp_path / "s") as store:
        keep(store)
        assert store.find("student-001", "i", replace(NOW, **{name: "other"})) is None


def test_a_result_with_other_points_is_found_if_there_is_none_with_these(tmp_path: Path) -> None:
    then = replace(NOW, points="then")
    with open_store(tmp_path / "s") as store:
        keep(store, {"n": 1}, conditions=then)
        found = store.find("student-001", "i", NOW)
        assert found is not None
        assert (found.record, found.conditions) == ({"n": 1}, then)
        keep(store, {"n": 2})
        keep(store, {"n": 3}, conditions=then)
        assert record_of(store.find("student-001", "i", NOW)) == {"n": 2}


def test_another_student_or_submission_is_another_result(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        keep(store)
        assert store.find("student-002", "i", NOW) is None
        assert store.find("student-001", "other", NOW) is None


def test_the_newest_final_result_is_found(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        keep(store, {"n": 1})
        keep(store, {"n": 2})
        keep(store, {"n": 3}, final=False)

        assert record_of(store.find("student-001", "i", NOW)) == {"n": 2}


def test_history_keeps_everything_in_order(tmp_path: Path) -> None:
    later = replace(NOW, rules="new")
    with open_store(tmp_path / "s") as store:
        keep(store, {"n": 1}, final=False)
        keep(store, {"n": 2}, conditions=later)
        keep(store, {"n": 3}, student="student-002")

        own = list(store.history("student-001"))
        assert [(one.record["n"], one.conditions, one.final) for one in own] == [
            (1, NOW, False),
            (2, later, True),
        ]
        assert [one.student for one in store.history()] == [*["student-001"] * 2, "student-002"]
        assert own[0].graded_at <= own[1].graded_at


def test_two_runs_may_write_into_one_store(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as one, open_store(tmp_path / "s") as other:
        keep(one)
        keep(other, student="student-002")
        assert record_of(other.find("student-001", "i", NOW)) == RECORD
        assert record_of(one.find("student-002", "i", NOW)) == RECORD


def test_what_is_not_committed_leaves_no_trace(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        with pytest.raises(ValueError, match="JSON"):
            keep(store, {"n": float("nan")})
        assert list(store.history()) == []


def damaged(path: Path) -> None:
    with open_store(path) as store:
        keep(store)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)


def of_a_later_version(path: Path) -> None:
    with open_store(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")
        database.commit()


def of_somebody_else(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE photos (id)")
        database.commit()


def a_link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda path: path.write_text("not a database, and long enough to be one " * 30),
            "damaged",
        ),
        (damaged, "damaged"),
        (of_a_later_version, f"another version of the grader (format {FORMAT + 1}, here {FORMAT})"),
        (of_somebody_else, "not a store of this grader"),
        (a_link, "a symbolic link"),
    ],
)
def test_a_file_that_is_no_store_is_refused_and_kept(
    tmp_path: Path, make: Callable[[Path], object], words: str
) -> None:
    path = tmp_path / "results.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else b""

    with pytest.raises(StoreError) as refused, open_store(path) as store:
        store.find("student-001", "i", NOW)
        list(store.history())

    assert str(refused.value).startswith(f"{path}: ")
    assert words in str(refused.value)
    assert "Move it away" in str(refused.value)
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert not (tmp_path / "elsewhere").exists()


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(WritingError) as refused, open_store(tmp_path / "no folder" / "s"):
        pass

    assert str(refused.value).startswith(f"{tmp_path / 'no folder' / 's'}: not written (")


_OPENED = """
import sys
from pathlib import Path
from grader.files.writing import WritingError
from grader.store.store import ClassRun, open_store
try:
    with open_store(Path(sys.argv[1])) as store:
        for _time in range(100):
            store.note_run(ClassRun("x" * 2000, "plain"))
except WritingError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("kib", [20, 53, 60, 100])
def test_a_disk_that_is_too_small_is_full_whatever_has_no_room(tmp_path: Path, kib: int) -> None:
    store = tmp_path / "results.sqlite"
    command = [sys.executable, "-c", _OPENED, str(store)]
    done, _files = run_on_a_small_disk(command, tmp_path, kib)

    assert done.stderr.endswith("the disk is full. Free some space, then run this again.\n")


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        keep(store)
        [pages] = store._database.execute("PRAGMA page_count").fetchone()
        store._database.execute(f"PRAGMA max_page_count = {pages}")

        with pytest.raises(WritingError, match=r"the disk is full\. Free some space"):
            keep(store, {"text": os.urandom(9000).hex()}, student="student-002")

        assert [one.student for one in store.history()] == ["student-001"]


def test_an_adjustment_takes_the_place_of_the_last_of_its_kind(tmp_path: Path) -> None:
    first = Adjustment("student-001", "by hand", Fraction(1, 3), Fraction(4), "ill", "TA 1")
    other = replace(first, kind="late", points=Fraction(-2))
    with open_store(tmp_path / "s") as store:
        store.adjust(first)
        store.adjust(other)
        assert store.adjustments("student-001") == (first, other)
        assert store.adjustments("student-002") == ()
        store.adjust(replace(first, points=Fraction(2), reason="ill twice"))
    with open_store(tmp_path / "s") as store:
        changed = replace(first, points=Fraction(2), reason="ill twice")
        assert store.adjustments("student-001") == (changed, other)
        store.adjust(replace(first, points=Fraction(0)))
        assert store.adjustments("student-001") == (other,)


def test_the_last_run_says_where_the_class_was(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        assert store.last_run() is None
        store.note_run(ClassRun("/somewhere", "plain"))
        store.note_run(ClassRun("/elsewhere", "canvas", "roster.csv"))
    with open_store(tmp_path / "s") as store:
        assert store.last_run() == ClassRun("/elsewhere", "canvas", "roster.csv")


def test_the_newest_result_of_a_student_is_told_apart(tmp_path: Path) -> None:
    with open_store(tmp_path / "s") as store:
        assert store.newest("student-001") is None
        keep(store, {"n": 1})
        keep(store, {"n": 2}, inputs="other", final=False)
        keep(store, {"n": 3}, student="student-002")
        newest = store.newest("student-001")
    assert newest is not None
    assert (newest.record, newest.inputs, newest.final) == ({"n": 2}, "other", False)
