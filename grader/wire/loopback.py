"""A channel within one process: the same messages and the same code on both ends, no boundary."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .faults import PeerGone
from .frame import Buffer, Channel, Message, Meta

if TYPE_CHECKING:
    from .peer import Peer


class Loopback(Channel):
    """One end. `connect` makes two of them; each needs its `peer` set before use."""

    peer: Peer
    other: Loopback

    def __init__(self) -> None:
        self._inbox: deque[Message] = deque()

    def send(self, meta: Meta, buffers: Sequence[Buffer] = (), until: float | None = None) -> None:
        payload = bytearray()
        for buffer in buffers:
            payload += buffer
        self.other._inbox.append(Message(copy.deepcopy(meta), payload))

    def receive(self, until: float | None = None, max_payload: int = 0) -> Message:
        """The next message; meanwhile the other end serves what was sent to it."""
        while not self._inbox:
            if not self.other._inbox:
                raise PeerGone("nothing under way")
            self.other.peer.serve(self.other._inbox.popleft())
        return self._inbox.popleft()

    def close(self) -> None:
        self._inbox.clear()


def connect() -> tuple[Loopback, Loopback]:
    """Two ends of one in-process channel."""
    first, second = Loopback(), Loopback()
    first.other, second.other = second, first
    return first, second
