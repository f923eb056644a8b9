"""Small JSON messages with file descriptors, between processes of ours that trust each other.

Works on every system with Unix sockets. Strictly one message at a time in each direction.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Sequence
from typing import Any

from .faults import PeerGone

MAX_FDS = 8
SIZE = struct.Struct("<I")
MAX_MESSAGE_BYTES = 1 << 20


def send_control(sock: socket.socket, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """Send one message. Raises `PeerGone` if nobody is there."""
    data = json.dumps(message, separators=(",", ":")).encode()
    try:
        # The descriptors travel with the size: who reads it first gets them, and no more.
        socket.send_fds(sock, [SIZE.pack(len(data))], list(fds))
        sock.sendall(data)
    except OSError as error:
        raise PeerGone(str(error)) from None


def receive_control(sock: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Receive one message and its file descriptors. Raises `PeerGone` at end of stream."""
    try:
        head, fds, _, _ = socket.recv_fds(sock, SIZE.size, MAX_FDS)
        head += _exactly(sock, SIZE.size - len(head)) if head else b""
        if len(head) < SIZE.size:
            raise PeerGone("end of stream")
        (size,) = SIZE.unpack(head)
        if size > MAX_MESSAGE_BYTES:
            raise PeerGone("not a message of ours")
        message: dict[str, Any] = json.loads(_exactly(sock, size))
    except OSError as error:
        raise PeerGone(str(error)) from None
    return message, fds


def _exactly(sock: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise PeerGone("end of stream")
        data += part
    return data
