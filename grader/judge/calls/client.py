"""Call student code, wherever it runs, under a seed and a time limit; turn errors into faults."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from ...grade.evidence import Where
from ...wire.faults import Violation, WireFault
from ...wire.frame import Meta
from ...wire.loopback import connect
from ...wire.peer import Peer
from ...wire.raised import RemoteRaised
from ...wire.side import CallResult
from ...wire.tensors import NAMES, device_in_use
from ...wire.values import Node
from ...worker.side import WorkerSide
from .apart import Apart, WorkerState
from .call_numbers import CallNumbers
from .direct_peer import DirectCallee, DirectPeer
from .faults import StudentRaised
from .handles import Invoker, Parameters, RemoteFunction, RemoteModule
from .judge_peer import JudgePeer
from .known import Known
from .side import JudgeSide

HANDLES = (RemoteModule, RemoteFunction)
MINIMUM_LIMIT_S = 2.0
REFERENCE_FACTOR = 50


@dataclass(frozen=True)
class InputPath:
    """The place of a tensor among the arguments of a call."""

    argument: int | str
    """A position, or the name of a keyword argument."""
    inside: str = ""
    """The way into a nested argument: `[0]['mask']`."""

    def __str__(self) -> str:
        return f"{self.argument}{self.inside}"


class Client:
    """One submission (or the reference) as something to call.

    `limit_s` bounds the next outermost request; `changed` names the inputs that the last call
    modified.
    """

    def __init__(self) -> None:
        self._now = WorkerState(JudgeSide(self))
        """The process that is called now, of those that this client may use."""
        self._numbers = CallNumbers()
        self.limit_s = MINIMUM_LIMIT_S
        self.modules: list[RemoteModule] = []
        self.changed: tuple[InputPath, ...] = ()
        self.known = Known()
        self.given: tuple[Any, Any] | None = None
        """The arguments of the last call."""
        self.answer: Any = None
        """The value of the current check's last call; None if it gave none."""
        self.in_words = True
        """True if anybody will read why a check failed."""
        self.is_kept = False
        """True if the right answers are being recorded for a kit."""
        self._is_recording = False

    @property
    def peer(self) -> Any:
        """Return the judge's end of the channel to the process that is called now."""
        return self._now.peer

    @property
    def calls(self) -> int:
        """Return how many calls of its own the current check has made."""
        return self._numbers.own

    @property
    def apart(self) -> Invoker:
        """Return what to ask in place of this client so that it cannot know what this was asked.

        Here it is the client itself: code of the judge's own process remembers nothing.
        """
        return self

    @contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Neither count the calls made meanwhile nor move the generator of their seeds."""
        with self.uncounted(), torch.random.fork_rng(devices=[]):
            yield

    def watched(self, expect: Any) -> Any:
        """Return the `expect` that a check uses; `grader validate` wraps it to record its use."""
        return expect

    def invoke(
        self, target: Node, args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Parameters
    ) -> Any:
        """Call `target` on the other side and return its value.

        Raises:
            StudentFault: the call raised, hung, crashed or answered garbage.
        """
        deferred, self._now.deferred = self._now.deferred, []
        number = self._numbers.next()
        self.given, self.answer = (args, kwargs), None
        self.limit_s = self.limit_of(number)
        started = time.perf_counter()
        try:
            outcome: CallResult = self.peer.call(
                target, args, kwargs, self.settings(), parameters, deferred
            )
        except Violation as error:
            raise self.translate(error) from None
        finally:
            side = self._now.side
            if side.raised is not None:
                ours, side.raised = side.raised, None
                raise ours
        self.took(number, time.perf_counter() - started)
        paths = _paths(args, kwargs) if outcome.changed else []
        self.changed = tuple(paths[i] for i in outcome.changed if i < len(paths))
        self.note(outcome.noted)
        # Without the graph: that goes when the check lets go of the answer.
        self.answer = _detached(outcome.value)
        return outcome.value

    def settings(self) -> Meta:
        """Return the settings that a call runs under."""
        return environment() | ({"record": True} if self._is_recording else {})

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Have the tensors recorded that the calls made meanwhile compute on the way."""
        self._is_recording = True
        try:
            yield
        finally:
            self._is_recording = False

    def recorded(self) -> Any:
        """Return what the last recorded call computed on the way, as it came; it is untrusted.

        Raises:
            StudentFault: the other side does not answer.
        """
        with self.uncounted():
            return self.invoke(["R"], (), {}, {})

    def own_line(self, file: Any, cell: Any, line: Any) -> Where | None:
        """Return the place of a line of the student's; None if there is no such line."""
        if type(file) is not str or type(line) is not int or type(cell) not in (int, type(None)):
            return None
        return Where(file, line, cell)

    def own_text(self, where: Where, start: int, end: int) -> str:
        """Return these bytes of a line of the student's as text; "" if they are not at hand."""
        return ""

    def has_written(self, file: str, name: str) -> bool:
        """Tell whether a name stands in a file of the student's; here it is trusted to."""
        return True

    def note(self, noted: Any) -> None:
        """Take in what the other side noted about a call besides its value; do nothing here.

        It is untrusted.
        """

    def send_along(self, target: Node, args: tuple[Any, ...]) -> None:
        """Have `target` called right before the next request, so that it costs no round trip.

        If it raises, that request raises.
        """
        self._now.deferred.append((target, args))

    def run_deferred_calls(self) -> None:
        """Run what `send_along` kept, before a request that cannot carry it along."""
        if self._now.deferred:
            self.invoke(["B", "nothing"], (), {}, {})

    def take_reset(self) -> bool:
        """Return whether this request has to reset the other side, which is then done."""
        must_reset, self._now.must_reset = self._now.must_reset, False
        return must_reset

    def uncounted(self) -> AbstractContextManager[None]:
        """Make calls that are not the check's own, meanwhile; see `CallNumbers`."""
        return self._numbers.aside()

    @contextmanager
    def using(self, state: WorkerState) -> Iterator[None]:
        """Call another process of the submission meanwhile."""
        before, self._now = self._now, state
        try:
            yield
        finally:
            self._now = before

    def begin_check(self) -> None:
        self._numbers = CallNumbers()
        self.changed, self.given, self.answer = (), None, None
        self.modules.clear()
        self._forget_calls()

    def _forget_calls(self) -> None:
        """Forget what earlier checks kept for, or lent to, the process that is called now."""
        self._now.deferred.clear()
        self._now.side.forget()

    def limit_memory(self, mib: int) -> list[str]:
        """Limit the other side's memory until the check ends: `mib` MiB beyond what it holds now.

        Return notes. Code that runs in the judge's own process is not limited.
        """
        return []

    def limit_of(self, call: int) -> float:
        return MINIMUM_LIMIT_S

    def took(self, call: int, seconds: float) -> None:
        """Take note of a successful call and its duration; do nothing here."""

    def before_request(self) -> None:
        """Prepare for an outermost request; do nothing here."""

    def after_request(self) -> None:
        """Take note that an outermost request was answered, or was not; do nothing here."""

    def raised(self, error: RemoteRaised) -> StudentRaised:
        """Turn an exception of the student's function into a fault."""
        where = self.place(error)
        return StudentRaised(error.type_name, error.bases, error.message, where, own=error.own)

    def place(self, error: RemoteRaised) -> Where | None:
        """Return the place that an exception names as its origin, or None if it names none."""
        return Where(error.file, error.line, error.cell) if error.file else None

    def translate(self, error: WireFault) -> BaseException:
        """Turn an error of the channel into the exception to raise; return it as it is here.

        A subclass also does what the error makes necessary, such as ending the worker.
        """
        return error


def environment() -> Meta:
    """Return the judge's torch settings and a fresh seed for a call.

    The seed is a hash: from any number of seeds a worker learns nothing about the generator they
    were drawn from.
    """
    draw = torch.randint(-(1 << 63), (1 << 63) - 1, (), dtype=torch.int64, device="cpu").item()
    digest = hashlib.blake2b(str(draw).encode(), digest_size=8).digest()
    return {
        "grad": torch.is_grad_enabled(),
        "dtype": NAMES[torch.get_default_dtype()],
        "device": device_in_use(),
        "seed": int.from_bytes(digest, "big") >> 1,
    }


def _detached(value: Any) -> Any:
    # Most answers are no trees, and to walk one takes as long as to send it.
    if isinstance(value, torch.Tensor):
        return value.detach()
    if isinstance(value, HANDLES):
        return value
    return tree_map_only(torch.Tensor, torch.Tensor.detach, value)


def _paths(args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[InputPath]:
    """Return the path of each distinct tensor, in the order in which the encoder meets them."""
    paths: dict[int, InputPath] = {}

    def walk(value: Any, argument: int | str, inside: str = "") -> None:
        if isinstance(value, torch.Tensor):
            paths.setdefault(id(value), InputPath(argument, inside))
        elif isinstance(value, (list, tuple)):
            for position, item in enumerate(value):
                walk(item, argument, f"{inside}[{position}]")
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(item, argument, f"{inside}[{key!r}]")

    for position, value in enumerate(args):
        walk(value, position)
    for name, value in kwargs.items():
        walk(value, name)
    return list(paths.values())


class _LocalSide(WorkerSide):
    """The callee's side in the caller's process: seeding it leaves the caller's generator alone."""

    @contextmanager
    def environment(self, meta: Meta) -> Iterator[None]:
        state = torch.get_rng_state()
        try:
            with super().environment(meta):
                yield
        finally:
            torch.set_rng_state(state)


class LocalClient(Client):
    """A client for objects of this process, called by the same messages: references and mutants.

    What is apart has modules of its own, as in a second process: a known mistake that keeps
    something in a module answers there as a submission with that mistake does.
    """

    direct = False
    """True to leave out the messages, see `DirectPeer`: nobody asks how long a call takes."""

    def __init__(self, lookup: Callable[[str, str], object], is_own: Callable[[str], bool]) -> None:
        super().__init__()
        self._lookup, self._is_own = lookup, is_own
        self._callees: dict[JudgePeer, tuple[_LocalSide, Peer]] = {}
        self._second = Apart(self)
        self._connect()

    @property
    def apart(self) -> Apart:
        return self._second

    def begin_apart(self) -> None:
        """Forget what an earlier check left in the second set of modules."""
        self._forget_calls()
        if self.peer is None:
            self._connect()
        self._reset()

    def begin_check(self) -> None:
        super().begin_check()
        self._second.begin_check()
        self._reset()

    def _connect(self) -> None:
        here, there = connect()
        own = self._is_own
        callee = _LocalSide(self._lookup, lambda name: (name, None) if own(name) else None)
        kind, callee_kind = (DirectPeer, DirectCallee) if self.direct else (JudgePeer, Peer)
        peer, other = kind(here, self._now.side, self), callee_kind(there, callee, {})
        self._now.peer = here.peer = peer
        callee.peer = there.peer = other
        if isinstance(peer, DirectPeer) and isinstance(other, DirectCallee):
            peer.other, other.other = other, peer
        self._callees[peer] = callee, other

    def _reset(self) -> None:
        callee, other = self._callees[self.peer]
        callee.forget()
        other.forget()
        other.begin()


class DirectClient(LocalClient):
    """A client that calls objects of this process without messages, where nothing is timed."""

    direct = True
