"""Calls into student code, wherever it runs: seeds, time limits, and faults put into words."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ..evidence import Where
from ..language import _
from ..wire.faults import Violation, WireFault
from ..wire.frame import Buffer, Channel, Message, Meta
from ..wire.loopback import connect
from ..wire.peer import Peer
from ..wire.raised import RemoteRaised
from ..wire.side import Errand, Outcome
from ..wire.tensors import NAMES
from ..wire.values import Node
from ..worker.side import WorkerSide
from .bind.binding import Known
from .faults import StudentRaised
from .handles import Parameters
from .side import JudgeSide

MINIMUM_LIMIT_S = 2.0
REFERENCE_FACTOR = 50


class JudgePeer(Peer):
    """A peer whose outermost requests run against the clock and fail in our words."""

    def __init__(
        self,
        channel: Channel,
        side: JudgeSide,
        client: Client,
        notices: Mapping[str, Callable[[Message], None]] | None = None,
    ) -> None:
        super().__init__(channel, side, {}, notices)
        self._client = client
        self._nested = 0

    def exchange(self, meta: Meta, buffers: Sequence[Buffer] = ()) -> Message:
        if self._nested == 0:
            self.begin()
            self.until = time.monotonic() + self._client.limit_s
            self._client.before_request()
            self._client.run_errands()
            if self._client.must_reset:
                meta = {**meta, "reset": True}
                self._client.must_reset = False
        self._nested += 1
        try:
            return super().exchange(meta, buffers)
        except RemoteRaised as error:
            raise self._client.raised(error) from None
        except WireFault as error:
            raise self._client.translate(error) from None
        finally:
            self._nested -= 1


class Client:
    """One submission (or the reference) as something to call.

    `limit_s` bounds the next outermost request. `calls` counts the calls of the current check;
    `changed` names the inputs that the last call modified.
    """

    def __init__(self) -> None:
        self.side = JudgeSide(self)
        self.peer: JudgePeer
        self.limit_s = MINIMUM_LIMIT_S
        self.calls = 0
        self.changed: tuple[str, ...] = ()
        self.known = Known()
        self.given: tuple[Any, Any] | None = None
        """The arguments of the last call."""
        self.in_words = True
        """Whether anybody will read why a check failed."""
        self._errands: list[Errand] = []
        self.must_reset = False
        """Whether the next outermost request is to start a check anew on the other side."""

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        """The value of a call on the other side.

        Raises:
            StudentFault: the call raised, hung, crashed or answered garbage.
        """
        errands, self._errands = self._errands, []
        self.calls += 1
        self.given = args, kwargs
        self.limit_s = self.limit_of(self.calls)
        started = time.perf_counter()
        try:
            outcome: Outcome = self.peer.call(
                target, args, kwargs, self.settings(), parameters, errands
            )
        except Violation as error:
            raise self.translate(error) from None
        finally:
            if self.side.raised is not None:
                ours, self.side.raised = self.side.raised, None
                raise ours
        self.took(self.calls, time.perf_counter() - started)
        labels = _labels(args, kwargs) if outcome.changed else []
        self.changed = tuple(labels[i] for i in outcome.changed if i < len(labels))
        self.note(outcome.noted)
        return outcome.value

    def settings(self) -> Meta:
        """What a call runs under."""
        return environment()

    def note(self, noted: Any) -> None:
        """Called with what the other side said of a call, besides its value; untrusted."""

    def send_along(self, target: Node, args: tuple[Any, ...]) -> None:
        """Have `target` called right before the next request: it costs no round trip of its own.

        What it raises, that request raises.
        """
        self._errands.append((target, args))

    def run_errands(self) -> None:
        """Before a request that can take none along."""
        if self._errands:
            self.invoke(["B", "nothing"], (), {}, {})

    def begin_check(self) -> None:
        self.calls, self.changed, self.given = 0, (), None
        self._errands.clear()
        self.side.forget()

    def limit_memory(self, mib: int) -> list[str]:
        """Until the check ends, the other side gets at most `mib` MiB beyond what it holds now.

        Returns notes. What runs in our own process is not limited.
        """
        return []

    def limit_of(self, call: int) -> float:
        return MINIMUM_LIMIT_S

    def took(self, call: int, seconds: float) -> None:
        """Called after each successful call."""

    def before_request(self) -> None:
        """Called before each outermost request."""

    def raised(self, error: RemoteRaised) -> StudentRaised:
        """An exception of the student's function as a fault."""
        where = self.place(error)
        return StudentRaised(error.type_name, error.bases, error.message, where, own=error.own)

    def place(self, error: RemoteRaised) -> Where | None:
        """Where an exception says that it comes from."""
        return Where(error.file, error.line, error.cell) if error.file else None

    def translate(self, error: WireFault) -> BaseException:
        """The fault of the channel as one of ours, after what it makes necessary."""
        return error


def environment() -> Meta:
    """The judge's settings for a call. The seed is hashed: from any number of seeds a worker
    learns nothing about the generator they were drawn from."""
    draw = torch.randint(-(1 << 63), (1 << 63) - 1, (), dtype=torch.int64, device="cpu").item()
    digest = hashlib.blake2b(str(draw).encode(), digest_size=8).digest()
    return {
        "grad": torch.is_grad_enabled(),
        "dtype": NAMES[torch.get_default_dtype()],
        "device": torch.get_default_device().type,
        "seed": int.from_bytes(digest, "big") >> 1,
    }


def _labels(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
    """A name for each distinct tensor, in the order in which the encoder meets them."""
    labels: dict[int, str] = {}

    def walk(value: Any, name: str) -> None:
        if isinstance(value, torch.Tensor):
            labels.setdefault(id(value), name)
        elif isinstance(value, (list, tuple)):
            for position, item in enumerate(value):
                walk(item, f"{name}[{position}]")
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(item, f"{name}[{key!r}]")

    for position, value in enumerate(args):
        walk(value, _("argument {number}", number=position + 1))
    for name, value in kwargs.items():
        walk(value, name)
    return list(labels.values())


class _LocalSide(WorkerSide):
    """In one process the caller's generator must not move because the callee was seeded."""

    @contextmanager
    def environment(self, meta: Meta) -> Iterator[None]:
        state = torch.get_rng_state()
        try:
            with super().environment(meta):
                yield
        finally:
            torch.set_rng_state(state)


class LocalClient(Client):
    """Objects of this process behind the same messages: the reference, and `--debug`."""

    def __init__(self, lookup: Callable[[str, str], object], is_own: Callable[[str], bool]) -> None:
        super().__init__()
        here, there = connect()
        self._callee = _LocalSide(lookup, lambda name: (name, None) if is_own(name) else None)
        self.peer = JudgePeer(here, self.side, self)
        self._other = Peer(there, self._callee, {})
        here.peer, there.peer = self.peer, self._other
        self._callee.peer = self._other

    def begin_check(self) -> None:
        super().begin_check()
        self._callee.forget()
        self._other.forget()
        self._other.begin()
