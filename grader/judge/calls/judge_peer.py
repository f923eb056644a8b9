"""Send the judge's requests: each under a time limit, its errors turned into faults."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

from ...wire.faults import WireFault
from ...wire.frame import Buffer, Channel, Message, Meta
from ...wire.peer import Peer
from ...wire.raised import RemoteRaised
from .faults import StudentRaised
from .side import JudgeSide

Answer = TypeVar("Answer")


class Requester(Protocol):
    """Decides what surrounds an outermost request: its limit, what goes before it, its faults."""

    @property
    def limit_s(self) -> float: ...

    def before_request(self) -> None:
        """Prepare for an outermost request."""

    def run_deferred_calls(self) -> None:
        """Run what was kept for the next request, before one that cannot carry it along."""

    def take_reset(self) -> bool:
        """Return whether this request has to reset the other side, which is then done."""

    def after_request(self) -> None:
        """Take note that an outermost request was answered, or was not."""

    def raised(self, error: RemoteRaised) -> StudentRaised:
        """Turn an exception of the student's function into a fault."""

    def translate(self, error: WireFault) -> BaseException:
        """Turn an error of the channel into the exception to raise."""


class JudgePeer(Peer):
    """A peer that puts a time limit on outermost requests and turns their errors into faults."""

    def __init__(
        self,
        channel: Channel,
        side: JudgeSide,
        requester: Requester,
        notices: Mapping[str, Callable[[Message], None]] | None = None,
    ) -> None:
        super().__init__(channel, side, {}, notices)
        self._requester = requester
        self._nested = 0

    def exchange(self, meta: Meta, buffers: Sequence[Buffer] = ()) -> Message:
        return self.requested(meta, partial(super().exchange, buffers=buffers))

    def requested(self, meta: Meta, ask: Callable[[Meta], Answer]) -> Answer:
        """Return the answer to a request, with all that surrounds one."""
        if self._nested == 0:
            self.begin()
            self.until = time.monotonic() + self._requester.limit_s
            self._requester.before_request()
            self._requester.run_deferred_calls()
            if self._requester.take_reset():
                meta = {**meta, "reset": True}
        self._nested += 1
        try:
            return ask(meta)
        except RemoteRaised as error:
            raise self._requester.raised(error) from None
        except WireFault as error:
            raise self._requester.translate(error) from None
        finally:
            self._nested -= 1
            if self._nested == 0:
                self._requester.after_request()
