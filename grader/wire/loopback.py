"""A channel within one process: messages, limits and code are those of a channel between two."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .faults import PeerGone
from .frame import Buffer, Channel, Message, Meta, decode, encode, require_small

if TYPE_CHECKING:
    from .peer import Peer


class Loopback(Channel):
    """One end of an in-process channel.

    `connect` makes two of them; each needs its `peer` set before use.
    """

    peer: Peer
    other: Loopback

    def __init__(self) -> None:
        self._inbox: deque[Message] = deque()

    def send(self, meta: Meta, buffers: Sequence[Buffer] = (), until: float | None = None) -> None:
        text = encode(meta)
        require_small(len(text), sum(memoryview(buffer).nbytes for buffer in buffers))
        payload = bytearray()
        for buffer in buffers:
            payload += buffer
        self.other._inbox.append(Message(decode(text), payload))

    def receive(self, until: float | None = None, max_payload: int = 0) -> Message:
        """Receive the next message; until it is there, let the other end serve what it was sent."""
        while not self._inbox:
            if not self.other._inbox:
                raise PeerGone("nothing under way")
            self.other.peer.serve(self.other._inbox.popleft())
        return self._inbox.popleft()

    def close(self) -> None:
        self._inbox.clear()


def connect() -> tuple[Loopback, Loopback]:
    """Make the two ends of one in-process channel."""
    first, second = Loopback(), Loopback()
    first.other, second.other = second, first
    return first, second
