"""The exceptions of a channel: each says which side, or which limit, is at fault."""

from __future__ import annotations


class WireFault(Exception):
    """Base of all faults of the channel."""


class Violation(WireFault):
    """The other side broke the protocol."""


class Deadline(WireFault):
    """The other side did not answer in time."""


class PeerGone(WireFault):
    """The other side closed the channel or died."""


class TooLarge(WireFault):
    """A message exceeds a size limit. Nothing of it was sent, and the channel can still be used."""


class Unsupported(WireFault):
    """A tensor or operation that can't cross the process boundary.

    Refusing it is better than a wrong answer.
    """
