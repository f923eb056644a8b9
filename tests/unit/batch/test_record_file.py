"""A record that is kept in a file is the same again, and as much of it as a row is made of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grader.batch.gradebook import row_of
from grader.batch.record_file import RecordFile, RowFile, brief
from grader.store.store import Record
from tests.support.graded_results import write_class

BESIDE = {
    "late": True,
    "forced": {"reason": "a broken machine", "author": "TA 1"},
    "attempt": {"number": 2, "of": 3, "rule": "best", "points": ["1/3", None, "2"]},
    "adjustments": [
        {"kind": "goodwill", "points": "1/2", "automatic": "9", "reason": "kind", "author": "TA 1"},
        {"kind": "late s1", "points": "-1", "automatic": "9", "reason": "late", "author": ""},
        {"kind": "cap s1", "points": "-2", "automatic": "9", "reason": "cap", "author": ""},
    ],
}


@pytest.fixture
def records(tmp_path: Path) -> list[Record]:
    """Records in all states, some with all that a class adds to them."""
    out = write_class(tmp_path, asks=True)
    known = [json.loads(path.read_text("utf-8")) for path in sorted(out.glob("records/*.json"))]
    for record in known:
        record.get("notes", []).append({"kind": "problem", "text": "no file", "where": None})
        for exercise in record.get("exercises", ()):
            exercise["checks"][0]["tried"] = "network"
    return [*known, *({**one, **BESIDE} for one in known if "problem" not in one)]


def test_a_row_is_made_of_what_is_kept(records: list[Record]) -> None:
    assert len(records) == 11
    assert [row_of(brief(one)) for one in records] == [row_of(one) for one in records]


@pytest.mark.parametrize("key", ["exercises", "written", "isolation", "notes"])
def test_nothing_kept_is_more_than_that(records: list[Record], key: str) -> None:
    kept = [brief(one) for one in records if "problem" not in one]
    without = {"exercises": [], "written": {}, "isolation": {"tier": ""}, "notes": []}[key]
    broken = [{**one, key: without} for one in kept]

    assert any(row_of(one) != row_of(other) for one, other in zip(kept, broken, strict=True))
    assert all(len(json.dumps(one)) < 2500 for one in kept)


def test_rows_come_back_in_order_and_as_often_as_they_are_asked_for(
    tmp_path: Path, records: list[Record]
) -> None:
    file = RecordFile(tmp_path)
    for record in reversed(records[:6]):
        file[record["submission"]["id"]] = brief(record)
    rows = RowFile(file)

    expected = sorted(map(row_of, records[:6]), key=lambda row: row.id)
    assert list(rows) == list(rows) == expected
    assert (len(rows), rows[-1], rows[1:3]) == (6, expected[-1], tuple(expected[1:3]))
    assert list(RowFile(file, [expected[3].id])) == expected[3:4]


def test_the_later_record_of_a_key_counts(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)
    file["s-1"], file["s-2"], file["s-1"] = {"n": "ä\n\ud800"}, {"n": 2}, {"n": 3}

    assert (file["s-1"], file["s-2"]) == ({"n": 3}, {"n": 2})
    assert ("s-1" in file, "s-3" in file) == (True, False)


def test_nobody_sees_the_file_and_nothing_is_left_of_it(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)
    file["s-1"] = {"n": 1}

    assert list(tmp_path.iterdir()) == []
    shutil.rmtree(tmp_path)
    assert file["s-1"] == {"n": 1}
