"""Small JSON messages with file descriptors, between processes of ours that trust each other.

Works on every system with Unix sockets. Strictly one message at a time in each direction.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from typing import Any

from .faults import PeerGone

MAX_FDS = 8
MAX_MESSAGE_BYTES = 1 << 20


def send_control(sock: socket.socket, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """Send one message. Raises `PeerGone` if nobody is there."""
    data = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    try:
        sent = socket.send_fds(sock, [data], list(fds))
        sock.sendall(data[sent:])
    except OSError as error:
        raise PeerGone(str(error)) from None


def receive_control(sock: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """One message and its descriptors. Raises `PeerGone` at end of stream."""
    data, fds = b"", list[int]()
    while not data.endswith(b"\n"):
        try:
            part, found, _, _ = socket.recv_fds(sock, 1 << 16, MAX_FDS)
        except OSError as error:
            raise PeerGone(str(error)) from None
        fds += found
        data += part
        if not part or len(data) > MAX_MESSAGE_BYTES:
            raise PeerGone("end of stream")
    message: dict[str, Any] = json.loads(data)
    return message, fds
