"""The refusal of a sealed course or of a key."""

from __future__ import annotations


class SealedError(Exception):
    """A sealed course that is not opened, or a key that is none. Says why, and what to do."""
