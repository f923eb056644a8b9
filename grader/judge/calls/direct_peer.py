"""Call what is in the judge's own process without a message: known mistakes, and the reference.

What is called sees what a message would show it, and so does who calls: copies of tensors in the
same layout, the same words of exceptions, the same limits but that of the length of a text. What is
left out is to write all of it in JSON and in one row of bytes, and to read it again. Never for code
of students.
"""

from __future__ import annotations

from functools import partial

import torch

from ...wire.faults import Violation
from ...wire.frame import Meta
from ...wire.peer import Peer
from ...wire.raised import RemoteRaised
from ...wire.tensors import Copies
from ...wire.values import Encoder
from .judge_peer import JudgePeer


class DirectPeer(JudgePeer):
    """A judge's peer that asks the other end of its channel directly."""

    other: Peer
    """The other end, which is set before the first request."""

    def request(self, meta: Meta, encoder: Encoder) -> tuple[Meta, tuple[torch.Tensor, ...]]:
        """Ask; the tensors of the answer, of any shape, are copies."""
        copies = encoder.writer.copies()
        ask = partial(_answer_of, self, self.other, copies=copies)
        answer, answered = self.requested(meta, ask)
        return answer, answered.tensors


class DirectCallee(Peer):
    """The other end of a `DirectPeer`: its call-backs go directly, too."""

    other: DirectPeer
    """The judge's end, which is set before the first request."""

    def request(self, meta: Meta, encoder: Encoder) -> tuple[Meta, tuple[torch.Tensor, ...]]:
        """Ask; the tensors of the answer, of any shape, are copies."""
        answer, answered = _answer_of(self, self.other, meta, encoder.writer.copies())
        return answer, answered.tensors


def _answer_of(one: Peer, other: Peer, meta: Meta, copies: Copies) -> tuple[Meta, Copies]:
    """Return what the other end answers."""
    answer, answered = other.serve_here({**meta, "release": one.take_released()}, copies)
    if answer.get("t") == "raised":
        raise RemoteRaised(answer)
    if answer.get("t") != "ok":
        raise Violation("reply")
    return answer, answered
