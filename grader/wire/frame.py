"""One message on a stream socket: fixed header, strict JSON object, raw payload.

`GRW1 | u32 json length | u64 payload length | json | payload`
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from .faults import Deadline, PeerGone, TooLarge, Violation

MAGIC = b"GRW1"
HEADER = struct.Struct("<4sIQ")
MAX_JSON_BYTES = 4 << 20
OUR_JSON_BYTES = 64 << 20
"""Limit between two processes of ours: what a course says of all its checks is long."""
MAX_PAYLOAD_BYTES = 64 << 20
CHUNK_BYTES = 1 << 20
READ_AHEAD_BYTES = 1 << 16
MAX_PARTS = 64
"""Buffers of a message handed to the kernel at once; the kernel takes at most 1024."""

Meta = dict[str, Any]
Buffer = bytes | memoryview
Waiter = Callable[[bool, float | None], None]
"""Blocks until the socket can be written (True) or read (False), or raises `Deadline`. It looks at
the clock first: a peer that sends byte by byte keeps the socket readable and would never be cut
off."""


class Message(NamedTuple):
    """A received frame. `meta` is whatever JSON object the other side sent: check it."""

    meta: Meta
    payload: bytearray


class Channel:
    """One end of a connected stream socket that sends and receives frames.

    `receive` never uses ancillary data, so that file descriptors passed by the other
    side are dropped by the kernel.
    """

    def __init__(
        self,
        sock: socket.socket,
        wait: Waiter | None = None,
        max_json_bytes: int = MAX_JSON_BYTES,
        reads_while_sending: bool = False,
    ) -> None:
        """Talk over `sock`.

        `reads_while_sending`: while the other side takes nothing, read ahead what it says. Two that
        send to each other at once would otherwise wait for each other. Not for a side that is not
        trusted: what it sends unasked would be kept.
        """
        self.sock = sock
        self._max_json_bytes = max_json_bytes
        self._reads_while_sending = reads_while_sending
        self._wait = wait or self._poll
        self._may_block = wait is None
        self._buffer = bytearray()
        sock.setblocking(True)  # all that may not block says so itself

    def send(self, meta: Meta, buffers: Sequence[Buffer] = (), until: float | None = None) -> None:
        """Send one frame.

        Raises:
            TooLarge: the message is larger than a frame may be.
            Deadline: `until` (monotonic seconds) passed. PeerGone: nobody reads any more.
        """
        text = encode(meta).encode()
        views = [memoryview(buffer) for buffer in buffers]
        size = sum(view.nbytes for view in views)
        require_small(len(text), size, self._max_json_bytes)
        parts = [memoryview(HEADER.pack(MAGIC, len(text), size) + text), *views]
        try:
            sent = self.sock.sendmsg(parts[:MAX_PARTS], (), socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            raise PeerGone(str(error)) from None
        if sent < HEADER.size + len(text) + size:
            for part in parts:
                self._send_all(part[sent:], until)
                sent = max(0, sent - part.nbytes)

    def receive(self, until: float | None = None, max_payload: int = MAX_PAYLOAD_BYTES) -> Message:
        """Receive the next frame.

        Raises:
            Violation: the bytes are no frame of ours, or larger than agreed.
            Deadline, PeerGone: see `send`.
        """
        magic, text_size, size = HEADER.unpack(self._receive_exactly(HEADER.size, until))
        if magic != MAGIC or text_size > self._max_json_bytes or size > max_payload:
            raise Violation("bad frame header")
        meta = _parse(self._receive_exactly(text_size, until))
        return Message(meta, self._receive_exactly(size, until))

    @property
    def has_read_ahead(self) -> bool:
        """Return whether bytes are buffered here that no `receive` has returned yet.

        The socket does not become readable for these, so do not wait for it.
        """
        return bool(self._buffer)

    def close(self) -> None:
        self.sock.close()

    def _send_all(self, data: memoryview, until: float | None) -> None:
        while data:
            try:
                data = data[self.sock.send(data[:CHUNK_BYTES], socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                self._wait_to_send(until)
            except OSError as error:
                raise PeerGone(str(error)) from None

    def _wait_to_send(self, until: float | None) -> None:
        if not self._reads_while_sending:
            self._wait(True, until)
            return
        if select.POLLIN & self._polled(select.POLLOUT | select.POLLIN, until):
            self._read_ahead()

    def _read_ahead(self) -> None:
        try:
            data = self.sock.recv(CHUNK_BYTES, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError as error:
            raise PeerGone(str(error)) from None
        if not data:
            raise PeerGone("end of stream")
        self._buffer += data

    def _receive_exactly(self, size: int, until: float | None) -> bytearray:
        """Return the next `size` bytes.

        Read ahead into the buffer, so that a small message costs one system call and not three.
        """
        buffer = self._buffer
        while len(buffer) < size:
            wanted = min(max(size - len(buffer), READ_AHEAD_BYTES), CHUNK_BYTES)
            try:
                data = self._receive_some(wanted, until)
            except BlockingIOError:
                continue
            except OSError as error:
                raise PeerGone(str(error)) from None
            if not data:
                raise PeerGone("end of stream")
            buffer += data
        wanted_part = buffer[:size]
        del buffer[:size]
        return wanted_part

    def _receive_some(self, wanted: int, until: float | None) -> bytes:
        """Wait until the socket is readable and return what is there, up to `wanted` bytes.

        Always wait first: an answer is never there before it was made.
        """
        if self._may_block and until is None:
            return self.sock.recv(wanted)
        self._wait(False, until)
        return self.sock.recv(wanted, socket.MSG_DONTWAIT)

    def _poll(self, writing: bool, until: float | None) -> None:
        self._polled(select.POLLOUT if writing else select.POLLIN, until)

    def _polled(self, events: int, until: float | None) -> int:
        """Return which of these events happened first, as `select.poll` does."""
        # A peer that drips bytes is always readable: only the clock ends it.
        if until is not None and time.monotonic() > until:
            raise Deadline
        poller = select.poll()
        poller.register(self.sock, events)
        left_ms = None if until is None else max(0.0, (until - time.monotonic()) * 1e3)
        ready = poller.poll(left_ms)
        if not ready:
            raise Deadline
        return ready[0][1]


def between_ours(sock: socket.socket) -> Channel:
    """Make a channel between two processes of ours, such as the parent and a judge."""
    return Channel(sock, max_json_bytes=OUR_JSON_BYTES, reads_while_sending=True)


def require_small(text_bytes: int, size: int, max_json_bytes: int = MAX_JSON_BYTES) -> None:
    """Raise `TooLarge` if a message's JSON or payload exceeds its limit."""
    if text_bytes > max_json_bytes or size > MAX_PAYLOAD_BYTES:
        raise TooLarge(f"message too large: {text_bytes} bytes of JSON, {size} of tensors")


def _parse(text: bytearray) -> Meta:
    try:
        meta = decode(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Violation(f"bad JSON: {type(error).__name__}") from None
    if type(meta) is not dict:
        raise Violation("a message is a JSON object")
    return meta


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


# Made once: json.dumps and json.loads make a new one per call when given options.
encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
decode = json.JSONDecoder(parse_constant=_no_constant).decode
