"""What a worker says of its isolation arrives as it was, and nothing else is taken for it."""

from __future__ import annotations

from typing import Any

import pytest

from grader.wire.faults import Violation
from grader.wire.isolation_record import IsolationRecord

RECORDS = [
    IsolationRecord("full", ("descriptors", "seccomp"), (), landlock_abi=4),
    IsolationRecord("partial", ("seccomp",), ("stat",), "no tier full: mount", 0),
    IsolationRecord("none"),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.tier)
def test_a_record_arrives_as_it_was(record: IsolationRecord) -> None:
    assert IsolationRecord.of(record.encoded()) == record


def test_only_what_is_known_is_written() -> None:
    assert RECORDS[0].encoded() == {
        "enforced": ["descriptors", "seccomp"],
        "landlock_abi": 4,
        "tier": "full",
        "weak": [],
    }
    assert RECORDS[2].encoded() == {"enforced": [], "tier": "none", "weak": []}


RIGHT: dict[str, Any] = {"tier": "full", "enforced": ["seccomp"], "weak": []}


@pytest.mark.parametrize(
    "values",
    [
        None,
        ["full"],
        {},
        {**RIGHT, "tier": 1},
        {**RIGHT, "enforced": "seccomp"},
        {**RIGHT, "enforced": [1]},
        {**RIGHT, "weak": None},
        {**RIGHT, "reason": None},
        {**RIGHT, "landlock_abi": True},
        {**RIGHT, "landlock_abi": "4"},
    ],
)
def test_anything_else_is_refused(values: Any) -> None:
    assert IsolationRecord.of(RIGHT).tier == "full"
    with pytest.raises(Violation):
        IsolationRecord.of(values)
