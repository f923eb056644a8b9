"""Whole conversations with one message changed: the other side's fault, whatever was changed."""

from __future__ import annotations

import json
import resource
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader.judge.calls.client import Client, LocalClient
from grader.judge.calls.faults import StudentFault
from grader.judge.calls.handles import RemoteFunction, RemoteModule
from grader.judge.calls.load_report import choice, note, where
from grader.wire.faults import WireFault
from grader.wire.frame import Buffer, Channel, Message, Meta
from grader.wire.load_report import (
    FileChoice,
    LoadNote,
    LoadReport,
    ModuleReport,
    TargetReport,
    load_report,
)
from grader.wire.loopback import Loopback
from tests.fuzz.mutations import Mutation, fuzzed, mutations
from tests.support.clients import STEM, Definitions, local_client, student_of

SOURCE = textwrap.dedent("""
    import torch
    from torch import nn

    def double(x):
        return {"twice": x * 2, "same": x, "rest": (1, 2.5, None, [True, "a"], torch.float16)}

    def apply(fn, x):
        return fn(x, scale=2) + fn(x * 3)

    def fail(x):
        raise ValueError("no")

    class Net(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layer = nn.Linear(width, 2)
        def forward(self, x, mask=None):
            return self.layer(x), x > 0
""")
CLIENT, MODULE = local_client(SOURCE)


class Altered(Channel):
    """A channel on which one message that is received is another than was sent."""

    def __init__(self, inner: Loopback, mutation: Mutation | None) -> None:
        self._inner, self._mutation, self.received = inner, mutation, 0

    def send(self, meta: Meta, buffers: Sequence[Buffer] = (), until: float | None = None) -> None:
        self._inner.send(meta, buffers, until)

    def receive(self, until: float | None = None, max_payload: int = 0) -> Message:
        message = self._inner.receive(until, max_payload)
        self.received += 1
        if self._mutation is not None and self.received - 1 == self._mutation.at:
            return self._mutation.apply(message)
        return message


@contextmanager
def altered(mutation: Mutation | None, *, worker: bool = False) -> Iterator[tuple[Client, Altered]]:
    client = LocalClient(lambda stem, name: getattr(MODULE, name), lambda name: True)
    client.begin_check()
    _, callee = client._callees[client.peer]
    peer = callee if worker else client.peer
    channel = Altered(peer.channel, mutation)  # type: ignore[arg-type]
    peer.channel = channel
    if worker:  # its end is served from within the loopback, which then has to ask this channel
        serve = peer.serve

        def altered_serve(message: Message) -> None:
            channel.received += 1
            hit = mutation is not None and channel.received - 1 == mutation.at
            serve(mutation.apply(message) if hit and mutation is not None else message)

        peer.serve = altered_serve  # type: ignore[method-assign]
    yield client, channel


def scale(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    return x * scale


def talk(client: Client) -> int:
    """All that a suite may do, as far as what comes back lets it; how many steps succeeded."""
    student = student_of(client, Definitions(MODULE))
    x = torch.randn(3, 4, requires_grad=True)
    steps = 0
    with pytest.raises((StudentFault, WireFault, _Done)) as ended:
        found = student.double(x)
        steps += 1
        back_through(found["twice"] if isinstance(found, dict) and "twice" in found else found)
        steps += 1
        back_through(student.apply(scale, x))
        steps += 1
        net = student.Net(4)
        steps += 1
        if isinstance(net, RemoteModule):
            steps += use(net, x)
        if isinstance(net, RemoteFunction):
            net(x)
        student.fail(x)
    assert not isinstance(ended.value, _Done)
    return steps


class _Done(Exception):
    """Never raised: the last step of a conversation fails as it should."""


def use(net: RemoteModule, x: torch.Tensor) -> int:
    answer = net(x, mask=x > 0)
    back_through(answer[0] if isinstance(answer, tuple) and answer else answer)
    optimiser = torch.optim.SGD(net.parameters() or [torch.zeros(1)], lr=0.1)
    optimiser.step()
    net.state(), net.named_buffers(), net.eval(), net.double()
    return 1


def back_through(value: Any) -> None:
    if isinstance(value, torch.Tensor) and value.requires_grad and value.device.type == "cpu":
        value.real.sum().backward()


def test_an_unchanged_conversation_goes_to_its_end() -> None:
    """The positive control, and the number of messages worth changing."""
    with altered(None) as (client, channel):
        assert talk(client) == 5
    assert 12 <= channel.received <= 30


@fuzzed
@given(mutation=mutations(messages=16))
def test_what_a_worker_says_never_becomes_the_judges_fault(mutation: Mutation) -> None:
    with altered(mutation) as (client, _):
        talk(client)


@fuzzed
@given(mutation=mutations(messages=16))
def test_what_a_judge_says_never_leaves_a_worker_in_doubt(mutation: Mutation) -> None:
    with altered(mutation, worker=True) as (client, _):
        talk(client)


# ---- the account of what was loaded ----------------------------------------------------------

ACCOUNT: Meta = json.loads(
    json.dumps(
        LoadReport(
            {STEM: ModuleReport("a.py", {"f": TargetReport("function", 3, 2, close=("g",))})},
            (LoadNote("problem", "no", "a.py", 1, None),),
            {STEM: FileChoice("a.py", {"a.py": "edited"})},
        ).encoded()
    )
)


@fuzzed
@given(mutation=mutations(messages=1))
def test_an_account_of_loading_is_refused_or_read_in_bounds(mutation: Mutation) -> None:
    try:
        report = load_report(mutation.apply(Message(ACCOUNT, bytearray())).meta)
    except WireFault:
        return
    for row in report.notes:
        found = note(row)
        assert len(found.text) <= 2000 and len(str(found.where)) < 500
    for module in report.modules.values():
        for target in module.targets.values():
            assert len(str(where(module, target))) < 500
    for files in report.files.values():
        assert choice(files, ("a.py", "b.py")).path in ("a.py", "b.py")


# ---- nothing is allocated on a claim ---------------------------------------------------------

CLAIMS: dict[str, Meta] = {
    "large tensor": {"storages": [16], "tensors": [["float64", [1 << 40], [1], 0, 0, 0]]},
    "many tensors": {"storages": [], "tensors": [["bool", [], [], None, 0, 0]] * 100_000},
    "large storage": {"storages": [1 << 40], "tensors": []},
    "large on meta": {"storages": [], "tensors": [["float64", [1 << 40] * 8, [1] * 8, None, 0, 0]]},
    "empty": {"storages": [], "tensors": [["int8", [0, 1 << 40], [1 << 40] * 2, None, 0, 0]]},
    "large view": {"storages": [16], "tensors": [["float64", [1 << 30], [0], 0, 0, 0]]},
    "many large views": {"storages": [16], "tensors": [["int8", [1 << 27], [0], 0, 0, 0]] * 9},
}  # fmt: skip


@contextmanager
def memory_for(more_mib: int) -> Iterator[None]:
    """A limit on address space, this much above what is mapped now."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (mapped + (more_mib << 20), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_the_limit_on_memory_is_one() -> None:
    """The positive control of what follows."""
    with memory_for(256), pytest.raises(RuntimeError, match="memory"):
        torch.zeros(1 << 28)


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_checked_before_anything_is_allocated(name: str) -> None:
    def say(meta: Meta) -> Meta:
        return {**meta, **CLAIMS[name], "value": ["T", 0]}

    size = sum(size for size in CLAIMS[name]["storages"] if size < 1 << 20)
    with altered(None) as (client, channel), memory_for(256):
        received = channel.receive
        channel.receive = lambda *a, **k: Message(say(received().meta), bytearray(size))  # type: ignore[method-assign]
        with pytest.raises((StudentFault, WireFault)):
            student_of(client, Definitions(MODULE)).double(torch.zeros(1))


@pytest.mark.parametrize("rows", [1, 2000], ids=["one", "many"])
def test_parameters_are_not_allocated_on_a_claim(rows: int) -> None:
    side = (1 << 26) if rows == 1 else (1 << 20)
    described = [[f"p{n}", "complex128", [side], True] for n in range(rows)]
    with altered(None) as (client, channel), memory_for(768):
        received = channel.receive

        def lie(*_: Any, **__: Any) -> Message:
            message = received()
            message.meta["value"] = ["O", 0, {"kind": "module", "parameters": described}]
            return message

        channel.receive = lie  # type: ignore[method-assign]
        with pytest.raises((StudentFault, WireFault)):
            student_of(client, Definitions(MODULE)).Net(4)(torch.zeros(1, 4))


@given(value=st.floats(allow_nan=True, allow_infinity=True))
def test_nan_and_infinity_are_values_and_cross_bit_by_bit(value: float) -> None:
    found = student_of(CLIENT, Definitions(MODULE)).double(torch.tensor(value, dtype=torch.float64))
    assert torch.equal(found["twice"].isnan(), torch.tensor(value != value))
    assert found["twice"].isnan() or found["twice"].item() == value * 2
