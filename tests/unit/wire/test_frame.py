"""Frames: what goes in comes out; what is no frame of ours is refused before it costs memory."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.wire.faults import Deadline, PeerGone, TooLarge, Violation
from grader.wire.frame import (
    HEADER,
    MAGIC,
    MAX_JSON_BYTES,
    MAX_PAYLOAD_BYTES,
    Channel,
    Message,
    between_ours,
)

Pair = tuple[Channel, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    channel = Channel(ours)
    with theirs:
        yield channel, theirs
    channel.close()


def frame(meta: bytes, payload: bytes = b"", magic: bytes = MAGIC) -> bytes:
    return HEADER.pack(magic, len(meta), len(payload)) + meta + payload


def test_a_message_comes_out_as_it_went_in() -> None:
    ours, theirs = socket.socketpair()
    sender, receiver = Channel(ours), Channel(theirs)
    sender.send({"t": "ok", "text": "é"}, [b"abc", memoryview(b"defg")])
    message = receiver.receive()
    assert (message.meta, bytes(message.payload)) == ({"t": "ok", "text": "é"}, b"abcdefg")
    sender.close()
    receiver.close()


@pytest.mark.parametrize(
    "data",
    [
        frame(b"{}", magic=b"HTTP"),
        struct.pack("<4sIQ", MAGIC, MAX_JSON_BYTES + 1, 0),
        struct.pack("<4sIQ", MAGIC, 0xFFFFFFFF, 0),
        struct.pack("<4sIQ", MAGIC, 2, MAX_PAYLOAD_BYTES + 1),
        struct.pack("<4sIQ", MAGIC, 2, 0xFFFFFFFFFFFFFFFF),
        frame(b"{"),
        frame(b"[]"),
        frame(b"null"),
        frame(b'{"x": NaN}'),
        frame(b'{"x": Infinity}'),
        frame(b'{"x": ' + b"9" * 5000 + b"}"),
        frame(b"[" * 100_000),
        frame(b'{"x": "\xff"}'),
    ],
    ids=[
        "other magic", "long JSON", "4 GiB of JSON", "long payload", "16 EiB of payload",
        "cut JSON", "a list", "null", "NaN", "infinity", "5000 digits", "deep nesting", "not UTF-8",
    ],
)  # fmt: skip
def test_what_is_no_frame_of_ours_is_a_violation(pair: Pair, data: bytes) -> None:
    channel, other = pair
    other.sendall(data)
    with pytest.raises(Violation):
        channel.receive(time.monotonic() + 5)


def test_a_silent_peer_meets_the_deadline(pair: Pair) -> None:
    with pytest.raises(Deadline):
        pair[0].receive(time.monotonic() + 0.02)


def test_a_peer_that_drips_meets_the_deadline(pair: Pair) -> None:
    channel, other = pair
    other.sendall(frame(b"{}", b"x" * 64)[:-1])
    with pytest.raises(Deadline):
        channel.receive(time.monotonic() + 0.02)


def test_a_peer_that_does_not_read_meets_the_deadline(pair: Pair) -> None:
    with pytest.raises(Deadline):
        pair[0].send({}, [bytes(8 << 20)], time.monotonic() + 0.05)


def test_a_closed_peer_is_gone(pair: Pair) -> None:
    channel, other = pair
    other.close()
    with pytest.raises(PeerGone):
        channel.receive()
    with pytest.raises(PeerGone):
        channel.send({"t": "ok"})


def test_descriptors_sent_along_are_dropped(pair: Pair) -> None:
    channel, other = pair
    socket.send_fds(other, [frame(json.dumps({"t": "ok"}).encode())], [other.fileno()])
    assert channel.receive(time.monotonic() + 1).meta == {"t": "ok"}


def test_a_message_larger_than_a_frame_is_our_error(pair: Pair) -> None:
    with pytest.raises(TooLarge, match="too large"):
        pair[0].send({"x": "y" * (MAX_JSON_BYTES + 1)})


def test_a_message_that_came_along_is_known_to_be_there(pair: Pair) -> None:
    channel, theirs = pair
    theirs.sendall(frame(b'{"t":"one"}') + frame(b'{"t":"two"}'))

    assert not channel.has_read_ahead
    assert channel.receive(time.monotonic() + 5).meta == {"t": "one"}
    assert channel.has_read_ahead
    assert channel.receive(time.monotonic() + 5).meta == {"t": "two"}
    assert not channel.has_read_ahead


def test_two_of_ours_that_send_at_once_do_not_wait_for_each_other() -> None:
    one, other = map(between_ours, socket.socketpair())
    until = time.monotonic() + 30
    payload = bytes(8 << 20)  # more than any buffer of a socket holds

    def talk(channel: Channel) -> Message:
        channel.send({"size": len(payload)}, [payload], until)
        return channel.receive(until)

    with ThreadPoolExecutor(2) as threads, one.sock, other.sock:
        answers = [
            answer.result() for answer in [threads.submit(talk, each) for each in (one, other)]
        ]

    assert [(answer.meta, bytes(answer.payload)) for answer in answers] == [
        ({"size": len(payload)}, payload)
    ] * 2


def test_one_of_ours_that_goes_while_it_is_sent_to_is_gone() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, ThreadPoolExecutor(1) as threads:
        sent = threads.submit(between_ours(ours).send, {}, [bytes(8 << 20)], time.monotonic() + 30)
        theirs.recv(1)
        theirs.close()
        with pytest.raises(PeerGone):
            sent.result()
