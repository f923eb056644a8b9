"""Messages between processes of ours, beside the judge: typed, and checked where they answer."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

import pytest

from grader.judge.calls.faults import SourceGone
from grader.judge.calls.worker_process import WorkerStarter
from grader.wire.control import send_control
from grader.wire.faults import Violation
from grader.wire.nursery_messages import (
    NurseryAnswer,
    NurseryFailed,
    NurseryReady,
    Pair,
    PairRefused,
    PairRequest,
    nursery_answer,
)
from grader.wire.zygote_messages import (
    FateRequest,
    KillWorker,
    StartWorker,
    WorkerFate,
    WorkerStarted,
    ZygoteAnswer,
    ZygoteRequest,
    zygote_answer,
    zygote_request,
)

NOT_OURS = [
    pytest.param({}, id="empty"),
    pytest.param({"pid": "7"}, id="a-pid-in-words"),
    pytest.param({"pid": True}, id="a-pid-that-is-true"),
    pytest.param({"pid": -1}, id="all-processes"),
    pytest.param({"pid": 0}, id="our-own-group"),
    pytest.param({"fate": "9"}, id="a-fate-in-words"),
    pytest.param({"fate": 1 << 16}, id="no-wait-status"),
    pytest.param({"refused": 1}, id="a-refusal-without-words"),
    pytest.param({"judge": 7, "zygote": -1, "tier": "full"}, id="a-pair-of-all-processes"),
    pytest.param({"judge": 7, "zygote": 8, "tier": ["full"]}, id="two-tiers"),
    pytest.param({"judge": 7, "zygote": 8}, id="a-pair-without-tier"),
    pytest.param({"t": "ready"}, id="ready-without-a-pid"),
]


def sent(message: Mapping[str, Any]) -> Any:
    """As it arrives."""
    return json.loads(json.dumps(message))


def test_a_request_of_the_parent_arrives_as_it_was_sent() -> None:
    request = PairRequest("/scratch", ("full", "none"), "no user namespaces", ("seccomp",), True)
    assert PairRequest.of(sent(request.encoded())) == request


@pytest.mark.parametrize(
    "request_", [StartWorker({"memory_mib": 512}), KillWorker(7), FateRequest(7)]
)
def test_a_request_of_the_judge_arrives_as_it_was_sent(request_: ZygoteRequest) -> None:
    assert zygote_request(sent(request_.encoded())) == request_


@pytest.mark.parametrize(
    "answer", [NurseryReady(7), NurseryFailed("3 threads"), Pair(7, 8, "full"), PairRefused("no")]
)
def test_an_answer_of_the_nursery_arrives_as_it_was_sent(answer: NurseryAnswer) -> None:
    assert nursery_answer(sent(answer.encoded())) == answer


@pytest.mark.parametrize("answer", [WorkerStarted(7), WorkerFate(9), WorkerFate(None)])
def test_an_answer_of_the_zygote_arrives_as_it_was_sent(answer: ZygoteAnswer) -> None:
    assert zygote_answer(sent(answer.encoded())) == answer


@pytest.mark.parametrize("message", NOT_OURS)
def test_anything_else_is_refused(message: dict[str, Any]) -> None:
    with pytest.raises(Violation, match="answer of the nursery"):
        nursery_answer(message)
    with pytest.raises(Violation, match="answer of the zygote"):
        zygote_answer(message)


@pytest.mark.parametrize("message", NOT_OURS)
def test_a_judge_does_not_go_on_with_a_zygote_that_answers_so(message: dict[str, Any]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_control(theirs, message)
        with pytest.raises(SourceGone, match="answer of the zygote"):
            WorkerStarter(ours).started()


def test_a_fate_that_nobody_asked_for_is_no_worker() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_control(theirs, WorkerFate(9).encoded())
        with pytest.raises(SourceGone, match="nobody asked"):
            WorkerStarter(ours).started()
