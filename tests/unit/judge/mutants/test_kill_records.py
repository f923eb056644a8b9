"""A record rules out a mistake that passes what failed, and nothing that it does not know."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.judge.mutants.kill_records import KillRecords


@dataclass(frozen=True)
class Exercise:
    slug: str = "t1.toy"
    assignment: str = "t1_toy"


@dataclass(frozen=True)
class Check:
    id: str
    fresh: bool = False
    alone: bool = False
    exercise: Exercise = field(default_factory=Exercise)


@dataclass(frozen=True)
class Entry:
    id: str


@dataclass(frozen=True)
class Mistake:
    stem: str
    entry: Entry


A, B = Check("t1.toy/outputs/a"), Check("t1.toy/outputs/b")
FRESH, ALONE = Check("t1.toy/outputs/c", fresh=True), Check("t1.toy/outputs/d", alone=True)
HALF: Any = Mistake("t1_toy", Entry("toy.half"))


@pytest.fixture
def records(tmp_path: Path) -> KillRecords:
    folder = tmp_path / "reference/exercises/t1.toy"
    folder.mkdir(parents=True)
    kills = {
        "checks": {"outputs/a": ["toy.half"], "outputs/b": [], "outputs/c": [], "outputs/d": []}
    }
    (folder / "kill_record.json").write_text(json.dumps(kills))
    checks: Any = [A, B, FRESH, ALONE]
    return KillRecords(tmp_path, checks)


def rules_out(records: KillRecords, mistake: Any, *failing: Any) -> bool:
    return records.rules_out(mistake, failing)


def test_a_mistake_that_passes_what_failed(records: KillRecords) -> None:
    assert rules_out(records, HALF, A, B)
    assert not rules_out(records, HALF, A)


def test_checks_that_differ_from_run_to_run_say_nothing(records: KillRecords) -> None:
    assert not rules_out(records, HALF, A, FRESH, ALONE)


def test_a_mistake_without_a_record(records: KillRecords) -> None:
    unknown: Any = Mistake("t1_toy", Entry("toy.other"))
    elsewhere: Any = Mistake("t2_toy", Entry("toy.half"))
    assert not rules_out(records, unknown, B)
    assert not rules_out(records, elsewhere, B)
    assert not rules_out(records, HALF, Check("t9.none/outputs/a", exercise=Exercise("t9.none")))


def test_the_record_tells_of_every_check_whether_a_mistake_passed_it(records: KillRecords) -> None:
    checks: Any = [A, B, FRESH]
    assert [records.passes(HALF, check) for check in checks] == [False, True, True]
    unknown: Any = Mistake("t1_toy", Entry("toy.other"))
    assert not records.passes(unknown, checks[1])
