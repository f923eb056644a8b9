"""Globals of suites are seen to change, and what a check asked for is noted."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch

from grader.judge.calls.client import LocalClient
from grader.judge.calls.faults import CheckFailed
from grader.judge.checks.expect import Expect
from grader.judge.checks.tracing import RecordingExpect, SuiteGlobals
from grader.judge.reference.memo import Memo

X = torch.tensor([[1.0, -2.0], [3.0, 4.0]])


def test_a_global_that_changes_is_named() -> None:
    suite = ModuleType("suite")
    suite.SIZES, suite.SEEN, suite.X = [1, 2], [], X.clone()  # type: ignore[attr-defined]
    globals_ = SuiteGlobals({"tests/suites/t.py": suite})
    assert globals_.written() == []
    suite.SEEN.append(1)
    suite.X.zero_()
    suite.NEW = 1  # type: ignore[attr-defined]
    names = ["NEW", "SEEN", "X"]
    assert globals_.written() == [["tests/suites/t.py", name] for name in names]


def test_it_is_told_what_was_asked_and_what_refused() -> None:
    asked: list[str] = []
    fell: list[str] = []
    real = Expect(LocalClient(lambda stem, name: None, lambda name: False), Memo(), 0)
    expect = RecordingExpect(real, asked.append, fell.append)

    expect.floats(X, (2, 2))
    with pytest.raises(CheckFailed):
        expect.finite(X / 0)

    assert (asked, fell, expect.record.count) == (
        ["floats", "finite"],
        ["finite"],
        real.record.count,
    )
