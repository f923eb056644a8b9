"""What can go wrong on a channel, told apart by who has to answer for it."""

from __future__ import annotations


class WireFault(Exception):
    """Base of all faults of the channel."""


class Violation(WireFault):
    """The other side broke the protocol."""


class Deadline(WireFault):
    """The other side did not answer in time."""


class PeerGone(WireFault):
    """The other side closed the channel or died."""


class Unsupported(WireFault):
    """This can't cross the process boundary; refusing is better than a wrong answer."""
