"""Call what is in the judge's own process without a message: known mistakes, and the reference.

What is called sees what a message would show it, and so does who calls: copies of tensors in the
same layout, the same words of exceptions, the same limits but that of the length of a text. What is
left out is to write all of it in JSON and in one row of bytes, and to read it again. Never for code
of students.
"""

from __future__ import annotations

import torch

from ...wire.faults import Violation
from ...wire.frame import Meta
from ...wire.peer import Peer
from ...wire.raised import RemoteRaised
from ...wire.tensors import Copies
from ...wire.values import Encoder
from .judge_peer import JudgePeer


class DirectPeer(JudgePeer):
    """A judge's peer that asks the other end of its channel directly.

    Only requests of the judge go this way. A call-back, which is rare, is a message.
    """

    other: Peer
    """The other end, which is set before the first request."""

    def request(self, meta: Meta, encoder: Encoder) -> tuple[Meta, tuple[torch.Tensor, ...]]:
        """Ask; the tensors of the answer, of any shape, are copies."""
        copies = encoder.writer.copies()
        answer, answered = self.requested(meta, lambda question: self._ask(question, copies))
        return answer, answered.tensors

    def _ask(self, meta: Meta, copies: Copies) -> tuple[Meta, Copies]:
        answer, answered = self.other.serve_here({**meta, "release": self.take_released()}, copies)
        if answer.get("t") == "raised":
            raise RemoteRaised(answer)
        if answer.get("t") != "ok":
            raise Violation("reply")
        return answer, answered
