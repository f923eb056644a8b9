"""Of which modules a trace keeps the layout: where numbers hang on the student's own names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from grader.judge.calls.handles import RemoteModule
from grader.judge.calls.module_description import ParameterSpec
from grader.judge.checks.observe import CheckRecord
from grader.judge.checks.plugin import CheckContext

LAYOUT = [("qkv", (9, 3))]


def record_of(**attributes: object) -> CheckRecord:
    """Return the record of a check that made one such module."""
    module = SimpleNamespace(layout=LAYOUT, **{"is_read_by_name": False, **attributes})
    client, unused = cast(Any, SimpleNamespace(modules=[module])), cast(Any, None)
    record = CheckRecord()
    CheckContext(client, unused, "a1", unused, unused, 7, record).clear()
    return record


@pytest.mark.parametrize(
    "pair, is_read_by_name, expected",
    [(None, False, [LAYOUT]), (object(), True, [LAYOUT]), (object(), False, [])],
    ids=["no pair", "a pair read by name", "a pair"],
)
def test_a_trace_keeps_the_layout_of(pair: object, is_read_by_name: bool, expected: object) -> None:
    record = record_of(pair=pair, is_read_by_name=is_read_by_name, is_open=False)
    assert record.drawn == expected


@pytest.mark.parametrize("pair, is_open", [(None, False), (object(), True)])
def test_a_matched_pair_may_be_open(pair: object, is_open: bool) -> None:
    assert record_of(pair=pair, is_open=True).is_open is is_open


@pytest.mark.parametrize(
    "shapes, in_linear, is_open",
    [
        ([(4, 4), (4,)], False, True),
        ([(4, 4), (4, 9)], False, False),
        ([(4, 4), (4,)], True, False),
        ([(4,)], False, False),
    ],
    ids=["square", "beside an oblong one", "nn.Linear", "no matrix"],
)
def test_a_module_is_open_where_no_shape_tells(
    shapes: list[tuple[int, ...]], in_linear: bool, is_open: bool
) -> None:
    specs = [
        ParameterSpec(str(number), torch.float64, shape, True, in_linear)
        for number, shape in enumerate(shapes)
    ]
    module = RemoteModule.__new__(RemoteModule)
    module.specs = tuple(specs)
    assert module.is_open is is_open
