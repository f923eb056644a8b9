"""What one end lets the other do."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from grader.wire import peer
from grader.wire.faults import Violation
from grader.wire.frame import Message
from grader.wire.loopback import Loopback, connect
from grader.wire.peer import Peer
from grader.wire.side import Side
from grader.wire.values import Node


class Doubling(Side):
    """Offers one function and counts its calls."""

    def __init__(self, *, runs_deferred_calls: bool) -> None:
        self.runs_deferred_calls = runs_deferred_calls
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


def serve(*, runs_deferred_calls: bool) -> tuple[Peer, Doubling]:
    here, there = connect()
    side = Doubling(runs_deferred_calls=runs_deferred_calls)
    here.peer, there.peer = (
        Peer(here, Doubling(runs_deferred_calls=False), {}),
        Peer(there, side, {}),
    )
    assert isinstance(here, Loopback)
    return here.peer, side


def test_deferred_calls_are_run_before_the_call() -> None:
    caller, side = serve(runs_deferred_calls=True)
    outcome = caller.call(["F"], (21,), {}, {}, {}, [(["F"], (1,)), (["F"], (2,))])
    assert (outcome.value, side.calls) == (42, 3)


def test_a_side_that_counts_requests_runs_no_deferred_calls() -> None:
    caller, side = serve(runs_deferred_calls=False)
    assert caller.call(["F"], (21,), {}, {}, {}).value == 42
    with pytest.raises(Violation, match="deferred calls"):
        caller.call(["F"], (21,), {}, {}, {}, [(["F"], (1,))])
    assert side.calls == 1


def test_a_graph_that_outlives_later_requests_is_released_when_it_is_deleted() -> None:
    caller, _side = serve(runs_deferred_calls=False)
    answerer = caller.channel.other.peer  # type: ignore[attr-defined]

    first = caller.call(["F"], (torch.ones(2, requires_grad=True),), {}, {}, {})
    for _ in range(3):
        caller.call(["F"], (1,), {}, {}, {})
    assert len(answerer._graphs) == 1
    del first
    caller.call(["F"], (1,), {}, {}, {})
    assert answerer._graphs == {}


def test_a_notice_is_taken_in_and_not_answered() -> None:
    """Any number of them before the reply, and in their order."""
    heard: list[int] = []
    here, there = connect()
    side = Doubling(runs_deferred_calls=False)
    notices = {"progress": lambda message: heard.append(message.meta["at"])}
    caller = Peer(here, Doubling(runs_deferred_calls=False), {}, notices)

    def work(message: Message) -> dict[str, Any]:
        for number in range(3):
            worker.tell({"t": "progress", "at": number})
        return {"done": True}

    worker = Peer(there, side, {"work": work})
    here.peer, there.peer = caller, worker
    assert caller.exchange({"t": "work"}).meta["done"] is True
    assert heard == [0, 1, 2]


def test_notices_are_counted_as_requests_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is trusted with neither could keep the other side busy for ever."""
    monkeypatch.setattr(peer, "MAX_NESTED_REQUESTS", 5)
    here, there = connect()
    caller = Peer(here, Doubling(runs_deferred_calls=False), {}, {"progress": lambda message: None})

    def work(message: Message) -> dict[str, Any]:
        for number in range(6):
            worker.tell({"t": "progress", "at": number})
        return {}

    worker = Peer(there, Doubling(runs_deferred_calls=False), {"work": work})
    here.peer, there.peer = caller, worker
    with pytest.raises(Violation, match="too many"):
        caller.exchange({"t": "work"})
