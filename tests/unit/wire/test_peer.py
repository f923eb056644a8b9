"""What one end lets the other do."""

from __future__ import annotations

from typing import Any

import pytest

from grader.wire.faults import Violation
from grader.wire.loopback import Loopback, connect
from grader.wire.peer import Peer, Side
from grader.wire.values import Node


class Doubling(Side):
    """Offers one function and counts its calls."""

    def __init__(self, *, runs_errands: bool) -> None:
        self.runs_errands = runs_errands
        self.calls = 0

    def name(self, value: Any) -> Node | None:
        return None

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        raise Violation("reference")

    def target(self, node: Node) -> Any:
        def double(number: int) -> int:
            self.calls += 1
            return 2 * number

        return double


def serve(*, runs_errands: bool) -> tuple[Peer, Doubling]:
    here, there = connect()
    side = Doubling(runs_errands=runs_errands)
    here.peer, there.peer = Peer(here, Doubling(runs_errands=False), {}), Peer(there, side, {})
    assert isinstance(here, Loopback)
    return here.peer, side


def test_errands_are_run_before_the_call() -> None:
    caller, side = serve(runs_errands=True)
    outcome = caller.call(["F"], (21,), {}, {}, {}, [(["F"], (1,)), (["F"], (2,))])
    assert (outcome.value, side.calls) == (42, 3)


def test_a_side_that_counts_requests_runs_no_errands() -> None:
    caller, side = serve(runs_errands=False)
    assert caller.call(["F"], (21,), {}, {}, {}).value == 42
    with pytest.raises(Violation, match="errands"):
        caller.call(["F"], (21,), {}, {}, {}, [(["F"], (1,))])
    assert side.calls == 1
