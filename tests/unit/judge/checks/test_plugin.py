"""Of which modules a trace keeps the layout: where numbers hang on the student's own names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from grader.judge.checks.observe import CheckRecord
from grader.judge.checks.plugin import CheckContext

LAYOUT = [("qkv", (9, 3))]


def kept(pair: object, is_read_by_name: bool) -> list[Any]:
    """Return what a check keeps in its trace that made one such module."""
    module = SimpleNamespace(pair=pair, is_read_by_name=is_read_by_name, layout=LAYOUT)
    client, unused = cast(Any, SimpleNamespace(modules=[module])), cast(Any, None)
    record = CheckRecord()
    CheckContext(client, unused, "a1", unused, unused, 7, record).clear()
    return list(record.drawn)


@pytest.mark.parametrize(
    "pair, is_read_by_name, expected",
    [(None, False, [LAYOUT]), (object(), True, [LAYOUT]), (object(), False, [])],
    ids=["no pair", "a pair read by name", "a pair"],
)
def test_a_trace_keeps_the_layout_of(pair: object, is_read_by_name: bool, expected: object) -> None:
    assert kept(pair, is_read_by_name) == expected
