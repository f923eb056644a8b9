"""The parent believes nothing of the nursery but which processes a lane consists of."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from grader.engine import lanes
from grader.wire.control import receive_control, send_control
from grader.wire.faults import PeerGone
from grader.wire.nursery_messages import Pair


@pytest.fixture
def nursery(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[lanes.NurseryStarter, Any]]:
    """A starter, and the nursery's end of its connection."""
    ends: list[socket.socket] = []

    def spawn(bootstrap: Any, order: Any, fds: tuple[int, ...], errors: int) -> int:
        ends.append(socket.socket(fileno=os.dup(fds[0])))
        return os.getpid()

    monkeypatch.setattr(lanes, "spawn", spawn)
    bootstrap: Any = None
    starter = lanes.NurseryStarter(bootstrap, "", 2)
    with ends[0], starter._control:
        yield starter, ends[0]


def test_a_pair_becomes_the_processes_of_the_lane_that_waits(nursery: Any) -> None:
    starter, theirs = nursery
    channel: Any = None
    lane, order = lanes.Lane(channel), lanes.Order(("full",))
    starter._waiting.append((lane, order))
    send_control(theirs, Pair(7, 8, "full").encoded())
    starter.adopt()
    assert (lane.pids, lane.tier, starter._waiting) == ([7, 8], "full", [])


def test_a_nursery_that_answers_anything_else_is_hung_up_on(nursery: Any) -> None:
    starter, theirs = nursery
    send_control(theirs, {"judge": 7, "zygote": -1, "tier": "full"})
    with pytest.raises(PeerGone, match="answer of the nursery"):
        starter.adopt()
    with pytest.raises(PeerGone):
        receive_control(theirs)
