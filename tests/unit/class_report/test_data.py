"""What is read of a class, and what is counted of its mistakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.batch.gradebook import Row
from grader.batch.records import RecordsError
from grader.batch.summary import NOTHING
from grader.class_report.data.class_data import ClassData
from grader.class_report.data.mistakes import mistakes_of, rare_groups
from grader.class_report.data.reading import read_class
from grader.store.store import STORE_FILE, open_store
from grader.store.summary import form_of, read_form, read_summary, summary_of
from tests.support.made_class import CHECKS, CONDITIONS, Made, record_of, write_class
from tests.unit.samples import RUBRIC

SAME = {1: "1 (2:0:4:0.1)", 2: "1 (3:0:4:0.1)"}
CLASS = (
    Made("student-001", "pppp"),
    Made("student-002", "pfpp", {1: "add.minus"}, {1: "x"}),
    Made("student-003", "pffp", {1: "add.minus", 2: "add.twice"}),
    Made("student-004", "pffp", {}, SAME),
    Made("student-005", "pffp", {}, SAME),
    Made("student-006", "pffp", {}, {**SAME, 2: "another"}),
    Made("student-007", "peef", {3: "shape.axes_swapped"}),
    Made("student-008", "ppbc", {3: "add.minus"}),
    Made("student-009", "nnnn", flags=("uses eval",), tier="partial"),
    Made("student-010", "ppup"),
)


def read(out: Path, made: tuple[Made, ...] = CLASS) -> ClassData:
    absent = Row("student-011", problem=NOTHING)
    return read_class(write_class(out, made, RUBRIC, (absent,)), RUBRIC)


def test_a_summary_is_read_as_it_was_written() -> None:
    record = record_of(CLASS[2])
    again = read_summary(summary_of(record).text)
    assert replace(again, failed=tuple(again.failed)) == summary_of(record)
    assert read_form(form_of(record).text) == form_of(record)
    assert summary_of(record).outcomes == "pffp"


def test_a_class_is_read_as_arrays(tmp_path: Path) -> None:
    data = read(tmp_path)
    assert [one.id for one in data.checks] == list(CHECKS)
    assert data.codes.tobytes().decode() == "".join(one.outcomes for one in CLASS)
    assert data.totals.tolist() == [6.5, 5.25, 4.0, 4.0, 4.0, 4.0, 1.0, 5.25, 0.0, 4.0]
    assert data.people[10].problem == NOTHING
    assert data.people[10].total is None
    assert np.isnan(data.points[9, 1])
    assert [one.person for one in data.graded] == list(range(10))


def test_a_store_of_before_gets_its_summaries(tmp_path: Path) -> None:
    first = read(tmp_path)
    with open_store(tmp_path / STORE_FILE) as store:
        store._database.execute("DELETE FROM summaries")
        store._database.execute("DELETE FROM forms")
    again = read_class(tmp_path, RUBRIC)
    assert again.codes.tolist() == first.codes.tolist()
    assert again.failures == first.failures


def test_a_newer_result_that_does_not_count_is_left_out(tmp_path: Path) -> None:
    """A regrade that nobody committed is in the store, and not in the gradebook."""
    out = write_class(tmp_path, CLASS[:3], RUBRIC)
    with open_store(out / STORE_FILE) as store:
        later = record_of(Made("student-003", "pppp"))
        store.keep("student-003", "i", CONDITIONS, later, final=True)
    data = read_class(out, RUBRIC)
    assert data.totals.tolist() == [6.5, 5.25, 4.0]
    assert data.other_results == 1


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordsError, match="Grade a class first"):
        read_class(tmp_path, RUBRIC)


def test_a_mistake_is_counted_by_students(tmp_path: Path) -> None:
    data = read(tmp_path)
    minus, twice = mistakes_of(data).known
    assert (minus.cause, minus.rows, minus.carried) == ("add.minus", (1, 2, 7), (7,))
    # Half of 2.5 points each, and nothing where it was carried.
    assert minus.mean_lost == pytest.approx((1.25 + 1.25 + 0) / 3)
    assert minus.together == (("add.twice", 1),)
    assert minus.slugs == ("s1.add", "s2.mean")
    assert minus.sample in (1, 7)
    assert twice.rows == (2,)


def test_only_equal_numbers_make_a_group(tmp_path: Path) -> None:
    counts = mistakes_of(read(tmp_path))
    [group] = counts.unknown
    assert (group.slug, group.rows, group.checks) == ("s1.add", (3, 4), (1, 2))


def test_a_group_with_a_name_is_not_unknown(tmp_path: Path) -> None:
    made = tuple(Made(f"student-00{n}", "pffp", {1: "add.minus"}, SAME) for n in (1, 2))
    counts = mistakes_of(read(tmp_path, made))
    assert [one.is_named for one in counts.lookalikes] == [True]
    assert counts.unknown == ()


def test_failed_checks_are_named_seen_or_unexplained(tmp_path: Path) -> None:
    coverage = mistakes_of(read(tmp_path)).coverage
    # Named: 1 + 2; seen: two exceptions and a pattern; the carried one costs nothing and is aside.
    assert (coverage.named, coverage.seen, coverage.unexplained) == (3, 3, 6)


def test_a_rare_mistake_is_one_that_few_have(tmp_path: Path) -> None:
    rare = Made("student-100", "pffp", {1: "add.rare"}, SAME)
    pair = (rare, Made("student-101", "pffp", {1: "add.rare"}, SAME))
    more = tuple(Made(f"student-{n}", "pfpp", {1: "add.rare"}) for n in range(200, 208))
    fine = tuple(Made(f"student-{n}", "pppp") for n in range(300, 340))
    alone = mistakes_of(read(tmp_path / "alone", (*pair, *fine)))
    assert [(len(group.rows), base) for group, base in rare_groups(alone, 0.05)] == [(2, 2)]
    common = mistakes_of(read(tmp_path / "common", (*pair, *more, *fine)))
    assert list(rare_groups(common, 0.05)) == []
